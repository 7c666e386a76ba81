/** The post step: stops the renewals, and releases. Only that tells whether it was held until now. */
import { readFileSync } from 'node:fs';
import { Arguments } from '../../../packages/client/src/cli/arguments.ts';
import { reservationsOf } from '../../../packages/client/src/cli/commands/reservations.ts';
import { connect } from '../../../packages/client/src/cli/connect.ts';
import { EXIT, ExitError, exitCodeOf } from '../../../packages/client/src/cli/exitCodes.ts';
import { say, write } from '../../../packages/client/src/cli/output.ts';
import { signalTo } from '../../../packages/client/src/cli/run/processes.ts';
import { NO_ARGUMENTS } from './inputs.ts';

/**
 * @returns the exit code; 76 if something was lost while the job ran
 * @throws ExitError, HoldfastError if the service does not say
 */
export async function post(signal: AbortSignal): Promise<number> {
  const { STATE_reservations, STATE_instance, STATE_pid, STATE_log } = process.env;
  // With `run`, or if nothing was had, there is nothing to do.
  if (!STATE_reservations) return EXIT.done;
  if (STATE_pid) signalTo(Number(STATE_pid), 'SIGTERM');
  const said = STATE_log ? readIfThere(STATE_log) : '';
  if (said !== '') write(said);
  process.env.HOLDFAST_INSTANCE = STATE_instance;
  const reservations = reservationsOf(new Arguments([STATE_reservations], [], new Map()));
  const client = await connect({ args: NO_ARGUMENTS, signal });
  const lost: string[] = [];
  for (const reservation of reservations) {
    const { resource } = reservation;
    const wasHeld = await client.release(reservation).catch((error: unknown) => {
      if (exitCodeOf(error) === EXIT.lost) return false;
      throw error;
    });
    if (wasHeld) say(`${resource} is released`);
    else lost.push(resource);
  }
  if (lost.length === 0) return EXIT.done;
  const names = lost.join(', ');
  throw new ExitError(EXIT.lost, `${names} was lost while the job ran: others may have had it at the same time`);
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
