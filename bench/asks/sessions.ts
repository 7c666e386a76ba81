/**
 * Sessions: what a renewal costs with 1 and with 10,000 reservations, how long the end of one with 10,000 takes, and
 * how long single reserves of other tenants take meanwhile.
 */
import { z } from 'zod';
import { reserve } from '../../src/engine/reservations/reserve.ts';
import { Connection } from '../client.ts';
import { cycle, freshName } from '../requests.ts';
import { figureOf, inTurn, Series } from '../rounds.ts';
import { headOf, type Stage } from '../stage.ts';
import type { Table } from '../table.ts';

const HOLDS = 10_000;
const RENEWALS = 1000;
const TARGET_MS = 500;
const OTHERS = 4;
const TARGET_P99_MS = 10;

const Begun = z.object({ session: z.uuid(), token: z.uuid() });
type Begun = z.infer<typeof Begun>;

async function begin(caller: Connection): Promise<Begun> {
  const text = await caller.post('/api/v1/Session', '{"requester":"w","ttlSeconds":3600}');
  const { session, token } = Begun.parse(JSON.parse(text));
  return { session, token };
}

async function hold({ engine, credential }: Stage, { session }: Begun, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 500) {
    const items = Array.from({ length: Math.min(left, 500) }, () => ({
      resource: freshName(),
      requester: 'w',
      session,
    }));
    await reserve(engine, credential, items);
  }
}

/** Returns the time that a renewal takes, in ms. */
async function renewing(caller: Connection, session: Begun): Promise<number> {
  const body = JSON.stringify(session);
  const start = performance.now();
  for (let i = 0; i < RENEWALS; i++) await caller.post('/api/v1/Session/renew', body);
  return (performance.now() - start) / RENEWALS;
}

/** Ends a session of 10,000 while other tenants reserve. Returns its time, and the p99 of the others, in ms. */
async function ending(stage: Stage, caller: Connection): Promise<{ ms: number; p99: number }> {
  const session = await begin(caller);
  await hold(stage, session, HOLDS);
  const others = stage.tenants.slice(0, OTHERS).map((tenant) => new Connection(stage.service.port, headOf(tenant)));
  const times: number[] = [];
  let isOver = false;
  const load = others.map(async (other) => {
    while (!isOver) {
      const start = performance.now();
      await cycle(other);
      times.push((performance.now() - start) / 2);
    }
  });
  const start = performance.now();
  const told = await caller.post('/api/v1/Session/end', JSON.stringify(session));
  const ms = performance.now() - start;
  isOver = true;
  await Promise.all(load);
  for (const other of others) other.close();
  if (!told.includes(`"released":${HOLDS}`)) throw new Error(`did not end: ${told}`);
  return { ms, p99: times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN };
}

export async function sessions(stage: Stage, table: Table): Promise<void> {
  const caller = new Connection(stage.service.port, headOf(stage.tenant));
  const [small, large] = [await begin(caller), await begin(caller)];
  await hold(stage, small, 1);
  await hold(stage, large, HOLDS);
  const [one, many] = [new Series(() => renewing(caller, small)), new Series(() => renewing(caller, large))];
  const ends = new Series(() => ending(stage, caller));
  await inTurn([one, many, ends]);
  table.add({
    what: 'renewal of a session with 10,000 reservations',
    figure: many.figure(Number),
    unit: 'ms',
    beside: { what: 'of one with 1', figure: one.figure(Number) },
    target: { of: 'ratio', atMost: 1.2 },
  });
  table.add({
    what: 'end of a session with 10,000 reservations',
    figure: ends.figure(({ ms }) => ms),
    unit: 'ms',
    target: { of: 'figure', atMost: TARGET_MS },
  });
  table.add({
    what: 'p99 of single reserves of 4 other tenants meanwhile',
    figure: figureOf(ends.samples.map(({ p99 }) => p99)),
    unit: 'ms',
    target: { of: 'figure', atMost: TARGET_P99_MS },
  });
  await caller.post('/api/v1/Session/end', JSON.stringify(large));
  caller.close();
}
