/**
 * The Redis time of SHARED holds, beside that of EXCLUSIVE ones: each on a name of its own, and many on one name.
 */
import { reserve } from '../../src/engine/reservations/reserve.ts';
import { unreserve } from '../../src/engine/reservations/unreserve.ts';
import { inTurn, Series } from '../rounds.ts';
import { scriptTime } from '../scriptTime.ts';
import type { Stage } from '../stage.ts';
import type { Table } from '../table.ts';

const ROUNDS = 25;
const HOLDS = 200;
const AT_MOST = 1.3;

let requesters = 0;

/** Returns the Redis time of a cycle of reserve and unreserve, in µs. */
async function cycles({ engine, credential, redis }: Stage, itemOf: (i: number) => { resource: string }) {
  const us = await scriptTime(redis, async () => {
    const held = [];
    for (let i = 0; i < HOLDS; i++) {
      const item = { ...itemOf(i), requester: `worker-${requesters++}`, ttlSeconds: 600 };
      held.push(...(await reserve(engine, credential, [item])).result);
    }
    for (const one of held) await unreserve(engine, credential, [one]);
  });
  return us / HOLDS;
}

export async function shared(stage: Stage, table: Table): Promise<void> {
  const mode = 'SHARED' as const;
  const exclusive = new Series(() => cycles(stage, (i) => ({ resource: `alone-${i}` })));
  const alone = new Series(() => cycles(stage, (i) => ({ resource: `alone-${i}`, mode })));
  const together = new Series(() => cycles(stage, () => ({ resource: 'together', mode })));
  await inTurn([exclusive, alone, together], ROUNDS);
  for (const [what, series] of [
    ['each on a name of its own', alone],
    ['all on one name', together],
  ] as const)
    table.add({
      what: `Redis time of a SHARED hold, ${what}`,
      figure: series.figure(Number),
      unit: 'µs',
      beside: { what: 'of an EXCLUSIVE one', figure: exclusive.figure(Number) },
      target: { of: 'ratio', atMost: AT_MOST },
    });
}
