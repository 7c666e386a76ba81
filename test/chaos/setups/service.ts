/** Starts instances, workers and the balancer of a campaign. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../scripts/freePort.ts';
import { startGuarded } from '../../../scripts/guardedProcess.ts';
import { startBalancer } from '../../support/haproxy.ts';
import type { Part, Program } from '../system.ts';
import { type StoppablePart, startPart } from './part.ts';
import { ROOT } from './program.ts';

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
