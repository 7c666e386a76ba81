/**
 * Says what an instance with a configuration would be: the answer of --check-config. It contains no secrets.
 */
import { parseRedisAddress } from '../redis/address.ts';
import type { Config, SignInConfig } from './config.ts';
import { DEFAULT_PORT } from './environment.ts';

const ROLES = {
  all: 'all: API and background jobs',
  api: 'api: the API alone',
  worker: 'worker: background jobs alone',
};

/** @returns lines, each with a line break, for a configuration without faults */
export function reportOf(config: Config): string {
  const { host, port = `${DEFAULT_PORT}, or any free port`, metricsPort, role, redisUrl, publicUrl, warnings } = config;
  const rows = [
    ['role', ROLES[role]],
    ['address', `${host}, port ${port}`],
    ['metrics', metricsPort === undefined ? 'off' : `port ${metricsPort}`],
    ['public URL', publicUrl ?? 'not configured'],
    ['Redis', shownRedis(redisUrl)],
    ['tenants', tenantsOf(config)],
    ['sign-in', shownSignIn(config.signIn)],
  ];
  const lines = [
    'OK: the configuration is valid. Nothing was started or connected.',
    ...rows.map(([name = '', value]) => `  ${name.padEnd(12)}${value}`),
    ...warnings.map((warning) => `Warning: ${warning}`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function tenantsOf({ database, apiKeys }: Config): string {
  if (database !== null) return `in the database ${shownUrl(database.url)}`;
  if (apiKeys === undefined) return 'in memory: one tenant, with a new key that is printed at the start';
  const tenants = new Set(apiKeys.map(({ tenant }) => tenant));
  return `in memory: ${[...tenants].join(', ')} (API_KEYS)`;
}

const shownSignIn = (signIn: SignInConfig): string =>
  ({
    oidc: `OpenID Connect, ${signIn.kind === 'oidc' ? signIn.issuer : ''}`,
    local: 'local, by the link that the start prints',
    key: 'with an API key',
    none: 'nobody can sign in to the dashboard',
  })[signIn.kind];

/** Returns the nodes without user and password. */
function shownRedis(url: string): string {
  const parsed = parseRedisAddress(url);
  if (typeof parsed === 'string') return parsed;
  if (parsed.kind === 'single') return shownUrl(url);
  const nodes = parsed.kind === 'cluster' ? parsed.nodes : parsed.sentinels;
  const list = nodes.map(({ host, port }) => `${host}:${port}`).join(', ');
  const what = parsed.kind === 'cluster' ? 'a cluster, found through' : `the primary ${parsed.name} of the sentinels`;
  return `${what} ${list}${parsed.tls ? ', by TLS' : ''}`;
}

/** Returns an address without user, password and parameters. */
function shownUrl(url: string): string {
  if (!URL.canParse(url)) return '(its address is not shown)';
  const { protocol, host, pathname } = new URL(url);
  return protocol === 'pglite:' ? url : `${protocol}//${host}${pathname}`;
}
