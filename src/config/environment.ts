/**
 * Every environment variable with its format and its default, and the rules between variables
 * (docs/specification.md#store-modes-and-start; .env.example describes them).
 */
import { z } from 'zod';
import { DEFAULT_SIZES } from '../domain/maxSizes.ts';
import { parseRedisAddress } from '../redis/address.ts';
import { ApiKeys, httpAddress, httpsOrLoopback, integer, JwtIssuers, json, list, Members, Tiers } from './formats.ts';
import { isThisMachine } from './machine.ts';

/** The port if PORT is not set. If it is taken, any free port is used. */
export const DEFAULT_PORT = 8080;

/** The largest batch that a script can take: Lua passes at most 8,000 values to one Redis command. */
const MAX_BATCH = 2000;

const DATABASE_PROTOCOL = /^(postgres(ql)?:\/\/.|pglite:.)/;

/** The variables. A setting without a default is optional, except REDIS_URL. */
const Variables = z.object({
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
  DATABASE_URL: z.string().regex(DATABASE_PROTOCOL, 'must begin with postgres://, postgresql:// or pglite:').optional(),
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
  MEMBERS: json.pipe(Members).optional(),
  TIERS: json.pipe(Tiers).default({}),
  TRUSTED_PROXIES: integer(0, 10).default(0),
  MAX_FAILED_AUTHENTICATIONS: integer(1, 1_000_000).default(100),
  MAX_IN_FLIGHT: integer(1, 1_000_000).default(4096),
  // Held calls are not in flight. Each takes about as much memory as an open connection.
  MAX_HELD_CALLS: integer(1, 1_000_000).default(10_000),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpAddress.optional(),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'must be trace, debug, info, warn, error or silent')
    .default('info'),
  LOG_REQUESTS: z.enum(['some', 'all'], 'must be some or all').default('some'),
  SWEEP_INTERVAL_MS: integer(100, 60_000).default(1000),
  RECONCILE_INTERVAL_MS: integer(1000, 86_400_000).default(60_000),
  DRAIN_DELAY_MS: integer(0, 600_000).default(3000),
  LIVENESS_REDIS_SECONDS: integer(1, 86_400).default(60),
  UNKNOWN_FIELDS: z.enum(['refuse', 'ignore'], 'must be refuse or ignore').default('refuse'),
  MAX_NAME_LENGTH: integer(1, 4096).default(DEFAULT_SIZES.nameLength),
  MAX_TYPE_LENGTH: integer(1, 4096).default(DEFAULT_SIZES.typeLength),
  MAX_NOTE_LENGTH: integer(1, 4096).default(DEFAULT_SIZES.noteLength),
  MAX_TTL_SECONDS: integer(1, 3_153_600_000).default(DEFAULT_SIZES.ttlSeconds),
  MAX_WAIT_SECONDS: integer(0, 31_536_000).default(DEFAULT_SIZES.waitSeconds),
  MAX_WAITING_ITEMS: integer(1, 200).default(DEFAULT_SIZES.waitingItems),
  MAX_WAITING_BYTES: integer(1024, 32_768).default(DEFAULT_SIZES.waitingBytes),
  MAX_BATCH: integer(1, MAX_BATCH).default(DEFAULT_SIZES.batch),
  MAX_CAPACITY: integer(1, 1_000_000).default(DEFAULT_SIZES.capacity),
  MAX_BLOCKS: integer(0, 256).default(DEFAULT_SIZES.blocks),
  MAX_LABELS: integer(0, 64).default(DEFAULT_SIZES.labels),
  MAX_TREE_DEPTH: integer(1, 64).default(DEFAULT_SIZES.treeDepth),
  MAX_BODY_BYTES: integer(1024, 104_857_600).default(DEFAULT_SIZES.bodyBytes),
});

export const Environment = Variables.superRefine((env, context) => {
  const fault = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message });
  if (env.OIDC_ISSUER !== undefined) {
    for (const name of ['OIDC_CLIENT_ID', 'PUBLIC_URL'] as const)
      if (env[name] === undefined) fault(name, 'must be set where OIDC_ISSUER is');
    if (env.DATABASE_URL === undefined) {
      if (env.KEY_SECRET === undefined)
        fault('KEY_SECRET', 'must be set where OIDC_ISSUER is: 32 or more random characters');
      if (env.MEMBERS === undefined)
        fault('MEMBERS', 'must be set where OIDC_ISSUER is and DATABASE_URL is not: it says who may sign in');
    }
  }
  if (env.LOCAL_SIGN_IN === 'true') {
    if (env.OIDC_ISSUER !== undefined) fault('LOCAL_SIGN_IN', 'must not be true where OIDC_ISSUER is set');
    if (!isThisMachine(env.HOST) || env.TRUSTED_PROXIES > 0)
      fault('LOCAL_SIGN_IN', 'must not be true where others than this machine can call: HOST, TRUSTED_PROXIES');
  }
  if (env.DATABASE_URL === undefined) {
    const configured = new Set(env.API_KEYS?.map(({ tenant }) => tenant));
    env.MEMBERS?.forEach(({ tenant }, i) => {
      if (!configured.has(tenant))
        context.addIssue({ code: 'custom', path: ['MEMBERS', i, 'tenant'], message: 'must be a tenant of API_KEYS' });
    });
    return;
  }
  if (env.KEY_SECRET === undefined)
    fault('KEY_SECRET', 'must be set where DATABASE_URL is: 32 or more random characters');
  for (const name of ['API_KEYS', 'JWT_ISSUERS', 'MEMBERS'] as const)
    if (env[name] !== undefined) fault(name, 'must be unset where DATABASE_URL is set: the database has them');
});

/** The names of all variables. */
export const VARIABLES: readonly string[] = Object.keys(Variables.shape);
