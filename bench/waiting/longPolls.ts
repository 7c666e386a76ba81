/**
 * Memory of an instance for each of 5,000 calls that it holds while their callers wait, compared with an idle
 * connection. Garbage is collected before each reading.
 */
import { z } from 'zod';
import { freePort } from '../../scripts/freePort.ts';
import { Connection } from '../client.ts';
import { check, cycle, freshName, release, reserveFor, reserveInTurn } from '../requests.ts';
import { figureOf } from '../rounds.ts';
import { pin, SERVICE, startServer } from '../servers.ts';
import { headOf, loadOver, type Stage } from '../stage.ts';
import type { Table } from '../table.ts';
import { until } from '../until.ts';

const CALLS = 5000;
/** An instance whose event loop is late refuses more requests than this at once. */
const AT_ONCE = 100;
const TARGET_KIB = 20;
/** Runs in the instance: collects garbage and returns the use of memory. */
const PROBE = `import { createServer } from 'node:http';
createServer((_, response) => {
  gc();
  gc();
  response.end(JSON.stringify(process.memoryUsage()));
}).listen(process.env.PROBE_PORT, '127.0.0.1').unref();`;

/** In bytes. */
const Memory = z.object({ rss: z.number(), heapUsed: z.number() });

export async function longPolls(stage: Stage, table: Table): Promise<void> {
  const { env, tenant } = stage;
  const probePort = String(await freePort());
  const held = { MAX_LONG_POLLS: String(2 * CALLS), MAX_IN_FLIGHT: String(2 * CALLS) };
  const probed = ['--expose-gc', '--import', `data:text/javascript,${encodeURIComponent(PROBE)}`];
  const server = await startServer(SERVICE, { ...env, ...held, PROBE_PORT: probePort }, probed);
  pin(0, [server.pid]);
  const memory = async () => Memory.parse(await (await fetch(`http://127.0.0.1:${probePort}`)).json());
  const connect = () => new Connection(server.port, headOf(tenant));
  for (let i = 0; i < 3; i++) await loadOver(stage, server, 64, (one) => cycle(one)); // until the heap has its size

  const before = await memory();
  const callers: Connection[] = [];
  while (callers.length < CALLS) {
    const more = Array.from({ length: AT_ONCE }, connect);
    await Promise.all(more.map((caller) => check(caller, 'any')));
    callers.push(...more);
  }
  const connected = await memory();
  const [name, holder] = [freshName(), connect()];
  const results = await reserveFor(holder, name, 'holder');
  for (let started = 0; started < CALLS; ) {
    const some = callers.slice(started, started + AT_ONCE);
    const calls = some.map((caller, i) => reserveInTurn(caller, name, `caller-${started + i}`));
    started += AT_ONCE;
    const areWaiting = async () => (await check(holder, name)).includes(`"waiting":${started}`);
    await Promise.race([until(`${started} callers wait`, areWaiting), ...calls]);
  }
  const waiting = await memory();

  const kib = (of: keyof typeof before) => (waiting[of] - connected[of]) / CALLS / 1024;
  const idleKib = (of: keyof typeof before) => (connected[of] - before[of]) / CALLS / 1024;
  for (const [what, of] of [
    ['resident', 'rss'],
    ['heap', 'heapUsed'],
  ] as const)
    table.add({
      what: `memory of a long poll besides its connection, of ${CALLS.toLocaleString('en')}: ${what}`,
      figure: figureOf([kib(of)]),
      unit: 'KiB',
      beside: { what: 'an idle connection', figure: figureOf([idleKib(of)]) },
      target: of === 'rss' ? { of: 'figure', atMost: TARGET_KIB } : undefined,
    });
  await release(holder, results);
  for (const caller of [holder, ...callers]) caller.close();
  await server.stop();
}
