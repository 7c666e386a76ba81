/** Starts instances, workers and the balancer of a campaign. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../scripts/freePort.ts';
import { startGuarded } from '../../../scripts/guardedProcess.ts';
import { isAlive } from '../../../scripts/isAlive.ts';
import { type PostgresServer, startPostgres } from '../../../scripts/postgresServer.ts';
import { startBalancer } from '../../support/haproxy.ts';
import { until } from '../../support/until.ts';
import type { Part, Program } from '../system.ts';
import { type StoppablePart, startCleanup, startPart } from './part.ts';

const HOST = '127.0.0.1';
const INSTANCES = 3;
const WORKERS = 2;

/** Starts three instances and two workers. */
export function startInstances(
  folder: string,
  env: Readonly<Record<string, string>>,
  program: Program,
): Promise<readonly StoppablePart[]> {
  const start = (kind: 'instance' | 'worker', count: number) =>
    Array.from({ length: count }, (_, i) => startInstance(folder, env, program, kind, i));
  return Promise.all([...start('instance', INSTANCES), ...start('worker', WORKERS)]);
}

async function startInstance(
  folder: string,
  env: Readonly<Record<string, string>>,
  first: Program,
  kind: 'instance' | 'worker',
  i: number,
): Promise<StoppablePart> {
  const role = kind === 'instance' ? 'api' : 'worker';
  const name = `${role}${i}`;
  const port = await freePort();
  const logFile = join(folder, `${name}.log`);
  const { PATH = '', HOME = '' } = process.env;
  let current = first;
  return startPart({ name, kind, host: HOST, port, logFile }, async (program = current) => {
    current = program;
    const node = { path: process.execPath, env: { PATH, HOME, HOST, PORT: String(port), ROLE: role, ...env } };
    return startGuarded(node, ROOT, program.command, { port }, { log: logFile, keepsFolder: true });
  });
}

/** Starts HAProxy before the instances. */
export async function startBalancerPart(folder: string, parts: readonly Part[]): Promise<StoppablePart> {
  const ports = parts.filter(({ kind }) => kind === 'instance').map(({ port }) => port);
  const place = { port: await freePort(), folder: join(folder, 'balancer'), log: join(folder, 'balancer.log') };
  mkdirSync(place.folder);
  const known = { name: 'balancer', kind: 'balancer', host: HOST, port: place.port, logFile: place.log } as const;
  return startPart(known, () => startBalancer(ports, place));
}

/** Starts Postgres for a campaign. */

export interface DatabasePart {
  readonly url: string;
  readonly part: StoppablePart;
}

/** Starts Postgres. It has a guard, and a folder, of its own. */
export async function startDatabase(): Promise<DatabasePart> {
  const server: PostgresServer = await startPostgres(() => {});
  const isRunning = () => isAlive(server.pid);
  return {
    url: server.url,
    part: {
      name: 'postgres',
      kind: 'postgres',
      host: '127.0.0.1',
      port: Number(new URL(server.url).port),
      get pid() {
        return server.pid;
      },
      get isRunning() {
        return isRunning();
      },
      log: () => '',
      signal: async (signal) => {
        // Those who serve connections would go on without the one that started them.
        const stops = signal === 'SIGSTOP' || signal === 'SIGCONT';
        for (const pid of [server.pid, ...(stops ? childrenOf(server.pid) : [])]) process.kill(pid, signal);
        if (signal === 'SIGKILL' || signal === 'SIGTERM') await until('Postgres ends', () => !isRunning());
      },
      restart: () => server.restart(),
      stop: () => server.stop(),
    },
  };
}

function childrenOf(parent: number): readonly number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([pid = 0, ppid]) => (ppid === parent ? [pid] : []));
}

/** Builds of the service that a campaign runs: the source, what `npm run build` made, and another commit. */

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The source as it is. It starts more slowly than a build. */
export const SOURCE: Program = { name: 'source', command: ['--import', 'tsx', join(ROOT, 'src', 'main.ts')] };

/**
 * Returns what `npm run build:service` has made.
 * @throws Error if it has not made anything
 */
export function builtProgram(folder = ROOT, name = 'build'): Program {
  const main = join(folder, 'dist', 'main.js');
  if (!existsSync(main)) throw new Error(`${main} does not exist: run npm run build:service`);
  return { name, command: [main] };
}

/**
 * Builds another commit, in a temporary folder that is deleted when this process has ended.
 * @param commit anything that git takes for one
 * @throws Error if there is no such commit, or if it cannot be built
 */
export function programOf(commit: string): Program {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-build-'));
  startCleanup(folder);
  // Files only: a worktree would be left in the repository if this process were killed.
  const archive = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  execFileSync('npm', ['run', '--silent', 'build:service'], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  return builtProgram(folder, commit);
}
