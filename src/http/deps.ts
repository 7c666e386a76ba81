/**
 * The parts of an instance that the HTTP application is made of. Each route and middleware takes those that it needs.
 */
import type { Logger } from 'pino';
import type { Rules } from '../contract/sizes.ts';
import type { Streams } from '../events/streams.ts';
import type { JwtVerifier } from '../identity/jwtVerifier.ts';
import type { Sealer } from '../identity/sealer.ts';
import type { FailedAuthentications } from '../limits/failedAuthentications.ts';
import type { OperationDeps } from '../operations/deps.ts';
import type { Store } from '../store/records.ts';
import type { Traces } from '../telemetry/traces.ts';
import type { LivenessCheck, ReadinessCheck } from './health.ts';

/** Parts that exist only with a database. */
export interface TenantDeps {
  readonly store: Store;
  readonly sealer: Sealer;
  /** Whether JWT issuers' keys may be fetched from private addresses and without TLS. */
  readonly allowPrivateJwks: boolean;
}

/** How request bodies are checked. */
export type BodyDeps = Rules;

/** How callers are identified, and how often they may fail. */
export interface CallerDeps {
  readonly failedAuthentications: FailedAuthentications;
  /** How many proxies of our own each request passes through. */
  readonly trustedProxies: number;
  /** Whether such a tenant can exist. */
  readonly knowsTenant: (id: string) => boolean;
  /** The name of the session cookie. */
  readonly sessionCookie: string;
}

/** How the process is observed. */
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
