#!/usr/bin/env node
/** The command line: `logitscope COMMAND --flag value ...`. `logitscope --help` lists all commands. */
import { main } from './cli/main.js';
import { say } from './cli/terminal.js';

// If a program closes the pipe early (`| head`), this is not an error. A full disk is one.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code === 'EPIPE') process.exit();
    if (stream === process.stdout)
      say(process.stderr, `the output cannot be written: ${error.message}`);
    process.exit(2);
  });

process.exitCode = await main(process.argv.slice(2), process);
