/** `holdfast reset`: ends all reservations of the tenant. */
import { createInterface } from 'node:readline/promises';
import { type Command, JSON_OPTION, URL_OPTION } from '../command.ts';
import { connect } from '../connect.ts';
import { EXIT, ExitError, usageError } from '../exitCodes.ts';
import { print, printJson } from '../output.ts';

/** Asks on stderr, so that stdout has the result alone. */
async function confirm(signal: AbortSignal): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question('End all reservations and waits of this tenant? Type yes: ', { signal });
    if (answer.trim().toLowerCase() !== 'yes') throw new ExitError(EXIT.no, 'nothing was done');
  } finally {
    terminal.close();
  }
}

export const reset: Command = {
  name: 'reset',
  summary: 'Ends all reservations and waits of the tenant',
  synopsis: 'reset [options]',
  details: 'It asks first. Definitions stay.',
  positionals: { min: 0, max: 0 },
  options: [{ name: 'yes', text: 'do not ask; needed without a terminal' }, JSON_OPTION, URL_OPTION],
  examples: ['holdfast reset', 'holdfast reset --yes'],
  run: async ({ args, signal }) => {
    const client = connect(args);
    if (!args.has('yes') && !process.stdin.isTTY) throw usageError('reset needs --yes without a terminal');
    if (!args.has('yes')) await confirm(signal);
    const cleared = await client.reset({ signal });
    if (args.has('json')) printJson({ cleared });
    else print(`${cleared} reservations ended`);
    return EXIT.done;
  },
};
