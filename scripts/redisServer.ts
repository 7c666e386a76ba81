/**
 * Starts a private Redis, or the nodes of one, for the default start, tests and benchmarks: one on the PATH, else one
 * installed by the system's package manager. Its socket and data are in a temporary folder. It ends with the process
 * that started it, even if that is killed. Its folder is then deleted.
 */
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GuardedProcess, type GuardOptions, startGuarded } from './guardedProcess.ts';
import { findOrInstall, type Wanted } from './serverProgram.ts';

/** The program that tests run instead of the first one that is found, such as valkey-server. */
const { TEST_REDIS_SERVER } = process.env;

const REDIS: Wanted = {
  title: 'Redis',
  names: TEST_REDIS_SERVER ? [TEST_REDIS_SERVER] : ['redis-server', 'valkey-server'],
  folders: ['/usr/sbin', '/usr/local/bin', '/usr/bin'],
  version: /v=(\d+)/,
  oldestMajor: 7,
  packages: { apt: 'redis-server', apk: 'redis', dnf: 'redis', brew: 'redis' },
  cache: 'redis',
  byHand: 'install redis-server 7 or later, or set REDIS_URL',
};

export interface RedisServer extends GuardedProcess {
  /** The value for REDIS_URL. */
  readonly url: string;
}

/**
 * The options of every Redis here: nothing is evicted, nothing stored on disk unless further options say so, and a name
 * is found in constant time (docs/operations/redis.md#settings).
 */
const LASTING = [
  ...['--save', '', '--appendonly', 'no'],
  ...['--maxmemory-policy', 'noeviction', '--hash-max-listpack-entries', '128'],
];

/**
 * Starts a Redis at a socket.
 * @param say called with a line of text when something is installed
 * @param options.socket the path of the socket; by default in the Redis's folder
 * @param options.folder a folder that stays and keeps the data; by default a temporary one, and no data is kept
 * @throws Error with the reason, if none can be started
 */
export async function startRedis(
  say: (line: string) => void,
  { socket: wanted, folder: kept }: { readonly socket?: string; readonly folder?: string } = {},
): Promise<RedisServer> {
  const folder = kept ?? temporary();
  const socket = wanted ?? join(folder, 'redis.sock');
  const isKept = kept !== undefined;
  const storing = isKept ? ['--appendonly', 'yes'] : [];
  const options = ['--port', '0', '--unixsocket', socket, '--unixsocketperm', '700', ...LASTING, ...storing];
  const guard = { keepsFolder: isKept };
  const server = await startGuarded(findOrInstall(REDIS, say), folder, options, { path: socket }, guard);
  return { url: `unix://${socket}`, ...server };
}

/** A Redis or a sentinel at a port. */
export interface RedisNode extends GuardedProcess {
  readonly host: string;
  readonly port: number;
}

/** Where a Redis or a sentinel runs: by default at 127.0.0.1, in a temporary folder. */
export interface Place extends Omit<GuardOptions, 'keepsFolder'> {
  readonly host?: string;
  /** Of its data and its configuration, which stay. */
  readonly folder?: string;
  /** The command that runs it, such as one that enters a network namespace. */
  readonly runner?: readonly string[];
  /** Added to its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts a Redis at a port, as one of several.
 * @param say as for startRedis()
 * @param options added to the options of every Redis here
 * @throws Error with the reason, if none can be started
 */
export async function startRedisNode(
  say: (line: string) => void,
  port: number,
  options: readonly string[] = [],
  place: Place = {},
): Promise<RedisNode> {
  const ports = options.includes('--tls-port') ? ['--port', '0'] : ['--port', String(port)];
  const { host = '127.0.0.1', folder = temporary() } = place;
  // Redis writes to this file whom it follows, so that it does so again after a restart.
  const file = place.folder === undefined ? [] : [configurationIn(folder, 'redis.conf', '')];
  const bind = ['--bind', host, '--protected-mode', 'no'];
  return startNode(say, port, folder, [...file, ...ports, ...bind, ...LASTING, ...options], place);
}

/**
 * Starts a sentinel.
 * @param say as for startRedis()
 * @param settings lines of its configuration, without the port
 * @param isTls whether it uses TLS with clients and with Redis
 * @throws Error with the reason, if none can be started
 */
export async function startSentinel(
  say: (line: string) => void,
  port: number,
  settings: readonly string[],
  isTls = false,
  place: Place = {},
): Promise<RedisNode> {
  const { host = '127.0.0.1', folder = temporary() } = place;
  const ports = isTls ? ['port 0', `tls-port ${port}`, 'tls-replication yes'] : [`port ${port}`];
  const lines = [...ports, `bind ${host}`, 'protected-mode no', ...settings];
  const file = configurationIn(folder, 'sentinel.conf', `${lines.join('\n')}\n`);
  return startNode(say, port, folder, [file, '--sentinel'], place);
}

const temporary = () => mkdtempSync(join(tmpdir(), 'holdfast-redis-'));

/** Writes a file of configuration, unless an earlier start did. The server changes it. */
function configurationIn(folder: string, name: string, text: string): string {
  const file = join(folder, name);
  if (!existsSync(file)) writeFileSync(file, text);
  return file;
}

async function startNode(
  say: (line: string) => void,
  port: number,
  folder: string,
  options: readonly string[],
  { host = '127.0.0.1', runner = [], env: more = {}, ...place }: Place,
): Promise<RedisNode> {
  const { path, env } = findOrInstall(REDIS, say);
  const [first = path, ...words] = [...runner, path, ...options];
  const guard = { ...place, keepsFolder: place.folder !== undefined };
  const server = await startGuarded({ path: first, env: { ...env, ...more } }, folder, words, { host, port }, guard);
  return { ...server, host, port };
}
