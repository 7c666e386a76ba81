/**
 * The parts of an instance that the HTTP application is made of. Each route and middleware takes those that it needs.
 */

import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Rules as BodyRules } from '../contract/fields.ts';
import type { Idempotency } from '../domain/idempotency.ts';
import type { Quota } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import type { SessionUser } from '../engine/tenant/signIns.ts';
import type { Streams } from '../events/streams.ts';
import type { Sealer } from '../identity/credentials.ts';
import type { JwtVerifier } from '../identity/jwtVerifier.ts';
import type { FailedAuthentications } from '../limits/failedAuthentications.ts';
import type { Places } from '../limits/places.ts';
import type { Outlets } from '../notices/sending.ts';
import type { Background } from '../operations/background.ts';
import type { OperationDeps } from '../operations/deps.ts';
import type { Actor } from '../operations/permissions.ts';
import type { Rules } from '../outgoing/addresses.ts';
import type { SlackSite } from '../outgoing/slack.ts';
import type { Store } from '../store/records.ts';
import type { Traces } from '../telemetry/traces.ts';
import type { Incoming } from './admission/incoming.ts';

/** Parts that exist only with a database. */
export interface TenantDeps {
  readonly store: Store;
  readonly sealer: Sealer;
  /** True if JWT issuers' keys may be fetched from private addresses and without TLS. */
  readonly allowPrivateJwks: boolean;
  /** The addresses that webhooks may have, beside public https ones. */
  readonly webhookRules: Rules;
  /** The outlets that subscriptions are tested by. */
  readonly outlets: Outlets;
  /** The tests that this instance makes. */
  readonly tests: Places<symbol>;
  /** True if this service sends e-mail. */
  readonly hasMail: boolean;
  /** The key that browsers subscribe to pushes with; null: this service pushes nothing */
  readonly pushKey: string | null;
  readonly slack: SlackSite;
  readonly background: Background;
}

/** Checks of request bodies. */
export type BodyDeps = BodyRules;

/** Identification of callers, and the limit of their failures. */
export interface CallerDeps {
  readonly failedAuthentications: FailedAuthentications;
  /** Number of our own proxies that each request passes through. */
  readonly trustedProxies: number;
  /** Returns true if such a tenant can exist. */
  readonly knowsTenant: (id: string) => boolean;
  /** The name of the session cookie. */
  readonly sessionCookie: string;
}

/** Observers of the process. */
export interface HealthDeps extends Pick<OperationDeps, 'metrics'> {
  readonly log: Logger;
  /** some: those that failed, were refused or were slow */
  readonly logRequests: 'some' | 'all';
  /** null: tracing is off */
  readonly traces: Traces | null;
  readonly ready: ReadinessCheck;
  readonly alive: LivenessCheck;
}

export interface HttpDeps extends OperationDeps, BodyDeps, CallerDeps, HealthDeps {
  readonly streams: Streams;
  /** null: there is no database */
  readonly tenants: TenantDeps | null;
  /** null: no JWT issuer is configured */
  readonly jwtVerifier: JwtVerifier | null;
}

/** Values that middleware and handlers pass on within one request. */
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
    idempotency: Idempotency | undefined;
    /** Set once the request is charged: the caller's remaining quota. */
    quota: readonly Quota[];
  };
}

/** Returns why the instance cannot serve; null if it can. */
export type ReadinessCheck = () => Promise<string | null>;

/** Returns why the process should be restarted; null if it should not. */
export type LivenessCheck = () => string | null;
