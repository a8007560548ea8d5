#!/usr/bin/env node
// The command line's entry: reads what is asked, does it, and turns whatever goes wrong into one
// sentence on standard error and an exit code (cli/exit-codes.ts).

import { parseCommandLine } from './cli/arguments.ts';
import { Configuration } from './cli/configuration.ts';
import { ending, exitCodes } from './cli/exit-codes.ts';
import { helpOf, overview } from './cli/help-text.ts';
import { endWithReaders, print, say } from './cli/terminal.ts';
import { readEnvironment } from './environment.ts';

endWithReaders();
process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  const { exitCode, say: sentence } = ending(error);
  if (sentence !== undefined) say(`muster: ${sentence}\n`);
  return exitCode;
});

async function main(words: readonly string[]): Promise<number> {
  const command = parseCommandLine(words);
  if (command.kind === 'help') {
    await print(command.subcommand === undefined ? overview() : helpOf(command.subcommand));
    return exitCodes.ok;
  }
  const { subcommand, flags, operands } = command;
  const configuration = Configuration.read(flags, readEnvironment(), subcommand.options);
  return await subcommand.run({ configuration, operands });
}
