/**
 * The servers that are measured, each a process of its own that says nothing and ends when this one does, and where
 * they run.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../scripts/freePort.ts';
import { startGuarded } from '../scripts/guardedProcess.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** A server of our own sources runs through it; what is built does not. */
const TSX = ['--import', import.meta.resolve('tsx')];

/** The service as it is built, which the image runs too. */
export const SERVICE = 'dist/main.js';
/** As in the image. */
const AS_IN_IMAGE = ['--max-semi-space-size=64'];

/** A server that runs. */
export interface RunningServer {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

const running = new Set<RunningServer>();

/**
 * Starts a server and waits until it listens. Its log goes to /dev/null.
 * @param file of this repository
 * @param env besides this process's; PORT is made up
 */
export async function startServer(file: string, env: Readonly<Record<string, string>>): Promise<RunningServer> {
  const port = await freePort();
  const options = [...(file.endsWith('.ts') ? TSX : AS_IN_IMAGE), join(ROOT, file)];
  return startNode(options, port, env);
}

/** Starts Node on what is given, which is to listen at the port; as above. */
export async function startNode(
  options: readonly string[],
  port: number,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  const program = {
    path: process.execPath,
    env: { ...process.env, NODE_ENV: 'production', ...env, PORT: String(port) },
  };
  const { pid, stop } = await startGuarded(program, folder, options, { port });
  const server: RunningServer = {
    port,
    pid,
    stop: () => {
      running.delete(server);
      return stop();
    },
  };
  running.add(server);
  return server;
}

/** Ends those that have not been stopped. */
export async function stopServers(): Promise<void> {
  await Promise.all([...running].map((server) => server.stop()));
}

/** With two cores or more: what is measured on one, the load and Redis on the other. */
export function pinApart(measured: readonly number[], others: readonly number[]): void {
  pin(0, measured);
  pin(1, others);
}

/**
 * Keeps processes on a core, where there are two or more; those that they start stay there too.
 * @param core or several: `0,1`
 */
export function pin(core: number | string, pids: readonly number[]): void {
  if (cpus().length < 2) return;
  for (const pid of pids) {
    try {
      execFileSync('taskset', ['-acp', String(core), String(pid)], { stdio: 'ignore' });
    } catch {
      return; // no taskset here: the kernel places them
    }
  }
}

/** Resident memory of a process; whatever load this one makes goes on meanwhile. */
export async function residentKiB(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout);
}

/** How long a process has computed, in hundredths; NaN where there is no /proc. */
export function cpuSeconds(pid: number): number {
  try {
    // The name, in parentheses, may hold anything: fields count from behind it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
}
