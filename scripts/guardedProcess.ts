/**
 * Runs a server process in a folder of its own. When this process ends, even if it is killed, the server is killed and
 * its folder deleted.
 */
import { spawn } from 'node:child_process';
import { createConnection } from 'node:net';
import type { Program } from './serverProgram.ts';

/** Where a server listens; without a host, at 127.0.0.1. */
export type Listening = { readonly path: string } | { readonly port: number; readonly host?: string };

export interface GuardedProcess {
  /** For tests that stop or kill the server by a signal. */
  readonly pid: number;
  /** Resolves when the server has ended, whatever ended it. */
  readonly ended: Promise<void>;
  /** Kills the server. Resolves when its folder is deleted. */
  stop(): Promise<void>;
}

export interface GuardOptions {
  /** A file that its output is appended to. */
  readonly log?: string;
  /** True if the folder stays, for another start. */
  readonly keepsFolder?: boolean;
}

// The shell's input ends when this process is gone. The shell then kills the server, even a stopped one. It runs in a
// process group of its own, so that Ctrl-C does not reach it before this process has drained. Its output ends with the
// server, which is buried then.
const GUARD = `
exec 3<&0
"$@" >>"$log" 2>&1 3<&- & server=$!
echo $server
{ cat <&3; kill -9 $server; } >/dev/null 2>&1 &
wait $server
exec >&-
wait
[ -z "$folder" ] || rm -rf "$folder"`;

/**
 * Starts a server and waits until it listens.
 * @param folder to run in; temporary, unless options.keepsFolder
 * @throws Error if it does not start
 */
export async function startGuarded(
  { path, env }: Program,
  folder: string,
  options: readonly string[],
  at: Listening,
  { log = '/dev/null', keepsFolder = false }: GuardOptions = {},
): Promise<GuardedProcess> {
  const child = spawn('sh', ['-c', GUARD, 'sh', path, ...options], {
    cwd: folder,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...env, log, folder: keepsFolder ? '' : folder },
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => child.stdout.once('end', resolve)).then(() => {
    hasEnded = true;
    // At once: later the shell might kill another process with this pid.
    child.stdin.end();
  });
  const pid = await new Promise<number>((resolve) => child.stdout.once('data', (line) => resolve(Number(line))));
  const stop = () => {
    child.ref();
    child.stdin.end();
    return exited;
  };
  if (!(await answers(at, () => hasEnded))) {
    await stop();
    throw new Error(`${path} does not start`);
  }
  child.unref();
  for (const pipe of [child.stdin, child.stdout]) if ('unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
  return { pid, ended, stop };
}

/** Waits until a server accepts connections; false if it ends before, or if that takes too long. */
async function answers(at: Listening, hasEnded: () => boolean): Promise<boolean> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline && !hasEnded()) {
    const connected = await new Promise<boolean>((resolve) => {
      const connection = createConnection({ host: '127.0.0.1', ...at }, () => resolve(true));
      connection.once('error', () => resolve(false));
      connection.once('connect', () => connection.destroy());
    });
    if (connected) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}
