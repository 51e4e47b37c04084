/** The Node program of a bundle. It prints its results as JSON. */
import { useHere } from './app.js';

useHere(process.argv[2]).then((answers) => console.log(JSON.stringify(answers)));
