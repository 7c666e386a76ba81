/**
 * A private, real Redis for the default start, the tests and the benchmarks, or several that make up one: found on the PATH, else installed by the
 * system's package manager; its socket and data in a temporary folder. It ends, and its folder goes, when the process
 * that started it ends, however that ends.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

export interface RedisServer {
  /** For REDIS_URL. */
  readonly url: string;
  /** For signals, as of a test that stops or kills it. */
  readonly pid: number;
  stop(): Promise<void>;
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
  const { pid, stop } = await run(say, folder, options, { path: socket });
  return { url: `unix://${socket}`, pid, stop };
}

/** A Redis, or a sentinel, at a port of this machine. */
export interface RedisNode {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * Starts a Redis at a port, as one of several. One that was stopped can be started again.
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
  return { port, ...(await run(say, folder, [...ports, '--bind', '127.0.0.1', ...LASTING, ...options], { port })) };
}

/**
 * Starts a sentinel.
 * @param say as above
 * @param settings lines of its configuration, but for the port
 * @throws Error that says why there can be none
 */
export async function startSentinel(
  say: (line: string) => void,
  port: number,
  settings: readonly string[],
): Promise<RedisNode> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-redis-'));
  const file = join(folder, 'sentinel.conf');
  writeFileSync(file, `${[`port ${port}`, 'bind 127.0.0.1', ...settings].join('\n')}\n`);
  return { port, ...(await run(say, folder, [file, '--sentinel'], { port })) };
}

/** Runs a server in its folder until it is stopped or this process ends. */
async function run(
  say: (line: string) => void,
  folder: string,
  options: readonly string[],
  at: { readonly path: string } | { readonly port: number },
): Promise<{ readonly pid: number; stop(): Promise<void> }> {
  const { path, env } = findOrInstall(REDIS, say);
  // The shell waits for its input to end, which it does when this process is gone, and takes the server along, stopped or not: it keeps nothing. In a
  // group of its own, so that Ctrl-C reaches it only through this process, once that has drained.
  const guard = '"$@" >/dev/null & server=$!; echo $server; cat >/dev/null; kill -9 $server; rm -rf "$folder"';
  const child = spawn('sh', ['-c', guard, 'sh', path, ...options], {
    cwd: folder,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...env, folder },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const pid = await new Promise<number>((resolve) => child.stdout.once('data', (line) => resolve(Number(line))));
  await answering(at, pid, path);
  child.unref();
  for (const pipe of [child.stdin, child.stdout]) if ('unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
  return {
    pid,
    stop: () => {
      child.ref();
      child.stdin.end();
      return ended;
    },
  };
}

async function answering(
  at: { readonly path: string } | { readonly port: number },
  pid: number,
  path: string,
): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (Date.now() < deadline) {
    const connected = await new Promise<boolean>((resolve) => {
      const connection = createConnection({ host: '127.0.0.1', ...at }, () => resolve(true));
      connection.once('error', () => resolve(false));
      connection.once('connect', () => connection.destroy());
    });
    if (connected) return;
    try {
      process.kill(pid, 0);
    } catch {
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${path} does not start`);
}
