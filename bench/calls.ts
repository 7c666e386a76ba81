/**
 * `npm run bench:calls`: measures the Redis time of reserve, check and unreserve while nobody waits. With
 * `-- --against <folder>` it compares this checkout with another one: the scripts and the engine of both, in turn, on
 * one private Redis. Takes under a minute.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startRedis } from '../scripts/redisServer.ts';
import { type Checkout, freshName, type Kind, openCheckout, VERBS } from './checkout.ts';
import { figureOf } from './rounds.ts';
import { machine } from './table.ts';

const HERE = fileURLToPath(new URL('..', import.meta.url));
/** The number of calls of a verb before it is the other checkout's turn, by the number of items of a call. */
const CALLS: Readonly<Record<number, number>> = { 1: 200, 50: 20 };
const ROUNDS = 25;
const WARM_UP = 3;

const KINDS: readonly Kind[] = Object.keys(CALLS)
  .map(Number)
  .flatMap((size) => [
    { what: 'plain name', size, name: () => freshName('plain') },
    { what: 'plain name, with a lease', size, name: () => freshName('leased'), ttlSeconds: 600 },
    { what: 'pool of 100,000', size, name: () => 'pool' },
    { what: 'leaf at depth 3', size, name: () => 'leaf' },
  ]);

const { against } = parseArgs({ options: { against: { type: 'string' } } }).values;
const server = await startRedis((line) => console.error(line));
const here = await openCheckout(HERE, 'here', server.url);
const there = against === undefined ? undefined : await openCheckout(resolve(against), 'there', server.url);
const checkouts = [here, ...(there === undefined ? [] : [there])];
/** The time of each verb's calls by kind, in µs. */
const timesOf = new Map(checkouts.map((checkout) => [checkout, new Map<string, number[]>()]));
try {
  for (let round = -WARM_UP; round < ROUNDS; round++)
    // Each is first in every other round.
    for (const kind of KINDS)
      for (const verb of VERBS)
        for (const one of round % 2 === 0 ? checkouts : checkouts.toReversed()) await measure(one, verb, kind, round);
  print();
} finally {
  for (const { redis } of checkouts) redis.disconnect();
  await server.stop();
}

async function measure(checkout: Checkout, verb: (typeof VERBS)[number], kind: Kind, round: number): Promise<void> {
  await checkout.redis.config('RESETSTAT');
  await checkout.run(verb, kind, callsOf(kind));
  const stats = await checkout.redis.info('commandstats');
  const us = Number(/cmdstat_(?:evalsha|fcall):calls=\d+,usec=(\d+)/.exec(stats)?.[1]);
  if (round < 0) return;
  const name = nameOf(verb, kind);
  const times = timesOf.get(checkout);
  times?.set(name, [...(times.get(name) ?? []), us / callsOf(kind)]);
}

function callsOf({ size }: Kind): number {
  return CALLS[size] ?? 1;
}

function nameOf(verb: string, { what, size }: Kind): string {
  return `${verb}, ${what}, ${size === 1 ? '1 item' : `${size} items`} a call`;
}

function print(): void {
  console.log(`Redis time of a call in µs, median of ${ROUNDS} rounds`);
  for (const verb of VERBS)
    for (const kind of KINDS) {
      const name = nameOf(verb, kind);
      const [mine = [], other = []] = checkouts.map((one) => timesOf.get(one)?.get(name) ?? []);
      const ratio = figureOf(mine.map((us, i) => us / (other[i] ?? Number.NaN))).median;
      const beside =
        there === undefined ? '' : `   there ${figureOf(other).median.toFixed(2)}   ratio ${ratio.toFixed(3)}`;
      console.log(`${name.padEnd(56)} ${figureOf(mine).median.toFixed(2)}${beside}`);
    }
  for (const [name, value] of Object.entries(machine())) console.log(`${name}: ${value}`);
}
