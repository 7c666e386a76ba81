/**
 * Reads how a call of reserve or transaction may be held, and marks responses in which something waits
 * (docs/specification.md#requests-that-wait).
 */
import type { Context, HonoRequest } from 'hono';
import type { z } from 'zod';
import { PollQuery } from '../contract/waiting.ts';
import { type Caller, DEFAULT_POLL_SECONDS } from '../domain/waiting.ts';
import { onceEnded } from '../events/onceEnded.ts';
import type { Hold } from '../operations/hold.ts';
import type { AppEnv } from './env.ts';

/** The header of a response in which something is WAITING. */
export const WAITING_HEADER = 'Holdfast-Waiting';

type PollSeconds = z.ZodSafeParseResult<z.output<typeof PollQuery>>;

/** Nearly no call has the parameter, and parsing it would cost each of them. */
const DEFAULT: PollSeconds = { success: true, data: { pollSeconds: DEFAULT_POLL_SECONDS } };

/** Reads the query of a call that may wait. */
export function readPoll(request: HonoRequest): PollSeconds {
  const pollSeconds = request.query('pollSeconds');
  return pollSeconds === undefined ? DEFAULT : PollQuery.safeParse({ pollSeconds });
}

/** How a call may be held. */
export const holdOf = (call: AppEnv['Bindings'], pollSeconds: number): Hold => ({
  pollSeconds,
  caller: () => new HttpCaller(call),
});

/** A class: an object with a getter of its own would take up 0.5 KiB more while a call is held. */
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

  onHeld(): void {
    this.#call.incoming.hold();
  }
}

/** Sets the header if something in the response waits. */
export function markWaiting(c: Pick<Context, 'header'>, results: readonly { readonly status: string }[]): void {
  if (results.some(({ status }) => status === 'WAITING')) c.header(WAITING_HEADER, 'true');
}
