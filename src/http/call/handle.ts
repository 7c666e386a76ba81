/**
 * The one handler of an operation. A request takes its steps (who calls, with what rights and what body), then the
 * operation is carried out and its reply becomes the response. A step returns a promise only if it has to wait, so a
 * plain request comes to the engine without one. A step that refuses throws.
 *
 * No middleware on the paths of the API: with one handler a path, Hono calls it at once.
 */
import type { Context } from 'hono';
import type { AppEnv } from '../deps.ts';
import { failureOf } from '../errors.ts';
import { Call } from './call.ts';
import { type ObserveDeps, observe, traced } from './observe.ts';
import { type Reply, respond } from './reply.ts';

export type Handler = (c: Context<AppEnv>) => Response | Promise<Response>;

export type Step<Of extends Call> = (call: Of) => Promise<void> | undefined;

/** The handling of requests of an operation. */
export interface Way<Of extends Call, Done> {
  /** The pattern of the path, as Hono writes it. */
  readonly path: string;
  readonly steps: readonly Step<Of>[];
  /** Carries the operation out. */
  readonly run: (call: Of) => Promise<Done>;
  readonly reply: (done: Done, call: Of) => Reply;
  /** Checks the caller once there is a reply. Resolves to the error to reply with instead. */
  readonly check?: ((call: Call, status: number) => Promise<unknown> | undefined) | undefined;
  /** Changes each reply. */
  readonly rewrite?: ((reply: Reply) => Reply | Promise<Reply>) | undefined;
}

/** Makes the handler of an operation. */
export function handle<Body, Query, Params, Done>(
  deps: ObserveDeps,
  way: Way<Call<Body, Query, Params>, Done>,
): Handler {
  const { path, steps, run, reply, check, rewrite } = way;
  type Of = Call<Body, Query, Params>;

  /** Takes the steps from one on. No async function: each takes 0.5 KiB of a call that is held. */
  const proceed = (call: Of, from: number): Response | Promise<Response> => {
    const fail = (error: unknown) => failed(call, error);
    try {
      for (let i = from; i < steps.length; i++) {
        const pending = steps[i]?.(call);
        if (pending !== undefined) return pending.then(() => proceed(call, i + 1), fail);
      }
      return run(call).then((done) => succeeded(call, done), fail);
    } catch (error) {
      return failed(call, error);
    }
  };

  const succeeded = (call: Of, done: Done): Response | Promise<Response> => {
    try {
      return checked(call, reply(done, call));
    } catch (error) {
      return failed(call, error);
    }
  };

  const failed = (call: Of, error: unknown): Response | Promise<Response> => {
    call.error = error;
    return checked(call, failureOf(error, call));
  };

  const checked = (call: Of, made: Reply): Response | Promise<Response> => {
    const pending = check?.(call, made.status);
    return pending === undefined ? ended(call, made) : pending.then((error) => ended(call, instead(call, made, error)));
  };

  const instead = (call: Of, made: Reply, error: unknown): Reply => {
    if (error === undefined) return made;
    call.error = error;
    return failureOf(error, call);
  };

  const ended = (call: Of, made: Reply): Response | Promise<Response> => {
    // Its body makes room for others, however slowly the caller reads the response. That of a request over a limit does
    // so later (admission/arrivals.ts).
    if (made.status !== 429) call.incoming.endBody?.();
    observe(deps, call, made.status);
    if (rewrite === undefined) return responded(call, made);
    return Promise.resolve(rewrite(made)).then((to) => responded(call, to));
  };

  const responded = (call: Of, made: Reply): Response => {
    const response = respond(call, made);
    call.letGo();
    return response;
  };

  const { log, traces } = deps;
  return (c) => {
    const call: Of = new Call(c, path, log);
    return traces === null ? proceed(call, 0) : traced(traces, call, () => proceed(call, 0));
  };
}
