#!/usr/bin/env node
// The command line's entry: reads what is asked, does it, and turns whatever goes wrong into one
// sentence on standard error and exit code 1.

import { MusterError } from '../base/errors.ts';
import { parseCommand, UsageError } from './cli/arguments.ts';
import { helpText } from './cli/messages.ts';
import { serve } from './cli/serve.ts';
import { readEnvironment } from './environment.ts';
import { musterVersion } from './version.ts';

try {
  const command = parseCommand(process.argv.slice(2), readEnvironment());
  if (command.kind === 'help') process.stdout.write(helpText);
  else if (command.kind === 'version') process.stdout.write(`${musterVersion}\n`);
  else await serve(command.options);
} catch (error) {
  process.stderr.write(`muster: ${sentence(error)}\n`);
  process.exitCode = 1;
}

function sentence(error: unknown): string {
  if (error instanceof MusterError || error instanceof UsageError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
