/**
 * The environment, read once (docs/specification.md#store-modes-and-start; .env.example lists it all). Nothing else
 * reads process.env.
 */
import { z } from 'zod';
import { audienceFault } from '../domain/issuerNames.ts';
import { API_KEY, LOCAL_SUBJECT, MAX_LABEL_LENGTH, nameFault, TENANT_ID } from '../domain/names.ts';
import { DEFAULT_SIZES, type Sizes } from '../domain/sizes.ts';
import { DEFAULT_TIERS, TIERS, type TierLimits, type TierTable } from '../domain/tiers.ts';
import { parseRedisAddress } from '../redis/address.ts';
import { isThisMachine } from './machine.ts';

/** The most that a script can take in: Lua passes at most 8,000 values to one Redis command. */
const MAX_BATCH = 2000;

const ApiKey = z
  .object({
    key: z.string().regex(API_KEY, 'must be hf_<tenant id>_<32 or more letters and digits>'),
    tenant: z.string().regex(TENANT_ID, 'must be 1 to 40 lower-case letters, digits and hyphens'),
    tier: z.enum(TIERS),
    label: z
      .string()
      .refine(
        (label) => nameFault(label, MAX_LABEL_LENGTH) === null,
        `must be 1 to ${MAX_LABEL_LENGTH} printable characters`,
      )
      .optional(),
  })
  .refine(({ key, tenant }) => key.startsWith(`hf_${tenant}_`), {
    path: ['key'],
    message: 'must name the same tenant',
  });

const ApiKeys = z
  .array(ApiKey)
  .min(1, 'must hold at least one key')
  .refine((keys) => new Set(keys.map(({ key }) => key)).size === keys.length, 'must not hold a key twice')
  .refine(
    (keys) => keys.every(({ tenant, tier }) => keys.every((other) => other.tenant !== tenant || other.tier === tier)),
    'must give all keys of a tenant the same tier',
  );

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'must be JSON' });
    return z.NEVER;
  }
});

const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be an integer')
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));

const limit = z.union([z.int().min(1), z.null()], 'must be an integer of at least 1, or null for any number');
const partialLimits = z
  .strictObject({
    writesPerMinute: limit,
    readsPerMinute: limit,
    writesPerDay: limit,
    reservations: limit,
    eventConnections: limit,
    apiKeys: limit,
    definitions: limit,
  })
  .partial();
const Tiers = z.partialRecord(z.enum(TIERS), partialLimits);

const DATABASE_PROTOCOL = /^(postgres(ql)?:\/\/.|pglite:.)/;

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

const JwtIssuer = z
  .object({
    tenant: z.string().regex(TENANT_ID, 'must be 1 to 40 lower-case letters, digits and hyphens'),
    issuer: z.string().min(1),
    audience: z.string().min(1),
    jwksUrl: z.url('must be an address'),
  })
  .superRefine(({ tenant, audience }, context) => {
    const fault = audienceFault(audience, tenant);
    if (fault !== null) context.addIssue({ code: 'custom', path: ['audience'], message: fault });
  });
const JwtIssuers = z
  .array(JwtIssuer)
  .refine(
    (issuers) =>
      new Set(issuers.map(({ tenant, issuer, audience }) => JSON.stringify([tenant, issuer, audience]))).size ===
      issuers.length,
    'must not hold an issuer with an audience twice for one tenant',
  );

/** An address of which http is enough only on this machine. */
const httpsOrLoopback = z.url('must be an address').refine((text) => {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && isThisMachine(hostname));
}, 'must be an https address, or one on this machine');

const Environment = z
  .object({
    HOST: z.string().default('127.0.0.1'),
    PORT: integer(0, 65_535).optional(),
    METRICS_PORT: integer(0, 65_535).optional(),
    ROLE: z.enum(['all', 'api', 'worker'], 'must be all, api or worker').default('all'),
    REDIS_URL: z
      .string('must be set, for example redis://localhost:6379 (npm start runs a Redis of its own instead)')
      .superRefine((url, context) => {
        const parsed = parseRedisAddress(url);
        if (typeof parsed === 'string') context.addIssue({ code: 'custom', message: parsed });
      }),
    REDIS_WAIT_REPLICAS: integer(0, 100).default(0),
    DATABASE_URL: z
      .string()
      .regex(DATABASE_PROTOCOL, 'must begin with postgres://, postgresql:// or pglite:')
      .optional(),
    DATABASE_POOL: integer(1, 1000).default(10),
    KEY_SECRET: z.string().min(32, 'must be 32 or more characters').optional(),
    ADMINS: list.default([]),
    ADMIN_GROUP: z.string().optional(),
    OIDC_ISSUER: httpsOrLoopback.optional(),
    OIDC_CLIENT_ID: z.string().optional(),
    OIDC_CLIENT_SECRET: z.string().optional(),
    OIDC_SCOPE: z.string().default('openid email profile'),
    PUBLIC_URL: z
      .url({ protocol: /^https?$/, error: 'must be an http or https address' })
      .refine((text) => new URL(text).href === `${new URL(text).origin}/`, 'must have no path')
      .transform((text) => new URL(text).origin)
      .optional(),
    LOCAL_SIGN_IN: z.enum(['true', 'false'], 'must be true or false').default('false'),
    JWT_ISSUERS: json.pipe(JwtIssuers).optional(),
    JWKS_ALLOW_PRIVATE: z.enum(['true', 'false'], 'must be true or false').default('false'),
    API_KEYS: json.pipe(ApiKeys).optional(),
    TIERS: json.pipe(Tiers).default({}),
    TRUSTED_PROXIES: integer(0, 10).default(0),
    MAX_FAILED_AUTHENTICATIONS: integer(1, 1_000_000).default(100),
    MAX_IN_FLIGHT: integer(1, 1_000_000).default(4096),
    OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
    LOG_LEVEL: z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'must be trace, debug, info, warn, error or silent')
      .default('info'),
    SWEEP_INTERVAL_MS: integer(100, 60_000).default(1000),
    RECONCILE_INTERVAL_MS: integer(1000, 86_400_000).default(60_000),
    DRAIN_DELAY_MS: integer(0, 600_000).default(3000),
    LIVENESS_REDIS_SECONDS: integer(1, 86_400).default(60),
    UNKNOWN_FIELDS: z.enum(['refuse', 'ignore'], 'must be refuse or ignore').default('refuse'),
    MAX_NAME_LENGTH: integer(1, 4096).default(DEFAULT_SIZES.nameLength),
    MAX_TYPE_LENGTH: integer(1, 4096).default(DEFAULT_SIZES.typeLength),
    MAX_TTL_SECONDS: integer(1, 3_153_600_000).default(DEFAULT_SIZES.ttlSeconds),
    MAX_BATCH: integer(1, MAX_BATCH).default(DEFAULT_SIZES.batch),
    MAX_CAPACITY: integer(1, 1_000_000).default(DEFAULT_SIZES.capacity),
    MAX_BLOCKS: integer(0, 256).default(DEFAULT_SIZES.blocks),
    MAX_TREE_DEPTH: integer(1, 64).default(DEFAULT_SIZES.treeDepth),
    MAX_BODY_BYTES: integer(1024, 104_857_600).default(DEFAULT_SIZES.bodyBytes),
  })
  .superRefine((env, context) => {
    const fault = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message });
    if (env.OIDC_ISSUER !== undefined)
      for (const name of ['OIDC_CLIENT_ID', 'PUBLIC_URL', 'DATABASE_URL'] as const)
        if (env[name] === undefined) fault(name, 'must be set where OIDC_ISSUER is');
    if (env.LOCAL_SIGN_IN === 'true') {
      if (env.OIDC_ISSUER !== undefined) fault('LOCAL_SIGN_IN', 'must not be true where OIDC_ISSUER is set');
      if (!isThisMachine(env.HOST) || env.TRUSTED_PROXIES > 0)
        fault('LOCAL_SIGN_IN', 'must not be true where others than this machine can call: HOST, TRUSTED_PROXIES');
    }
    if (env.DATABASE_URL === undefined) return;
    if (env.KEY_SECRET === undefined)
      fault('KEY_SECRET', 'must be set where DATABASE_URL is: 32 or more random characters');
    for (const name of ['API_KEYS', 'JWT_ISSUERS'] as const)
      if (env[name] !== undefined) fault(name, 'must be unset where DATABASE_URL is set: the database has them');
  });

/** Every variable that is read here. */
export const VARIABLES: readonly string[] = Object.keys(Environment.shape);

/** Where tenants are kept, but for the in-memory mode. */
export interface DatabaseConfig {
  readonly url: string;
  /** Connections at most. */
  readonly pool: number;
  /** Under which API keys are sealed. */
  readonly keySecret: string;
}

/** How people sign in to the dashboard: at an OpenID Connect provider; on this machine, by saying so; not at all. */
export type SignInConfig =
  | {
      readonly kind: 'oidc';
      readonly issuer: string;
      readonly clientId: string;
      /** undefined: a public client */
      readonly clientSecret: string | undefined;
      readonly scope: string;
    }
  | { readonly kind: 'local' }
  | { readonly kind: 'none' };

export interface Config {
  readonly host: string;
  /** undefined: 8080 if it is free, else any free port */
  readonly port: number | undefined;
  /** undefined: nothing is measured */
  readonly metricsPort: number | undefined;
  readonly role: 'all' | 'api' | 'worker';
  readonly redisUrl: string;
  /** Replicas that must have what was written before it is answered. */
  readonly waitReplicas: number;
  /** undefined: a tenant and its key are made up at the start */
  readonly apiKeys: readonly z.infer<typeof ApiKey>[] | undefined;
  /** null: the in-memory mode */
  readonly database: DatabaseConfig | null;
  readonly adminRule: { readonly admins: readonly string[]; readonly adminGroup: string | undefined };
  readonly signIn: SignInConfig;
  /** The origin at which people see the service; undefined: wherever they ask for it */
  readonly publicUrl: string | undefined;
  /** Of the in-memory mode. */
  readonly jwtIssuers: readonly z.infer<typeof JwtIssuer>[];
  readonly allowPrivateJwks: boolean;
  readonly tiers: TierTable;
  /** Proxies of our own that each request comes through. */
  readonly trustedProxies: number;
  /** Failed authentications that a client address may have in a minute. */
  readonly maxFailedAuthentications: number;
  /** Requests that may be in flight before more are refused. */
  readonly maxInFlight: number;
  /** Of the collector of traces; undefined: nothing is traced */
  readonly tracesEndpoint: string | undefined;
  readonly logLevel: string;
  readonly sweepIntervalMs: number;
  readonly reconcileIntervalMs: number;
  /** From SIGTERM on, for which all is still served: until balancers have seen that this instance is not ready. */
  readonly drainDelayMs: number;
  /** After which an instance that has lost a Redis that others can reach is not alive. */
  readonly livenessRedisMs: number;
  readonly sizes: Sizes;
  /** What becomes of fields of a request that nobody knows. */
  readonly unknownFields: 'refuse' | 'ignore';
}

/** A configuration that cannot work; the message names every fault, on one line. */
export class ConfigError extends Error {}

/**
 * Reads the configuration. A variable set to nothing counts as unset.
 * @throws ConfigError
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const { data, error } = Environment.safeParse(set);
  if (error !== undefined) {
    // Messages never repeat a value: it may be a key.
    const faults = error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    throw new ConfigError(`bad configuration: ${faults.join('; ')}`);
  }
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
    signIn: signInOf(data),
    publicUrl: data.PUBLIC_URL,
    jwtIssuers: data.JWT_ISSUERS ?? [],
    allowPrivateJwks: data.JWKS_ALLOW_PRIVATE === 'true',
    tiers: withOverrides(data.TIERS),
    trustedProxies: data.TRUSTED_PROXIES,
    maxFailedAuthentications: data.MAX_FAILED_AUTHENTICATIONS,
    maxInFlight: data.MAX_IN_FLIGHT,
    tracesEndpoint: data.OTEL_EXPORTER_OTLP_ENDPOINT,
    logLevel: data.LOG_LEVEL,
    sweepIntervalMs: data.SWEEP_INTERVAL_MS,
    reconcileIntervalMs: data.RECONCILE_INTERVAL_MS,
    drainDelayMs: data.DRAIN_DELAY_MS,
    livenessRedisMs: data.LIVENESS_REDIS_SECONDS * 1000,
    sizes: {
      nameLength: data.MAX_NAME_LENGTH,
      typeLength: data.MAX_TYPE_LENGTH,
      ttlSeconds: data.MAX_TTL_SECONDS,
      batch: data.MAX_BATCH,
      capacity: data.MAX_CAPACITY,
      blocks: data.MAX_BLOCKS,
      treeDepth: data.MAX_TREE_DEPTH,
      bodyBytes: data.MAX_BODY_BYTES,
    },
    unknownFields: data.UNKNOWN_FIELDS,
  };
}

function signInOf({
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: clientId,
  OIDC_CLIENT_SECRET: clientSecret,
  OIDC_SCOPE: scope,
  LOCAL_SIGN_IN: local,
}: z.infer<typeof Environment>): SignInConfig {
  if (issuer !== undefined && clientId !== undefined) return { kind: 'oidc', issuer, clientId, clientSecret, scope };
  return { kind: local === 'true' ? 'local' : 'none' };
}

/** The table of tiers with what the configuration sets put in. */
function withOverrides(overrides: z.infer<typeof Tiers>): TierTable {
  const of = (tier: keyof TierTable): TierLimits => {
    const set = Object.entries(overrides[tier] ?? {}).filter(([, limit]) => limit !== undefined);
    return { ...DEFAULT_TIERS[tier], ...Object.fromEntries(set) };
  };
  return { Free: of('Free'), Starter: of('Starter'), Pro: of('Pro'), Enterprise: of('Enterprise') };
}
