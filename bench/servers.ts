/**
 * Starts the measured servers, each as a silent process that ends with this one, and assigns them to cores.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../scripts/freePort.ts';
import { startGuarded } from '../scripts/guardedProcess.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Runs servers from TypeScript sources. Built files do not need it. */
const TSX = ['--import', import.meta.resolve('tsx')];

/** The built service, as in the image. */
export const SERVICE = 'dist/main.js';
/** The options of Node in the image. */
const AS_IN_IMAGE = ['--max-semi-space-size=64', '--single-threaded-gc', '--incremental-marking-hard-trigger=80'];

/** The Node that runs the measured servers: NODE_BIN, or the one that runs this process. */
const NODE = process.env.NODE_BIN ?? process.execPath;

/** Asks that Node for its version. */
export const nodeVersion = (): string => execFileSync(NODE, ['--version'], { encoding: 'utf8' }).trim();

/** A running server. */
export interface RunningServer {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

const running = new Set<RunningServer>();

/**
 * Starts a server and waits until it listens. Its log goes to /dev/null.
 * @param file a file of this repository, or an absolute path
 * @param env added to this process's environment, together with a free PORT
 * @param more other options of Node
 */
export async function startServer(
  file: string,
  env: Readonly<Record<string, string>>,
  more: readonly string[] = [],
): Promise<RunningServer> {
  const port = await freePort();
  const options = [...(file.endsWith('.ts') ? TSX : AS_IN_IMAGE), ...more, resolve(ROOT, file)];
  return startNode(options, port, env);
}

/** Starts Node with these arguments and waits until the port accepts connections. */
export async function startNode(
  options: readonly string[],
  port: number,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  const program = {
    path: NODE,
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

/** Ends the servers that have not been stopped. */
export async function stopServers(): Promise<void> {
  await Promise.all([...running].map((server) => server.stop()));
}

/** With two cores or more, the measured servers run on one, and load and Redis on the other. */
export function pinApart(measured: readonly number[], others: readonly number[]): void {
  pin(0, measured);
  pin(1, others);
}

/**
 * Pins processes and their children to a core, if there are two or more.
 * @param core one core or several: `0,1`
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

/** Reads the resident memory of a process, without blocking the load that this process makes. */
export async function residentKiB(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout);
}

/** Reads the CPU time of a process's threads, in seconds, to a microsecond; NaN without /proc. */
export function cpuSeconds(pid: number): number {
  try {
    const threads = `/proc/${pid}/task`;
    const nanoseconds = (thread: string) =>
      Number(readFileSync(`${threads}/${thread}/schedstat`, 'utf8').split(' ')[0]);
    return readdirSync(threads).reduce((sum, thread) => sum + nanoseconds(thread), 0) / 1e9;
  } catch {
    return Number.NaN;
  }
}

/** The same of a server and its children: PostgreSQL has one for each connection. */
export function cpuSecondsOfServer(pid: number): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return children.reduce((sum, child) => sum + cpuSeconds(Number(child)), cpuSeconds(pid));
  } catch {
    return cpuSeconds(pid);
  }
}
