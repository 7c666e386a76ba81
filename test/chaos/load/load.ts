/** The load of a round: all callers and subscribers, from their start to their end. */
import { setMaxListeners } from 'node:events';
import { createClient } from '../../support/client.ts';
import { until } from '../../support/until.ts';
import type { Random } from '../random.ts';
import type { System, Tenant } from '../system.ts';
import { DESKS, FIXED } from '../things.ts';
import { bookAhead, bookAndGo, intrude, watch } from './bookings.ts';
import { Caller } from './caller.ts';
import { restore } from './definitions.ts';
import { takeTurns, workThrough } from './holding.ts';
import type { Recorder } from './recorder.ts';
import { Shift } from './shift.ts';
import {
  callThroughout,
  exceedReads,
  exceedWrites,
  holdLong,
  keep,
  probe,
  steal,
  tidy,
  tidyOnce,
} from './sideCallers.ts';
import { subscribe } from './streams.ts';
import { crowd } from './waiting.ts';

/** Callers come to their end within this time, or are left alone. */
const STOP_MS = 20_000;
/** Pairs of callers that watch when leases end. */
const PAIRS = 3;

export interface Load {
  /** Lets callers finish: each releases what it holds, except for what is kept for good. Then it ends the streams. */
  stop(): Promise<void>;
}

/** Registers FIXED for the tenant that has the load of every verb, and what is booked. */
export async function prepare({ addresses, tenants }: System): Promise<void> {
  const [address] = addresses;
  if (address === undefined) throw new Error('there is nothing to call');
  const resources = { main: FIXED, booked: [DESKS], 'booked-idle': [DESKS], quota: [], leases: [], turned: [] };
  for (const { use, key } of tenants) {
    const { register } = createClient(address.url, key);
    const items = resources[use];
    if (items.length > 0) await until('its resources', async () => (await register(...items)).status === 200);
  }
}

/** @param callers how many callers of every verb there are, beside those with a task of their own */
export function startLoad(
  system: System,
  random: Random,
  recorder: Recorder,
  { callers }: { readonly callers: number },
): Load {
  const shift = new Shift(system, recorder);
  const loops: Promise<void>[] = [];
  const hire = (name: string, use: Tenant['use'], work: (caller: Caller) => Promise<void>) => {
    const tenant = shift.tenant(use);
    if (tenant !== undefined) loops.push(work(new Caller(name, tenant, random.fork(name), shift)));
  };
  for (let i = 0; i < callers; i++) hire(`c${i}`, 'main', workThrough);
  for (const [name, work] of crowd()) hire(name, 'main', work);
  hire('thief', 'main', steal);
  hire('keeper', 'main', keep);
  for (const name of ['long0', 'long1']) hire(name, 'main', holdLong);
  for (const at of system.addresses) hire('prober', 'main', (caller) => probe(caller, at));
  hire('janitor', 'main', tidy);
  // With a database, the service itself puts definitions back that a Redis has lost.
  if (!system.traits.hasDatabase) hire('registrar', 'main', restore);
  for (let i = 0; i < PAIRS; i++) hire(`l${i}`, 'leases', (one) => takeTurns(one, one.another(`m${i}`)));
  for (const name of ['w0', 'w1']) hire(name, 'quota', exceedWrites);
  hire('r0', 'quota', exceedReads);
  for (const name of ['b0', 'b1', 'b2', 'b3']) hire(name, 'booked', bookAhead);
  hire('stranger', 'booked', intrude);
  hire('watcher', 'booked', watch);
  hire('planner', 'booked-idle', bookAndGo);
  for (const name of ['t0', 't1', 't2']) hire(name, 'turned', callThroughout);

  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const watched = system.tenants.filter(({ use }) => use === 'main' || use === 'leases' || use === 'booked');
  const streams = watched.flatMap((tenant) =>
    system.addresses.map((at) => subscribe(shift, tenant, at, closing.signal)),
  );
  return {
    stop: async () => {
      shift.end();
      await within(STOP_MS, Promise.all(loops));
      const main = shift.tenant('main');
      if (main !== undefined) await within(STOP_MS, tidyUp(new Caller('janitor', main, random.fork('end'), shift)));
      closing.abort();
      await Promise.all(streams);
      await shift.agent.destroy();
    },
  };
}

async function tidyUp(janitor: Caller): Promise<void> {
  while (!(await tidyOnce(janitor))) await new Promise((resolve) => setTimeout(resolve, 200));
}

/** Waits for something, for so many ms at most. */
async function within(ms: number, done: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([done, late]);
  clearTimeout(timer);
}
