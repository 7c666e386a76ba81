/** Reads what is left of a service once nothing fails and nobody calls any more. */

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Definition } from '../../../src/contract/definitions.ts';
import type { HistoryEntry, HistoryPage } from '../../../src/contract/history.ts';
import type { ActiveReservation } from '../../../src/contract/reservations.ts';
import type { WaitingRequest } from '../../../src/contract/waiting.ts';
import { TIERS } from '../../../src/domain/tiers.ts';
import { readsKey } from '../../../src/redis/keys.ts';
import { createClient } from '../../support/client.ts';
import { until } from '../../support/until.ts';
import type { EndState } from '../history.ts';
import { now } from '../random.ts';
import type { System, Tenant } from '../system.ts';
import { PLAIN } from '../things.ts';
import type { Caller } from './caller.ts';

/** The longest lease and the longest wait have ended by then. What is left then, but for bookings, is left for good. */
const SETTLED_MS = 30_000;
const HISTORY_PAGE = 500;

/** Waits until leases and waits have ended, and reads the state of each tenant. */
export const readEnd = (system: System): Promise<EndState[]> =>
  Promise.all(system.tenants.map((tenant) => readTenant(system, tenant)));

async function readTenant(system: System, tenant: Tenant): Promise<EndState> {
  const read = reader(system, tenant);
  const look = async () => ({
    active: await read<ActiveReservation[]>('/Reservation/activeReservations'),
    waiting: await read<WaitingRequest[]>('/Reservation/waiting'),
  });
  let seen = await look();
  for (const endAt = now() + SETTLED_MS; now() < endAt; seen = await look()) {
    // Bookings run for a minute or an hour: nobody waits for their ends.
    const lasting = seen.active.filter(({ expiresAt, booking }) => expiresAt !== null && booking === undefined);
    if (lasting.length === 0 && seen.waiting.length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return {
    tenant: tenant.tenant,
    readAt: now(),
    ...seen,
    past: await readPast(read),
    definitions: await read<Definition[]>('/Resource/definitions'),
    inconsistencies: await findInconsistencies(system, tenant.tenant),
  };
}

type Read = <Body>(path: string) => Promise<Body>;

/** Returns a function that reads a path at the first address, for as long as it takes to be answered. */
function reader(system: System, { use, tenant, key }: Tenant): Read {
  const [address] = system.addresses;
  if (address === undefined) throw new Error('there is nothing to ask');
  const { request } = createClient(address.url, key);
  return async <Body>(path: string) => {
    const answer = await until(path, async () => {
      if (use === 'quota') await forgetReads(system, tenant);
      const one = await request<Body>('GET', `/api/v1${path}`).catch(() => null);
      return one?.status === 200 ? one : null;
    });
    return answer.body;
  };
}

/** Gives a tenant its reads of this minute back, which its callers have used up. */
async function forgetReads(system: System, tenant: string): Promise<void> {
  const counters = TIERS.map((tier) => readsKey(tier, { tenant, kind: 'key' }));
  await system.command(await system.primaryOf(tenant), 'DEL', ...counters);
}

/** Reads the whole history, oldest first. */
async function readPast(read: Read): Promise<HistoryEntry[]> {
  const past: HistoryEntry[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: HistoryPage = await read<HistoryPage>(`/Reservation/history?limit=${HISTORY_PAGE}${after}`);
    past.push(...page.entries);
    cursor = page.next;
  }
  return past.reverse();
}

/** Looks at what others do. */

export async function look(caller: Caller): Promise<void> {
  const { random } = caller;
  const resource = random.pick([...PLAIN, 'pool', 'wide', 'rail', 'root']);
  const drawn = random.next();
  if (drawn < 0.3) await caller.call('available', resource);
  else if (drawn < 0.6)
    await caller.call('check', [{ resource }, { resource: random.pick(PLAIN), requester: 'nobody' }]);
  else if (drawn < 0.8) await caller.call('active', resource);
  else if (drawn < 0.9) await caller.call('waiting', null);
  else await caller.call('past', { resource });
}

/** Looks into Redis for what does not fit together once nothing happens any more. */

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const asLocal = (name: string, path: string) => `local ${name} = (function()\n${read(path)}\nend)()\n`;
const SCRIPT = `${asLocal('codec', '../../../lua/slots/codec.lua')}${asLocal('hotField', '../../../lua/frame/hot.lua')}
${read('./inconsistencies.lua')}`;
/** In the order of the script's header. */
const KEYS = ['tenant', 'slots', 'due', 'pools', 'tickets', 'queues', 'waits', 'sessions', 'sessionsDue'];

const Lines = z.array(z.string());

/** Returns lines that say what is wrong in the state of a tenant; none if all is well. */
export async function findInconsistencies(system: System, tenant: string): Promise<string[]> {
  const keys = KEYS.map((key) => `{${tenant}}:${key}`);
  return Lines.parse(await system.command(await system.primaryOf(tenant), 'EVAL_RO', SCRIPT, keys.length, ...keys));
}
