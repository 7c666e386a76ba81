/**
 * Starts a private PostgreSQL for tests and benchmarks: one on the PATH or in a package's folder, else one installed by
 * the system's package manager. It has a free port and a temporary folder, and ends with the process that started it,
 * even if that is killed. Its folder is then deleted.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from './freePort.ts';
import { isAlive } from './isAlive.ts';
import { findOrInstall, type Wanted } from './serverProgram.ts';

const POSTGRES: Wanted = {
  title: 'PostgreSQL',
  names: ['postgres'],
  folders: [
    '/usr/lib/postgresql/*/bin', // Debian
    '/usr/libexec/postgresql*', // Alpine
    '/usr/pgsql-*/bin', // PostgreSQL's own packages for Fedora
    '/opt/homebrew/opt/postgresql@*/bin',
    '/usr/local/opt/postgresql@*/bin',
    '/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin',
  ],
  version: /\(PostgreSQL\) (\d+)/,
  oldestMajor: 14,
  packages: { apt: 'postgresql', apk: 'postgresql', dnf: 'postgresql-server', brew: 'postgresql@17' },
  cache: 'postgres',
  byHand: 'install PostgreSQL 14 or later, or set TEST_DATABASE_URL',
};

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '', // none
  max_connections: 200,
  // Data must survive a kill of the server, so synchronous_commit stays on. It need not survive a crash of the machine.
  fsync: 'off',
  full_page_writes: 'off',
  // In the folder, so that it is deleted with it.
  dynamic_shared_memory_type: 'mmap',
  // JIT costs short queries more than it saves, and needs a library that may be missing.
  jit: 'off',
};

/**
 * Each line of the shell's input starts or restarts the server, and the shell prints its process id. When the input
 * ends, because this process is gone, the shell ends the server.
 */
const GUARD = `
trap '' PIPE # this process may go before it is answered
end() {
  # SIGQUIT has it end its children and itself, at most 5 s later; SIGCONT lets it do so if it was stopped. Sent again while
  # it is there, as it heeds neither while it is being started.
  tries=0
  while [ $((tries += 1)) -le 200 ] && kill -QUIT "$server" && kill -CONT "$server"; do sleep 0.05; done
  kill -9 "$server"
} 2>/dev/null
# Not read: while a shell reads by itself it buries no child, and a dead server looks alive to the next.
while grep -q .; do
  end
  (
    [ -e data ] || "$initdb" -D data --no-sync -A trust -U holdfast -E UTF8 --locale=C || exit
    exec "$@" -D data
  ) >>log 2>&1 &
  server=$!
  echo $server
done
end
# A server that was killed leaves its lock file, and a piece of shared memory that is named there.
[ -e data/postmaster.pid ] && ipcrm -m "$(sed -n '7s/.* //p' data/postmaster.pid)"
rm -rf "$folder"`;

const STARTS_WITHIN_MS = 30_000;

export interface PostgresServer {
  /** `postgres://…`, with a superuser and an empty database. */
  readonly url: string;
  /**
   * For tests that stop or kill the server by a signal. Changes with a restart. While the server is stopped, new
   * connections wait and open ones work. Killing it closes all.
   */
  readonly pid: number;
  /**
   * Restarts the server with the same data and address, whether it was killed, stopped or is running.
   * @throws Error with the reason, if it does not start
   */
  restart(): Promise<void>;
  /** Ends the server and deletes its folder. */
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL with an empty cluster, without passwords for users of this machine.
 * @param say called with a line of text when something is installed
 * @param more settings that override the ones above
 * @throws Error with the reason, if none can be started
 */
export async function startPostgres(
  say: (line: string) => void,
  more: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const { path, env } = findOrInstall(POSTGRES, say);
  const user = unprivileged();
  // Root's temporary folder may be closed to that user.
  const folder = mkdtempSync(join(user === undefined ? tmpdir() : '/tmp', 'holdfast-postgres-'));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const port = await freePort();
  const settings = Object.entries({ ...SETTINGS, ...more, port }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const child = spawn('sh', ['-c', GUARD, 'sh', path, ...settings], {
    ...user,
    cwd: folder,
    detached: true, // so that Ctrl-C reaches it only through this process
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...env, folder, initdb: join(dirname(realpathSync(path)), 'initdb') },
  });
  for (const pipe of [child.stdin, child.stdout]) if ('unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let pid = 0;
  const stop = () => {
    child.ref();
    child.stdin.end();
    return ended;
  };
  const start = async (again: boolean) => {
    child.ref();
    const deadline = Date.now() + STARTS_WITHIN_MS;
    do {
      const started = once(child.stdout, 'data');
      child.stdin.write('start\n');
      pid = Number(await started);
      if (await becomesReady(pid, folder, deadline)) return child.unref();
      // It does not start while child processes of a killed predecessor finish their queries.
    } while (again && Date.now() < deadline);
    throw new Error(`${path} does not start: ${complaint(folder)}`);
  };
  try {
    await start(false);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `postgres://holdfast@127.0.0.1:${port}/postgres`,
    get pid() {
      return pid;
    },
    restart: () => start(true),
    stop,
  };
}

/** The user that PostgreSQL runs as if this process is root, since it refuses to run as root. */
function unprivileged(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (which: string, user: string) =>
    Number(execFileSync('id', [which, user], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  try {
    return { uid: id('-u', 'postgres'), gid: id('-g', 'postgres') };
  } catch {
    return { uid: id('-u', 'nobody'), gid: id('-g', 'nobody') };
  }
}

/** Returns true if the server accepts queries, according to its lock file, before it ends or the deadline passes. */
async function becomesReady(pid: number, folder: string, deadline: number): Promise<boolean> {
  while (isAlive(pid) && Date.now() < deadline) {
    const lines = read(join(folder, 'data', 'postmaster.pid')).split('\n');
    if (lines[0] === String(pid) && lines[7]?.trim() === 'ready') return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}

/** Returns the last error message of the server or of initdb. */
function complaint(folder: string): string {
  return (
    /.*/.exec(
      read(join(folder, 'log'))
        .split(/(?:FATAL|error): */)
        .at(-1) ?? '',
    )?.[0] ?? ''
  );
}

/** Reads a file; returns '' if it does not exist: the server may delete it at any time. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
