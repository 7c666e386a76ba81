/**
 * A private, real Redis for the default start, the tests and the benchmarks: found on the PATH, else installed by the
 * system's package manager; its socket and data in a temporary folder. It ends, and its folder goes, when the process
 * that started it ends, however that ends.
 */
import { execFileSync, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { createConnection } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const NAMES = ['redis-server', 'valkey-server'];
const OLDEST_MAJOR = 7;
/** Where a server is unpacked that cannot be installed for want of root. */
const CACHE = join(homedir(), '.cache', 'holdfast', 'redis');

export interface RedisServer {
  /** For REDIS_URL. */
  readonly url: string;
  /** For signals, as of a test that stops or kills it. */
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * Starts a Redis that keeps nothing on disk and evicts nothing.
 * @param say told, in a line, of anything that is installed
 * @param options.socket where it listens, instead of in its folder
 * @throws Error that says why there can be none
 */
export async function startRedis(
  say: (line: string) => void,
  { socket: wanted }: { readonly socket?: string } = {},
): Promise<RedisServer> {
  const binary = findServer() ?? installServer(say);
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-redis-'));
  const socket = wanted ?? join(folder, 'redis.sock');
  const options = ['--port', '0', '--unixsocket', socket, '--unixsocketperm', '700', '--dir', folder];
  const lasting = ['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction'];
  // The shell waits for its input to end, which it does when this process is gone, and takes the server along, stopped or not: it keeps nothing. In a
  // group of its own, so that Ctrl-C reaches it only through this process, once that has drained.
  const guard = '"$@" >/dev/null & server=$!; echo $server; cat >/dev/null; kill -9 $server; rm -rf "$folder"';
  const child = spawn('sh', ['-c', guard, 'sh', binary, ...options, ...lasting], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...libraries(), folder },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const pid = await new Promise<number>((resolve) => child.stdout.once('data', (line) => resolve(Number(line))));
  await answering(socket, pid, binary);
  child.unref();
  for (const pipe of [child.stdin, child.stdout]) if ('unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
  return {
    url: `unix://${socket}`,
    pid,
    stop: () => {
      child.ref();
      child.stdin.end();
      return ended;
    },
  };
}

async function answering(socket: string, pid: number, binary: string): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (Date.now() < deadline) {
    const connected = await new Promise<boolean>((resolve) => {
      const connection = createConnection(socket, () => resolve(true)).once('error', () => resolve(false));
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
  throw new Error(`${binary} does not start`);
}

function findServer(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/bin', join(CACHE, 'usr/bin')];
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isRecentServer);
}

function isRecentServer(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    const version = /v=(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8', env: libraries() }));
    return Number(version?.[1]) >= OLDEST_MAJOR;
  } catch {
    return false;
  }
}

const DEBIAN_PACKAGES = ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1', 'libatomic1'];

/** Where a server that was unpacked into the cache finds its libraries. */
function libraries(): NodeJS.ProcessEnv {
  const usr = join(CACHE, 'usr', 'lib');
  if (!existsSync(usr)) return process.env;
  const folders = [usr, ...readdirSync(usr).map((name) => join(usr, name))];
  return {
    ...process.env,
    LD_LIBRARY_PATH: [process.env.LD_LIBRARY_PATH, ...folders].filter(Boolean).join(delimiter),
  };
}

/** Ways to install, the first that applies is taken: the program it needs, whether root must run it, the commands. */
const INSTALLERS: readonly { program: string; root: boolean; commands: readonly (readonly string[])[] }[] = [
  {
    program: 'apt-get',
    root: true,
    commands: [
      ['apt-get', 'update', '-qq'],
      ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', 'redis-server'],
    ],
  },
  { program: 'apk', root: true, commands: [['apk', 'add', '--no-cache', 'redis']] },
  { program: 'dnf', root: true, commands: [['dnf', 'install', '-y', '-q', 'redis']] },
  { program: 'brew', root: false, commands: [['brew', 'install', '--quiet', 'redis']] },
  {
    program: 'apt-get',
    root: false,
    commands: [
      ['apt-get', 'download', '-qq', ...DEBIAN_PACKAGES],
      ['sh', '-c', 'for package in *.deb; do dpkg -x "$package" . && rm "$package"; done'],
    ],
  },
];

const BY_HAND = 'install redis-server 7 or later, or set REDIS_URL';

function installServer(say: (line: string) => void): string {
  const isRoot = process.getuid?.() === 0;
  const has = (program: string) =>
    (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
  const installer = INSTALLERS.find(({ program, root }) => has(program) && (isRoot || !root));
  if (installer === undefined) throw new Error(`no Redis on this machine: ${BY_HAND}`);
  say(`No Redis on this machine: installing one (${installer.commands.at(-1)?.[0]})`);
  mkdirSync(CACHE, { recursive: true });
  try {
    for (const [command = '', ...args] of installer.commands) {
      const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
      execFileSync(command, args, { cwd: CACHE, env, stdio: ['ignore', 'ignore', 'pipe'] });
    }
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
    throw new Error(`Redis could not be installed (${stderr.trim().split('\n').at(-1)}): ${BY_HAND}`);
  }
  const binary = findServer();
  if (binary === undefined) throw new Error(`the Redis that was installed is older than ${OLDEST_MAJOR}: ${BY_HAND}`);
  return binary;
}
