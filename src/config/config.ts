/**
 * Reads the configuration from the environment, once. Nothing else reads process.env.
 */
import type { z } from 'zod';
import { KEPT_ENTRIES } from '../domain/history.ts';
import type { Sizes } from '../domain/maxSizes.ts';
import { LOCAL_SUBJECT } from '../domain/names.ts';
import { DEFAULT_TIERS, type TierLimits, type TierTable } from '../domain/tiers.ts';
import { Environment, misspelt, VARIABLES } from './environment.ts';
import type { ApiKeys, JwtIssuers, Members, Tiers } from './formats.ts';

/** The database that tenants are kept in, unless the service runs in in-memory mode. */
export interface DatabaseConfig {
  readonly url: string;
  /** Maximum number of connections. */
  readonly pool: number;
  /** The secret that API keys are encrypted with. */
  readonly keySecret: string;
}

export interface MailConfig {
  readonly smtpUrl: string;
  /** The address of the sender. */
  readonly from: string;
}

/** Ways to sign in: at an OpenID Connect provider, by the link that the start prints, by a key, or not at all. */
export type SignInConfig =
  | {
      readonly kind: 'oidc';
      readonly issuer: string;
      readonly clientId: string;
      /** undefined: a public client */
      readonly clientSecret: string | undefined;
      readonly scope: string;
      /** The secret that cookies of sign-ins in progress are encrypted with. */
      readonly cookieSecret: string;
    }
  | { readonly kind: 'local' }
  /** With an unrestricted API key. */
  | { readonly kind: 'key' }
  | { readonly kind: 'none' };

export interface Config {
  readonly host: string;
  /** undefined: 8080 if it is free, else any free port */
  readonly port: number | undefined;
  /** undefined: metrics are off */
  readonly metricsPort: number | undefined;
  readonly role: 'all' | 'api' | 'worker';
  readonly redisUrl: string;
  /** Replicas that must confirm a write before its caller gets a response. */
  readonly waitReplicas: number;
  /** undefined: a tenant and its key are made up at start */
  readonly apiKeys: z.infer<typeof ApiKeys> | undefined;
  /** null: the in-memory mode */
  readonly database: DatabaseConfig | null;
  readonly adminRule: { readonly admins: readonly string[]; readonly adminGroup: string | undefined };
  readonly signIn: SignInConfig;
  /** The origin of the service's public URL; undefined: the origin of each request */
  readonly publicUrl: string | undefined;
  /** null: no e-mail is sent */
  readonly mail: MailConfig | null;
  /** The private key for push messages, in base64; null: nothing is pushed */
  readonly vapidKey: string | null;
  /** The issuers of JWTs of the in-memory mode. */
  readonly jwtIssuers: z.infer<typeof JwtIssuers>;
  /** Who may sign in to which tenant in the in-memory mode. */
  readonly members: z.infer<typeof Members>;
  readonly allowPrivateJwks: boolean;
  /** The addresses that webhooks may have, beside public https ones. */
  readonly webhookRules: { readonly allowPrivate: boolean; readonly allowHttp: boolean };
  readonly tiers: TierTable;
  /** Number of trusted proxies that each request passes through. */
  readonly trustedProxies: number;
  /** Maximum number of failed authentications of a client address in a minute. */
  readonly maxFailedAuthentications: number;
  /** Maximum number of requests in flight. Further requests are refused. */
  readonly maxInFlight: number;
  /** Maximum number of requests that wait in a long poll. Further ones are refused. */
  readonly maxLongPolls: number;
  /** The OTLP endpoint that traces are sent to; undefined: tracing is off */
  readonly tracesEndpoint: string | undefined;
  readonly logLevel: string;
  /** some: those that failed, were refused or were slow */
  readonly logRequests: 'some' | 'all';
  /** Time for which requests are served after SIGTERM, so that load balancers see that this instance is not ready. */
  readonly drainDelayMs: number;
  /** Time without a Redis that new clients can reach, after which the liveness check fails. */
  readonly livenessRedisMs: number;
  readonly sizes: Sizes;
  /** Warnings for the operator: settings that work, but are probably mistakes. */
  readonly warnings: readonly string[];
}

/** The configuration cannot work. The message names every fault, on one line. */
export class ConfigError extends Error {
  /** Sentences. None contains a value, which may be a secret. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`bad configuration: ${faults.join('; ')}`);
    this.faults = faults;
  }
}

const NO_SIGN_IN =
  'Nobody can sign in, since DATABASE_URL is set without OIDC_ISSUER or LOCAL_SIGN_IN: a new database has no tenant and no key, and nobody can make one';

/** The fault of a value whose schema has no words of its own. */
const faultOf = (issue: z.core.$ZodRawIssue) => {
  if (issue.input === undefined) return 'is required';
  return issue.code === 'invalid_value' ? `must be one of ${issue.values.join(', ')}` : undefined;
};

/**
 * Reads the configuration. A variable that is set to an empty text counts as unset.
 * @throws ConfigError
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '' && value !== undefined));
  const typos = misspelt(Object.keys(set), VARIABLES);
  const { data, error } = Environment.safeParse(set, { error: faultOf });
  if (error !== undefined) {
    const faults = error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    throw new ConfigError([...faults, ...typos]);
  }
  const signIn = signInOf(data);
  const canNobodySignIn = data.DATABASE_URL !== undefined && signIn.kind === 'none' && data.ROLE !== 'worker';
  return {
    host: data.HOST,
    port: data.PORT,
    metricsPort: data.METRICS_PORT,
    role: data.ROLE,
    redisUrl: data.REDIS_URL,
    waitReplicas: data.REDIS_WAIT_REPLICAS,
    apiKeys: data.API_KEYS,
    database:
      data.DATABASE_URL === undefined
        ? null
        : { url: data.DATABASE_URL, pool: data.DATABASE_POOL, keySecret: data.KEY_SECRET ?? '' },
    adminRule: {
      admins: data.LOCAL_SIGN_IN === 'true' ? [...data.ADMINS, LOCAL_SUBJECT] : data.ADMINS,
      adminGroup: data.ADMIN_GROUP,
    },
    signIn,
    publicUrl: data.PUBLIC_URL,
    mail:
      data.SMTP_URL === undefined || data.MAIL_FROM === undefined
        ? null
        : { smtpUrl: data.SMTP_URL, from: data.MAIL_FROM },
    vapidKey: data.VAPID_PRIVATE_KEY ?? null,
    jwtIssuers: data.JWT_ISSUERS ?? [],
    members: data.MEMBERS ?? [],
    allowPrivateJwks: data.JWKS_ALLOW_PRIVATE === 'true',
    webhookRules: {
      allowPrivate: data.WEBHOOK_ALLOW_PRIVATE === 'true',
      allowHttp: data.WEBHOOK_ALLOW_HTTP === 'true',
    },
    tiers: withOverrides(data.TIERS, data.DATABASE_URL !== undefined),
    trustedProxies: data.TRUSTED_PROXIES,
    maxFailedAuthentications: data.MAX_FAILED_AUTHENTICATIONS,
    maxInFlight: data.MAX_IN_FLIGHT,
    maxLongPolls: data.MAX_LONG_POLLS,
    tracesEndpoint: data.OTEL_EXPORTER_OTLP_ENDPOINT,
    logLevel: data.LOG_LEVEL,
    logRequests: data.LOG_REQUESTS,
    drainDelayMs: data.DRAIN_DELAY_SECONDS * 1000,
    livenessRedisMs: data.LIVENESS_REDIS_SECONDS * 1000,
    sizes: {
      ttlSeconds: data.MAX_TTL_SECONDS,
      batch: data.MAX_BATCH,
      waitSeconds: data.MAX_WAIT_SECONDS,
      bodyBytes: data.MAX_BODY_BYTES,
    },
    warnings: canNobodySignIn ? [...typos, NO_SIGN_IN] : typos,
  };
}

function signInOf({
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: clientId,
  OIDC_CLIENT_SECRET: clientSecret,
  OIDC_SCOPE: scope,
  KEY_SECRET: cookieSecret = '',
  LOCAL_SIGN_IN: local,
}: z.infer<typeof Environment>): SignInConfig {
  if (issuer !== undefined && clientId !== undefined)
    return { kind: 'oidc', issuer, clientId, clientSecret, scope, cookieSecret };
  return { kind: ({ true: 'local', key: 'key', false: 'none' } as const)[local] };
}

/** The table of tiers, with the limits that the configuration overrides. Redis alone keeps less history. */
function withOverrides(overrides: z.infer<typeof Tiers>, hasDatabase: boolean): TierTable {
  const of = (tier: keyof TierTable): TierLimits => {
    const set = Object.entries(overrides[tier] ?? {}).filter(([, limit]) => limit !== undefined);
    const limits: TierLimits = { ...DEFAULT_TIERS[tier], ...Object.fromEntries(set) };
    const kept = Math.min(limits.historyEntries ?? KEPT_ENTRIES, KEPT_ENTRIES);
    return hasDatabase ? limits : { ...limits, historyEntries: kept };
  };
  return { Free: of('Free'), Starter: of('Starter'), Pro: of('Pro'), Enterprise: of('Enterprise') };
}
