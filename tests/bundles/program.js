/** The program of a bundle for Node. */
import { useHere } from './app.js';

useHere(process.argv[2]).then((answers) => console.log(JSON.stringify(answers)));
