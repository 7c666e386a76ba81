/**
 * Compares the Redis time of SHARED holds with that of EXCLUSIVE ones, in turn: each on a name of its own, and many on
 * one name.
 */
import type { Credential } from '../../src/domain/tenants.ts';
import type { Engine } from '../../src/engine/call.ts';
import { reserve } from '../../src/engine/reservations/reserve.ts';
import { unreserve } from '../../src/engine/reservations/unreserve.ts';
import { figureOf } from '../rounds.ts';

const ROUNDS = 25;
const HOLDS = 200;

const KINDS = {
  EXCLUSIVE: (i: number) => ({ resource: `alone-${i}` }),
  'SHARED, each on a name of its own': (i: number) => ({ resource: `alone-${i}`, mode: 'SHARED' as const }),
  'SHARED, all on one name': () => ({ resource: 'together', mode: 'SHARED' as const }),
};

/**
 * Runs cycles of reserve and unreserve.
 * @param timed runs a function and returns the Redis time of scripts meanwhile, in µs
 * @returns for each kind of hold, the median time of a cycle in µs, and how it compares with EXCLUSIVE
 */
export async function compareShared(
  engine: Engine,
  credential: Credential,
  timed: (run: () => Promise<void>) => Promise<number>,
): Promise<{ readonly what: string; readonly us: number; readonly ratio: number }[]> {
  const times = new Map(Object.keys(KINDS).map((what) => [what, [] as number[]]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [what, itemOf] of Object.entries(KINDS)) {
      const us = await timed(async () => {
        const held = [];
        for (let i = 0; i < HOLDS; i++) {
          const item = { ...itemOf(i), requester: `worker-${round}-${i}`, ttlSeconds: 600 };
          held.push(...(await reserve(engine, credential, [item])).result);
        }
        for (const one of held) await unreserve(engine, credential, [one]);
      });
      times.get(what)?.push(us / HOLDS);
    }
  const exclusive = times.get('EXCLUSIVE') ?? [];
  return [...times].map(([what, all]) => ({
    what,
    us: figureOf(all).median,
    ratio: figureOf(all.map((us, round) => us / (exclusive[round] ?? Number.NaN))).median,
  }));
}
