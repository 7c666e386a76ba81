/**
 * Starts a private Redis, or the nodes of one, for the default start, tests and benchmarks: one on the PATH, else one
 * installed by the system's package manager. Its socket and data are in a temporary folder. It ends with the process
 * that started it, even if that is killed. Its folder is then deleted.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GuardedProcess, startGuarded } from './guardedProcess.ts';
import { findOrInstall, type Wanted } from './serverProgram.ts';

const REDIS: Wanted = {
  title: 'Redis',
  names: ['redis-server', 'valkey-server'],
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

/** The options of every Redis here: nothing is stored on disk or evicted. */
const LASTING = ['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction'];

/**
 * Starts a Redis at a socket.
 * @param say called with a line of text when something is installed
 * @param options.socket the path of the socket; by default in the Redis's folder
 * @throws Error with the reason, if none can be started
 */
export async function startRedis(
  say: (line: string) => void,
  { socket: wanted }: { readonly socket?: string } = {},
): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-redis-'));
  const socket = wanted ?? join(folder, 'redis.sock');
  const options = ['--port', '0', '--unixsocket', socket, '--unixsocketperm', '700', ...LASTING];
  const { pid, stop } = await startGuarded(findOrInstall(REDIS, say), folder, options, { path: socket });
  return { url: `unix://${socket}`, pid, stop };
}

/** A Redis or a sentinel at a port of this machine. */
export interface RedisNode extends GuardedProcess {
  readonly port: number;
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
): Promise<RedisNode> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-redis-'));
  const ports = options.includes('--tls-port') ? ['--port', '0'] : ['--port', String(port)];
  return {
    port,
    ...(await startGuarded(
      findOrInstall(REDIS, say),
      folder,
      [...ports, '--bind', '127.0.0.1', ...LASTING, ...options],
      { port },
    )),
  };
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
): Promise<RedisNode> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-redis-'));
  const file = join(folder, 'sentinel.conf');
  writeFileSync(
    file,
    `${[isTls ? `port 0\ntls-port ${port}\ntls-replication yes` : `port ${port}`, 'bind 127.0.0.1', ...settings].join('\n')}\n`,
  );
  return { port, ...(await startGuarded(findOrInstall(REDIS, say), folder, [file, '--sentinel'], { port })) };
}
