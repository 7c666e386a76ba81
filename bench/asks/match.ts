/**
 * Reserving any resource that fits: among 100,000 labelled resources, all held but one.
 */
import { reserve } from '../../src/engine/reservations/reserve.ts';
import { unreserve } from '../../src/engine/reservations/unreserve.ts';
import { figureOf } from '../rounds.ts';
import { longestMs, longestRow, watchSlow } from '../slowlog.ts';
import { register, type Stage } from '../stage.ts';
import type { Table } from '../table.ts';

const PHONES = 100_000;
const ROUNDS = 1000;
/** Most scripts take less than the slow log usually records. */
const LOGGED_US = 10;

const phone = (i: number) => `phone${PHONES + i}`;
const wanted = { resource: 'os=android', match: { os: 'android' }, requester: 'picky' };

/** Reserves the free one by its labels, and releases it. */
async function pick({ engine, credential }: Stage): Promise<void> {
  const { result: items } = await reserve(engine, credential, [wanted]);
  if (items[0]?.resource !== phone(PHONES - 1)) throw new Error(`picked ${JSON.stringify(items)}`);
  await unreserve(engine, credential, items);
}

export async function match(stage: Stage, table: Table): Promise<void> {
  const { engine, credential, redis, tenant } = stage;
  const labels = { os: 'android' };
  await register(
    stage,
    tenant,
    Array.from({ length: PHONES }, (_, i) => ({ name: phone(i), labels })),
  );
  for (let from = 0; from < PHONES - 1; from += 250) {
    const count = Math.min(250, PHONES - 1 - from);
    const items = Array.from({ length: count }, (_, i) => ({ resource: phone(from + i), requester: 'holder' }));
    await reserve(engine, credential, items);
  }
  await watchSlow(redis, LOGGED_US);
  const start = performance.now();
  await pick(stage);
  table.add({
    what: 'first match among 100,000 resources, of which one is free',
    figure: figureOf([performance.now() - start]),
    unit: 'ms',
  });
  table.add(longestRow('the first match, in pieces', await longestMs(redis, LOGGED_US)));
  await watchSlow(redis, LOGGED_US);
  for (let i = 0; i < ROUNDS; i++) await pick(stage);
  table.add(longestRow('a match among 100,000 resources, of which one is free', await longestMs(redis, LOGGED_US)));
}
