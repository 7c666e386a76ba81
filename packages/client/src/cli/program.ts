/** Runs a program to its end: whatever happens becomes one line and an exit code. */
import { exitCodeOf } from './exitCodes.ts';
import { codeOfSignal, Interrupts } from './interrupts.ts';
import { messageOf } from './messages.ts';
import { printed } from './output.ts';

/**
 * @param work gets the signals of the process, and returns the exit code
 * @param report prints the line that says what went wrong
 * @returns never: it ends the process
 */
export async function runProgram(
  work: (interrupts: Interrupts) => Promise<number>,
  report: (message: string) => void,
): Promise<never> {
  // The reader of a pipe has left, as with `holdfast ls | head -1`.
  process.stdout.on('error', () => process.exit(codeOfSignal('SIGPIPE')));
  // A fault ends holdfast in one line, and with it the command of `run`: nobody would look after its lease.
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (error: unknown) => {
      report(messageOf(error));
      process.exit(exitCodeOf(error));
    });
  const interrupts = new Interrupts();
  try {
    const code = await work(interrupts);
    await printed();
    process.exit(interrupts.received === undefined ? code : codeOfSignal(interrupts.received));
  } catch (error) {
    const { received } = interrupts;
    if (received === undefined) report(messageOf(error));
    process.exit(received === undefined ? exitCodeOf(error) : codeOfSignal(received));
  }
}
