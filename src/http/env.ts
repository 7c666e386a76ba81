/**
 * Values that middleware and handlers pass on within one request.
 */
import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Once } from '../domain/once.ts';
import type { Quota } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import type { SessionUser } from '../engine/tenant/signIns.ts';
import type { Actor } from '../operations/permissions.ts';
import type { Incoming } from './incoming.ts';

export interface AppEnv {
  Bindings: {
    incoming: Incoming;
    outgoing: ServerResponse;
  };
  Variables: {
    requestId: string;
    log: Logger;
    /** Set for every path under /api/v1. Well-formed, but verified only by the script that serves the request. */
    credential: Credential;
    /** Set for paths that need a session. */
    user: SessionUser;
    /** Set for paths that keys cannot use. */
    actor: Actor;
    /** Set if the request has an Idempotency-Key and a body. */
    once: Once | undefined;
    /** Set once the request is charged: the caller's remaining quota. */
    quota: readonly Quota[];
  };
}
