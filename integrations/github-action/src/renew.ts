/** The process that renews while the later steps of a job run. It ends when the lease is lost, or with the runner. */
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../../packages/client/src/cli/connect.ts';
import { EXIT, exitCodeOf } from '../../../packages/client/src/cli/exitCodes.ts';
import { messageOf } from '../../../packages/client/src/cli/messages.ts';
import { say } from '../../../packages/client/src/cli/output.ts';
import type { Holdfast } from '../../../packages/client/src/index.ts';
import type { Renewal } from './hold.ts';
import { NO_ARGUMENTS } from './inputs.ts';

/** Pause after a renewal that failed, as a share of the lease. */
const PAUSE = 1 / 20;
/** The shortest time for which the client can repeat a request. */
const MIN_RETRIES_MS = 1000;

/**
 * Renews each time a third of the lease has passed.
 * @returns the exit code: the lease was lost, or the runner has gone
 */
export async function renew(signal: AbortSignal): Promise<number> {
  const { reservations, ttlMs, runner }: Renewal = JSON.parse(await text(process.stdin));
  const everyMs = ttlMs / 3;
  let client: Holdfast | undefined;
  // At once: the step may have been slow, and the first exchange of a JWT takes a while.
  let pauseMs = 0;
  for (;;) {
    await sleep(pauseMs, undefined, { signal });
    if (!isAlive(runner)) return EXIT.done;
    try {
      client ??= await connect(
        { args: NO_ARGUMENTS, signal },
        () => 'while the job runs',
        Math.max(everyMs, MIN_RETRIES_MS),
      );
      const connected = client;
      // Together: hundreds of them, one after the other, could take longer than the lease.
      await Promise.all(reservations.map((reservation) => connected.renew(reservation, ttlMs)));
      pauseMs = everyMs;
    } catch (error) {
      if (exitCodeOf(error) === EXIT.lost) throw error;
      say(messageOf(error));
      pauseMs = ttlMs * PAUSE;
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
