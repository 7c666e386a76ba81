/**
 * Reads for how long a response to reserve or transaction may be held, and marks responses in which something waits
 * (docs/specification.md#requests-that-wait).
 */
import { PollQuery } from '../../contract/waiting.ts';
import { type Caller, DEFAULT_POLL_SECONDS } from '../../domain/waiting.ts';
import { onceEnded } from '../../events/onceEnded.ts';
import type { Polling } from '../../operations/waiting.ts';
import type { AppEnv } from '../deps.ts';
import { misfit } from '../errors.ts';
import type { Call } from './call.ts';
import { NONE } from './reply.ts';
import type { Fields } from './requestId.ts';

/** The header of a response in which something is WAITING. */
export const WAITING_HEADER = 'Holdfast-Waiting';
const WAITING: Fields = { [WAITING_HEADER]: 'true' };

/** Longest time for which the response to a call may be held. @throws Refusal */
export const pollingOf = (call: Call): Polling => pollingFor(call, pollSecondsOf(call));

function pollSecondsOf(call: Call): number {
  // Nearly no call has the parameter, and parsing it would cost each of them.
  const pollSeconds = call.c.req.query('pollSeconds');
  if (pollSeconds === undefined) return DEFAULT_POLL_SECONDS;
  const { data, error } = PollQuery.safeParse({ pollSeconds });
  if (error !== undefined) throw misfit(error);
  return data.pollSeconds;
}

/** Longest time for which the response to a call may be held that cannot say it itself. */
export const pollingFor = ({ c }: Call, pollSeconds: number): Polling => ({
  pollSeconds,
  caller: () => new HttpCaller(c.env),
});

/** A class: an object with a getter of its own would take up 0.5 KiB more during a long poll. */
class HttpCaller implements Caller {
  readonly #call: AppEnv['Bindings'];

  constructor(call: AppEnv['Bindings']) {
    this.#call = call;
  }

  get isGone(): boolean {
    const { incoming, outgoing } = this.#call;
    return incoming.socket.destroyed && !outgoing.writableFinished;
  }

  onGone(callback: () => void): void {
    const { outgoing } = this.#call;
    onceEnded(outgoing, () => {
      if (!outgoing.writableFinished) callback();
    });
  }

  onLongPoll(): void {
    this.#call.incoming.longPoll();
  }
}

/** The header of a response in which something waits, if something does. */
export const waitingHeader = (results: readonly { readonly status: string }[]): Fields =>
  results.some(({ status }) => status === 'WAITING') ? WAITING : NONE;
