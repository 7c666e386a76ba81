/**
 * A request as an operation sees it: one small object, which is filled on the way to the handler (handle.ts) and lives
 * until the response is made. Each KiB of it is a KiB of every call that is held.
 */
import type { Context } from 'hono';
import type { Logger } from 'pino';
import type { Idempotency } from '../../domain/idempotency.ts';
import type { Quota } from '../../domain/quota.ts';
import type { Credential } from '../../domain/tenants.ts';
import type { SessionUser } from '../../engine/tenant/signIns.ts';
import { isLockedOut } from '../../limits/failedAuthentications.ts';
import type { Actor } from '../../operations/permissions.ts';
import type { AppEnv } from '../deps.ts';
import { requestIdOf } from './requestId.ts';

const NO_QUOTA: readonly Quota[] = [];

export class Call<Body = unknown, Query = unknown, Params = unknown> {
  /** Hono's view of the request. Its headers are slow: read those of `incoming`. */
  readonly c: Context<AppEnv>;
  /** The pattern of the path, for metrics and traces. */
  route: string;
  readonly requestId: string;
  readonly startMs = performance.now();
  log: Logger;
  /** Why the request failed, if it did. */
  error: unknown;
  /** The caller's remaining quota, once the request is charged. */
  quota: readonly Quota[] = NO_QUOTA;
  /** Set if the request has an Idempotency-Key. */
  idempotency: Idempotency | undefined;
  /** State of the credential: it was read; Redis has found it valid outside of the operation's script. */
  isIdentified = false;
  isVerified = false;
  /** Values that the operation declares, each set by a step before the handler (route.ts). */
  declare query: Query;
  declare params: Params;
  #body: Body | undefined;
  #credential: Credential | undefined;
  #actor: Actor | undefined;
  #user: SessionUser | undefined;

  constructor(c: Context<AppEnv>, route: string, log: Logger) {
    this.c = c;
    this.route = route;
    this.log = log;
    this.requestId = requestIdOf(c.env.incoming);
  }

  get incoming() {
    return this.c.env.incoming;
  }

  get method(): string {
    return this.c.req.method;
  }

  get path(): string {
    return this.c.req.path;
  }

  get tenant(): string | undefined {
    return this.#credential?.tenant;
  }

  get body(): Body {
    return known(this.#body, 'body');
  }

  set body(body: Body) {
    this.#body = body;
  }

  /**
   * Lets go of the body and the error, whose stack refers to the arguments, once there is a response. A call that
   * waited before its body was parsed is old for the garbage collector. Until a full collection it would keep the
   * items, and each collection of the young generation would copy them. traced() needs the error of a caller that is
   * locked out.
   */
  letGo(): void {
    this.#body = undefined;
    if (!isLockedOut(this.error)) this.error = undefined;
  }

  /** The only requester that the caller may act for, if it is a derived token. */
  get subject(): string | undefined {
    return this.#credential?.subject;
  }

  /** Well-formed, but verified only by the script that serves the request. */
  get credential(): Credential {
    return known(this.#credential, 'credential');
  }

  set credential(credential: Credential) {
    this.#credential = credential;
  }

  /** Who changes something, for operations that keys cannot use. */
  get actor(): Actor {
    return known(this.#actor, 'actor');
  }

  set actor(actor: Actor) {
    this.#actor = actor;
  }

  /** The person who has signed in, for operations that take a session. */
  get user(): SessionUser {
    return known(this.#user, 'user');
  }

  set user(user: SessionUser) {
    this.#user = user;
  }
}

function known<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new TypeError(`no step sets the ${name}`);
  return value;
}
