/** Asks before something that cannot be taken back. */
import { createInterface } from 'node:readline/promises';
import type { Call } from './command.ts';
import { EXIT, ExitError, usageError } from './exitCodes.ts';

/** @throws ExitError of wrong use, if nobody can be asked: without a terminal, --yes has to be given */
export function mayAsk({ args }: Call, command: string): void {
  if (!args.has('yes') && !process.stdin.isTTY) throw usageError(`${command} needs --yes without a terminal`);
}

/**
 * Asks on stderr, so that stdout has the result alone. With --yes it does not ask.
 * @throws ExitError 1 if the answer is not yes
 */
export async function confirm({ args, signal }: Call, question: string): Promise<void> {
  if (args.has('yes')) return;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} Type yes: `, { signal });
    if (answer.trim().toLowerCase() !== 'yes') throw new ExitError(EXIT.no, 'nothing was done');
  } finally {
    terminal.close();
  }
}
