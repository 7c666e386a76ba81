/**
 * The Redis time of a reservation of 10 slots of a pool, beside that of a transaction for 10 named slots.
 */
import type { TransactionItem } from '../../src/contract/reservations.ts';
import { reserve } from '../../src/engine/reservations/reserve.ts';
import { transaction } from '../../src/engine/reservations/transaction.ts';
import { reset } from '../../src/engine/reservations/unreserve.ts';
import { inTurn, Series } from '../rounds.ts';
import { scriptTime } from '../scriptTime.ts';
import { register, type Stage } from '../stage.ts';
import type { Table } from '../table.ts';

const CAPACITY = 100_000;
const COUNT = 10;
const REQUESTS = 100;
const ROUNDS = 20;
const AT_MOST = 0.6;

/** Makes requests, then releases everything. Returns the Redis time of a slot, in µs. */
async function slots({ engine, credential, redis }: Stage, request: (i: number) => Promise<unknown>): Promise<number> {
  const us = await scriptTime(redis, async () => {
    for (let i = 0; i < REQUESTS; i++) await request(i);
  });
  await reset(engine, credential);
  return us / REQUESTS / COUNT;
}

export async function count(stage: Stage, table: Table): Promise<void> {
  const { engine, credential } = stage;
  await register(stage, stage.tenant, [{ name: 'huge', capacity: CAPACITY }]);
  const itemOf = (slot: number): TransactionItem => ({
    requestType: 'RESERVE',
    resource: `huge_${CAPACITY - 1 - slot}`,
    requester: 'r',
  });
  const named = new Series(() =>
    slots(stage, (i) => {
      const items = Array.from({ length: COUNT }, (_, at) => itemOf(i * COUNT + at));
      return transaction(engine, credential, 'ALL_OR_NONE', items);
    }),
  );
  const counted = new Series(() =>
    slots(stage, (i) => reserve(engine, credential, [{ resource: 'huge', requester: `r${i}`, count: COUNT }])),
  );
  await inTurn([named, counted], ROUNDS);
  table.add({
    what: `Redis time of a slot, of a reservation with count: ${COUNT}`,
    figure: counted.figure(Number),
    unit: 'µs',
    beside: { what: `of a transaction for ${COUNT} named slots`, figure: named.figure(Number) },
    target: { of: 'ratio', atMost: AT_MOST },
  });
}
