/**
 * Runs a server process that ends with the process that started it, even if that is killed. Its folder is then deleted.
 */
import { spawn } from 'node:child_process';
import { createConnection } from 'node:net';
import type { Program } from './serverProgram.ts';

/** Where a server listens. */
export type Listening = { readonly path: string } | { readonly port: number };

export interface GuardedProcess {
  /** For tests that stop or kill the server by a signal. */
  readonly pid: number;
  stop(): Promise<void>;
}

// The shell's input ends when this process is gone. The shell then kills the server, even a stopped one. It runs in a
// process group of its own, so that Ctrl-C does not reach it before this process has drained.
const GUARD = '"$@" >/dev/null & server=$!; echo $server; cat >/dev/null; kill -9 $server; rm -rf "$folder"';

/**
 * Starts a server and waits until it listens.
 * @param folder a temporary folder to run in
 * @throws Error if it does not start
 */
export async function startGuarded(
  { path, env }: Program,
  folder: string,
  options: readonly string[],
  at: Listening,
): Promise<GuardedProcess> {
  const child = spawn('sh', ['-c', GUARD, 'sh', path, ...options], {
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

async function answering(at: Listening, pid: number, path: string): Promise<void> {
  const deadline = Date.now() + 60_000;
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
