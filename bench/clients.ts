/**
 * `npm run bench:clients`: measures the clients of all languages in turn, over one service: cycles of `using` by 64
 * callers that share a client, and the CPU of renewing 1,000 holds in the background. `-- --only python` measures one,
 * beside TypeScript. Takes four minutes, on a private Redis.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startRedis } from '../scripts/redisServer.ts';
import { PROGRAMS, type Program } from './clients/programs.ts';
import { figureOf, inTurn, Series } from './rounds.ts';
import { cpuSeconds, pin, SERVICE, startServer, stopServers } from './servers.ts';
import { envOf, makeTenant } from './stage.ts';
import { machine, Table } from './table.ts';

const CALLERS = 64;
const CYCLES_SECONDS = 5;
const HOLDS = 1000;
/** Three renewals of leases of 30 s. */
const RENEWALS_SECONDS = 30;
const IMPORTS = 9;

const { only } = parseArgs({ options: { only: { type: 'string' } } }).values;
const programs = PROGRAMS.filter(({ name }) => name === 'typescript' || only === undefined || name === only);
const table = new Table((line) => console.error(line));
const tenant = makeTenant('bench');
const redis = await startRedis((line) => console.error(line));
const service = await startServer(SERVICE, envOf(redis, [tenant]));
const env = { ...process.env, HOLDFAST_URL: `http://127.0.0.1:${service.port}`, HOLDFAST_KEY: tenant.key };
pin(1, [service.pid, redis.pid]);

try {
  table.begin('clients');
  const cycles = programs.map((program) => new Series(() => cyclesOf(program)));
  await inTurn(cycles);
  const figures = cycles.map((series) => series.figure((perSecond) => perSecond));
  for (const [i, { name, atLeast }] of programs.entries()) {
    const [figure, reference] = [figures[i], figures[0]];
    if (figure === undefined || reference === undefined) continue;
    const beside = { what: 'typescript', figure: reference };
    const target = atLeast === undefined ? undefined : ({ of: 'ratio', atLeast } as const);
    table.add({ what: `${name}: cycles, ${CALLERS} callers`, figure, unit: 'cycles/s', beside, target });
  }
  for (const program of programs) {
    const target = program.atMost === undefined ? undefined : ({ of: 'figure', atMost: program.atMost } as const);
    const figure = figureOf([await renewalShareOf(program)]);
    table.add({ what: `${program.name}: renewing ${HOLDS} holds`, figure, unit: '% of a core', target });
    if (program.importMs === undefined) continue;
    const [file, ...args] = program.importMs;
    const times = Array.from({ length: IMPORTS }, () => Number(execFileSync(file, args, { encoding: 'utf8' })));
    const within = { of: 'figure', atMost: 50 } as const;
    table.add({ what: `${program.name}: import`, figure: figureOf(times), unit: 'ms', target: within });
  }
} finally {
  await stopServers();
  await redis.stop();
}
console.log(table.print());
for (const [name, value] of Object.entries(machine())) console.log(`${name}: ${value}`);

/** Starts a program, on the core that the service does not have. */
function start({ command: [file, ...args] }: Program, ...more: readonly (string | number)[]) {
  const child = spawn(file, [...args, ...more.map(String)], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const { pid = 0 } = child;
  pin(0, [pid]);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const line = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${file} has ended`);
    return value;
  };
  return { pid, line, end: () => child.stdin.end() };
}

/** Cycles a second, as the program counts them. */
async function cyclesOf(program: Program): Promise<number> {
  const { line, end } = start(program, 'cycles', CALLERS, CYCLES_SECONDS);
  const perSecond = Number(await line());
  end();
  return perSecond;
}

/** The CPU of a program that only renews, in percent of a core. */
async function renewalShareOf(program: Program): Promise<number> {
  const { pid, line, end } = start(program, 'renew', HOLDS);
  await line();
  const before = cpuSeconds(pid);
  await pause(RENEWALS_SECONDS * 1000);
  const share = ((cpuSeconds(pid) - before) / RENEWALS_SECONDS) * 100;
  end();
  return share;
}
