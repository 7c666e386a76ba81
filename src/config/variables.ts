/**
 * Every environment variable with its format, its default and its meaning, by topic. --help and .env.example are made
 * from this. The rules between variables are in environment.ts.
 */
import { z } from 'zod';
import { DEFAULT_SIZES } from '../domain/maxSizes.ts';
import { isVapidKey } from '../identity/vapidKey.ts';
import { parseRedisAddress } from '../redis/address.ts';
import { ApiKeys, httpAddress, httpsOrLoopback, integer, JwtIssuers, json, list, Members, Tiers } from './formats.ts';

/** The largest batch that a script can take: Lua passes at most 8,000 values to one Redis command. */
const MAX_BATCH = 2000;

const DATABASE_PROTOCOL = /^(postgres(ql)?:\/\/.|pglite:.)/;

/** The role of an instance, and its addresses. */
const INSTANCE = {
  HOST: z.string().default('127.0.0.1').describe('The address to listen on. In a container use 0.0.0.0.'),
  PORT: integer(0, 65_535)
    .optional()
    .describe('The port to listen on. If unset: 8080 if it is free, else any free port.'),
  METRICS_PORT: integer(0, 65_535)
    .optional()
    .describe(
      'The port of GET /metrics for Prometheus, on HOST. Do not expose it to the public. If unset, metrics are off.',
    ),
  ROLE: z
    .enum(['all', 'api', 'worker'], 'must be all, api or worker')
    .default('all')
    .describe('all: API and background jobs in one process. api or worker: only one of them.'),
  TRUSTED_PROXIES: integer(0, 10)
    .default(0)
    .describe(
      'The number of your own proxies in front of the instances. The address of a client is taken from X-Forwarded-For accordingly.',
    ),
  DRAIN_DELAY_SECONDS: integer(0, 600)
    .default(3)
    .describe(
      'After SIGTERM, requests are still served for so many seconds. Load balancers must notice by then that the instance is not ready.',
    ),
};

const REDIS = {
  REDIS_URL: z
    .string(
      'must be set, for example redis://redis:6379. To try Holdfast without a Redis of your own, use the image holdfast:standalone',
    )
    .superRefine((url, context) => {
      const parsed = parseRedisAddress(url);
      if (typeof parsed === 'string') context.addIssue({ code: 'custom', message: parsed });
    })
    .describe(
      `Redis 7 or later, with maxmemory-policy noeviction. Required, except by npm start, which runs a private Redis without it.
One server:  redis://user:password@host:6379/0 or unix:///path/to/redis.sock
Sentinels:   redis+sentinel://user:password@a:26379,b,c/name/0, and ?sentinelPassword=... if the sentinels require one
A cluster:   redis+cluster://user:password@a:6379,b,c
With TLS:    rediss in place of redis`,
    ),
  REDIS_WAIT_REPLICAS: integer(0, 100)
    .default(0)
    .describe(
      'The number of replicas that must confirm a write before its response. If too few confirm within 500 ms, the response is 503. Set it to the number of all replicas of a primary: with fewer, a failover can undo writes that had been answered.',
    ),
  LIVENESS_REDIS_SECONDS: integer(1, 86_400)
    .default(60)
    .describe(
      'After how many seconds GET /healthz returns 503, if the connections of the instance fail although new ones work. A restart helps then. While Redis itself is unreachable, a restart does not help, and /healthz returns 200.',
    ),
};

const DATABASE = {
  DATABASE_URL: z
    .string()
    .regex(DATABASE_PROTOCOL, 'must begin with postgres://, postgresql:// or pglite:')
    .optional()
    .describe(
      'The database of tenants, keys and definitions: postgres://user:password@host/name, or pglite:<folder> for a database in this process. If unset, tenants come from API_KEYS, and definitions are stored in Redis only.',
    ),
  DATABASE_POOL: integer(1, 1000)
    .default(10)
    .describe(
      'The maximum number of database connections of an instance. For each connection 100 calls may be in flight or queued. More calls get 503.',
    ),
  KEY_SECRET: z
    .string()
    .min(32, 'must be 32 or more characters')
    .optional()
    .describe(
      'Required with DATABASE_URL or OIDC_ISSUER: 32 or more random characters that encrypt stored API keys, addresses and secrets of subscriptions, and cookies of sign-ins in progress. If the secret changes, existing keys still work but can no longer be shown, and subscriptions stop until they get their addresses and secrets anew.',
    ),
};

const SIGN_IN = {
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .refine((text) => new URL(text).href === `${new URL(text).origin}/`, 'must have no path')
    .transform((text) => new URL(text).origin)
    .optional()
    .describe(
      'Required with OIDC_ISSUER: the public origin of the service, such as https://holdfast.example. With https, cookies are for TLS only.',
    ),
  OIDC_ISSUER: httpsOrLoopback
    .optional()
    .describe(
      'The OpenID Connect provider for dashboard sign-in (code flow with PKCE). Needs OIDC_CLIENT_ID, KEY_SECRET, PUBLIC_URL, and DATABASE_URL or MEMBERS. Register the redirect address <PUBLIC_URL>/auth/callback at the provider.',
    ),
  OIDC_CLIENT_ID: z.string().optional().describe('The client that is registered at the provider.'),
  OIDC_CLIENT_SECRET: z.string().optional().describe('The secret of the client. If unset, it is a public client.'),
  OIDC_SCOPE: z
    .string()
    .default('openid email profile')
    .describe('The scopes to request. Add the one that makes the provider report groups, if you use groups.'),
  ADMINS: list
    .default([])
    .describe(
      'The administrators of all tenants, separated by commas. An entry with an @ is compared with verified e-mail addresses, any other entry with subjects of the provider. The rights last for 15 minutes after a sign-in.',
    ),
  ADMIN_GROUP: z.string().optional().describe('A group of the provider whose members are administrators, too.'),
  LOCAL_SIGN_IN: z
    .enum(['true', 'key', 'false'], 'must be true, key or false')
    .default('false')
    .describe(
      'true: the start prints a link that signs in to the dashboard once, without a password, and another after each sign-in. Only allowed if HOST is an address of this machine and there are no proxies. npm start sets it if nothing is configured. key: users sign in with an unrestricted API key, from anywhere, as an owner of its tenant. Only without a database.',
    ),
};

const TENANTS_WITHOUT_DATABASE = {
  API_KEYS: json
    .pipe(ApiKeys)
    .optional()
    .describe(
      `The tenants and their keys, as JSON. The tier is Free, Starter, Pro or Enterprise. label, permission (full, reserve or read), prefix (of the names that the key may change) and expiresAt are optional. If unset, a tenant local with a new key is used, and the key is printed.
[{"key": "hf_acme_<32 to 200 letters and digits>", "tenant": "acme", "tier": "Pro", "label": "worker", "prefix": "ci/"}]`,
    ),
  MEMBERS: json
    .pipe(Members)
    .optional()
    .describe(
      `Who may sign in to which tenant of API_KEYS, as JSON. A verified e-mail address or a group of the provider has a role (viewer, member, operator or owner). Required with OIDC_ISSUER if DATABASE_URL is unset.
[{"email": "ann@acme.example", "tenant": "acme", "role": "operator"}, {"group": "lab", "tenant": "acme", "role": "member"}]`,
    ),
  JWT_ISSUERS: json
    .pipe(JwtIssuers)
    .optional()
    .describe(
      `The issuers whose JWTs can be exchanged for tokens, as JSON. Each has the fields of a registration, and a tenant. A change holds for exchanges after the restart: tokens that were made before live on, for 15 minutes at most.
[{"tenant": "acme", "id": "github", "issuer": "https://token.actions.githubusercontent.com", "audience": "holdfast:acme", "jwksUrl": "https://token.actions.githubusercontent.com/.well-known/jwks", "conditions": {"repository_id": "4711"}, "requester": "{repository}#{run_id}", "instances": true}]`,
    ),
};

const LIMITS = {
  TIERS: json
    .pipe(Tiers)
    .default({})
    .describe(
      `The limits that differ from the defaults of their tier, as JSON. The example has every limit. null means no limit.
{"Free": {"writesPerMinute": 600}, "Pro": {"writesPerDay": 1000000, "readsPerMinute": null, "reservations": 200000, "bookings": 20000, "eventConnections": 50, "apiKeys": 200, "notices": 50, "definitions": 50000, "bytes": 1073741824, "auditDays": null, "historyDays": 180, "historyEntries": null}}`,
    ),
  MAX_FAILED_AUTHENTICATIONS: integer(1, 1_000_000)
    .default(100)
    .describe(
      'The maximum number of failed authentications of a client address in a minute. Further requests of the address are refused, unless their key is valid.',
    ),
  MAX_IN_FLIGHT: integer(1, 1_000_000)
    .default(4096)
    .describe(
      'The maximum number of requests in flight, without event streams. More requests get 503. This bounds memory while requests wait for Redis, about 30 KiB each. Requests that exceed the CPU are refused in any case.',
    ),
  // Each takes about as much memory as an open connection.
  MAX_LONG_POLLS: integer(1, 1_000_000)
    .default(10_000)
    .describe(
      'The maximum number of requests of an instance that wait in a long poll. They are not in flight. If there are more, the oldest of the tenant that has most is answered WAITING.',
    ),
  JWKS_ALLOW_PRIVATE: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .describe("true: issuers' keys may be fetched from private addresses and without TLS."),
};

const size = (min: number, max: number, usual: number, meaning: string) =>
  integer(min, max).default(usual).describe(meaning);

const SIZES = {
  MAX_TTL_SECONDS: size(
    1,
    3_153_600_000,
    DEFAULT_SIZES.ttlSeconds,
    'The maximum of ttlSeconds, the length of a lease.',
  ),
  MAX_BATCH: size(1, MAX_BATCH, DEFAULT_SIZES.batch, 'The maximum number of items of a request.'),
  MAX_BODY_BYTES: size(1024, 104_857_600, DEFAULT_SIZES.bodyBytes, 'The maximum size of a request body, in bytes.'),
  MAX_WAIT_SECONDS: size(
    0,
    31_536_000,
    DEFAULT_SIZES.waitSeconds,
    'The maximum of waitSeconds, the time that a request may wait for its turn.',
  ),
};

const OBSERVATION = {
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'must be trace, debug, info, warn, error or silent')
    .default('info')
    .describe('The lowest level that is logged: trace, debug, info, warn or error; or silent.'),
  LOG_REQUESTS: z
    .enum(['some', 'all'], 'must be some or all')
    .default('some')
    .describe(
      'Which requests are logged: some (those that failed, were refused or took longer than a second) or all. GET /healthz and GET /readyz are logged at the level debug only.',
    ),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpAddress
    .optional()
    .describe(
      'The OTLP receiver (HTTP) for traces, such as http://collector:4318. If unset, tracing is off. Other variables of OpenTelemetry also work: OTEL_EXPORTER_OTLP_HEADERS, OTEL_TRACES_SAMPLER, OTEL_SERVICE_NAME and so on.',
    ),
};

const MAIL = {
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be smtp://user:password@host:587 or smtps://user:password@host:465' })
    .optional()
    .describe(
      'The server that e-mail is sent by: smtp://user:password@host:587 (STARTTLS if the server offers it; with ?requireTLS=true always) or smtps://user:password@host:465. Needs DATABASE_URL, MAIL_FROM and PUBLIC_URL. If unset, no e-mail is sent.',
    ),
  MAIL_FROM: z
    .email('must be an e-mail address')
    .optional()
    .describe('The address that e-mail is sent from, such as holdfast@acme.example.'),
};

const PUSH = {
  VAPID_PRIVATE_KEY: z
    .string()
    .refine(isVapidKey, 'must be 32 random bytes in base64, such as from: openssl rand -base64 32')
    .optional()
    .describe(
      'The key that push messages to browsers and phones are signed with: 32 random bytes in base64, such as from "openssl rand -base64 32". Needs DATABASE_URL and PUBLIC_URL. If unset, nothing is pushed. If the key changes, people have to turn on push again.',
    ),
};

const WEBHOOKS = {
  WEBHOOK_ALLOW_PRIVATE: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .describe(
      'true: webhooks may have private addresses. Link-local ones, as those of the metadata of clouds, are refused in any case.',
    ),
  WEBHOOK_ALLOW_HTTP: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .describe('true: webhooks may have http addresses, without TLS.'),
};

/** The schema of all variables. A setting without a default is optional, except REDIS_URL. */
export const Variables = z.object({
  ...INSTANCE,
  ...REDIS,
  ...DATABASE,
  ...SIGN_IN,
  ...TENANTS_WITHOUT_DATABASE,
  ...WEBHOOKS,
  ...MAIL,
  ...PUSH,
  ...LIMITS,
  ...SIZES,
  ...OBSERVATION,
});

/** The names of the variables by topic, in the order in which they are described. */
export const TOPICS: readonly { readonly title: string; readonly names: readonly string[] }[] = [
  { title: 'The instance', names: Object.keys(INSTANCE) },
  { title: 'Redis', names: Object.keys(REDIS) },
  { title: 'The database', names: Object.keys(DATABASE) },
  { title: 'Signing in to the dashboard', names: Object.keys(SIGN_IN) },
  { title: 'Tenants without a database', names: Object.keys(TENANTS_WITHOUT_DATABASE) },
  { title: 'Webhooks', names: Object.keys(WEBHOOKS) },
  { title: 'E-mail', names: Object.keys(MAIL) },
  { title: 'Push messages', names: Object.keys(PUSH) },
  { title: 'Logs and traces', names: Object.keys(OBSERVATION) },
  { title: 'Limits', names: Object.keys(LIMITS) },
  { title: 'Maximum sizes of requests', names: Object.keys(SIZES) },
];
