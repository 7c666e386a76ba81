/**
 * What routes and middleware are given, and what they hand on to each other in a request.
 */
import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { UnknownFields } from '../contract/sizes.ts';
import type { DefinitionChanges } from '../definitions/change.ts';
import type { Sizes } from '../domain/sizes.ts';
import type { Credential } from '../domain/tenants.ts';
import type { Engine } from '../engine/call.ts';
import type { Activity, Outcome } from '../engine/tenant/activity.ts';
import type { SessionUser } from '../engine/tenant/sessions.ts';
import type { Streams } from '../events/streams.ts';
import type { AdminRule } from '../identity/admins.ts';
import type { JwtVerifier } from '../identity/jwtVerifier.ts';
import type { Sealer } from '../identity/sealer.ts';
import type { FailedAuthentications } from '../limits/failedAuthentications.ts';
import type { Listings } from '../limits/listings.ts';
import type { ReadLimiter } from '../limits/reads.ts';
import type { Store } from '../store/records.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Traces } from '../telemetry/traces.ts';
import type { LivenessCheck, ReadinessCheck } from './health.ts';
import type { Incoming } from './incoming.ts';

/** What there is only with a database. */
export interface TenantDeps {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly adminRule: AdminRule;
  /** Whether JWT issuers' keys may be fetched from private addresses, and without TLS. */
  readonly allowPrivateJwks: boolean;
}

export interface HttpDeps {
  readonly engine: Engine;
  readonly definitions: DefinitionChanges;
  readonly activity: Activity;
  readonly streams: Streams;
  readonly reads: ReadLimiter;
  readonly listings: Listings;
  readonly failedAuthentications: FailedAuthentications;
  /** Proxies of our own that each request comes through. */
  readonly trustedProxies: number;
  /** Whether there can be such a tenant. */
  readonly knowsTenant: (id: string) => boolean;
  /** The name of the cookie of sessions. */
  readonly sessionCookie: string;
  /** null: the in-memory mode */
  readonly tenants: TenantDeps | null;
  /** null: no issuer of JWTs is configured */
  readonly jwtVerifier: JwtVerifier | null;
  readonly sizes: Sizes;
  readonly unknownFields: UnknownFields;
  readonly log: Logger;
  /** null: nobody asks for them */
  readonly metrics: Metrics | null;
  /** null: nobody collects them */
  readonly traces: Traces | null;
  readonly ready: ReadinessCheck;
  readonly alive: LivenessCheck;
}

export interface AppEnv {
  Bindings: {
    incoming: Incoming;
    outgoing: ServerResponse;
    /**
     * Set where the dashboard calls the API for a form: the id of the form's request, whose `incoming` and `outgoing`
     * these are.
     */
    innerRequestId?: string;
  };
  Variables: {
    requestId: string;
    log: Logger;
    /** Set for every path under /api/v1; well-formed, and verified only by the script that serves the request. */
    credential: Credential;
    /** Set where a session is asked for. */
    user: SessionUser;
    /** What the request came to, where it was carried out item by item. */
    outcome: Outcome;
  };
}
