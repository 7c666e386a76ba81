/**
 * A private, real Redis for the default start, the tests and the benchmarks, or several that make up one: found on the
 * PATH, else installed by the system's package manager; its socket and data in a temporary folder. It ends, and its
 * folder goes, when the process that started it ends, however that ends.
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
  /** For REDIS_URL. */
  readonly url: string;
}

/** What every Redis here is started with: it keeps nothing on disk and evicts nothing. */
const LASTING = ['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction'];

/**
 * Starts a Redis at a socket.
 * @param say told, in a line, of anything that is installed
 * @param options.socket where it listens, instead of in its folder
 * @throws Error that says why there can be none
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

/** A Redis, or a sentinel, at a port of this machine. */
export interface RedisNode extends GuardedProcess {
  readonly port: number;
}

/**
 * Starts a Redis at a port, as one of several.
 * @param say as above
 * @param options besides those that every Redis here has
 * @throws Error that says why there can be none
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
 * @param say as above
 * @param settings lines of its configuration, but for the port
 * @param isTls whether it speaks TLS, to clients and to Redis
 * @throws Error that says why there can be none
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
