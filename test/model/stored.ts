/**
 * What a tenant's keys in Redis hold, read by the words of lua/includes/codec.lua, and whether it is just what the model says:
 * every slot has one owner, every need is a plan that names it, nothing is held that no reservation needs, and every count and
 * index agrees with the records.
 */

import { expect } from 'vitest';
import { expiryKey, expiryShard } from '../../src/engine/keys.ts';
import type { RedisClient } from '../../src/engine/redis.ts';
import { type Model, slotName } from './model.ts';

/** Throws where they disagree. */
export async function compareStored(redis: RedisClient, tenant: string, model: Model): Promise<void> {
  const base = `{${tenant}}:`;
  const epoch = (await redis.hget(`${base}tenant`, 'epoch')) ?? '0';
  const [counters, slots, due, assigned, loose, names, definitions, children, pools, indexed] = await Promise.all([
    redis.hgetall(`${base}tenant`),
    redis.hgetallBuffer(`${base}slots:${epoch}`),
    redis.zrange(`${base}due:${epoch}`, '0', '-1', 'WITHSCORES'),
    redis.hgetall(`${base}assigned:${epoch}`),
    redis.hgetall(`${base}loose:${epoch}`),
    redis.zrange(`${base}names`, '0', '-1'),
    redis.hkeys(`${base}definitions`),
    redis.zrange(`${base}children`, '0', '-1'),
    redis.smembers(`${base}pools:${epoch}`),
    redis.zscore(expiryKey(expiryShard(tenant)), tenant),
  ]);

  const holds = model.holds;
  const isPooled = ({ of, slot }: { of: string; slot: string }) => of !== slot;
  const expected = holds.map((hold) => {
    const reservation = model.reservations.find(({ own }) => own === hold);
    return [
      hold.slot,
      {
        owner: hold.owner,
        needs: model.reservations.filter(({ own, others }) => own === hold || others.includes(hold)).length,
        pool: isPooled(hold) ? hold.of : '',
        byName: isPooled(hold) && hold.byName,
        reservation: reservation && {
          fence: reservation.fence,
          reservedAt: reservation.reservedAt,
          expiresAt: reservation.expiresAt ?? 0,
          asked: reservation.asked,
          plan: reservation.others.map(({ slot }) => slot),
        },
      },
    ];
  });
  const found = Object.entries(slots).map(([slot, record]) => [slot, readStored(slot, record)]);
  expect(Object.fromEntries(found), 'slots').toEqual(Object.fromEntries(expected));

  const leases = model.reservations.filter(({ expiresAt }) => expiresAt !== null);
  const leaseRows = leases.map(({ own, expiresAt }) => [own.slot, expiresAt]);
  expect(
    pairs(due)
      .map(([slot, ms]) => [slot, Number(ms)])
      .sort(),
    'due',
  ).toEqual(leaseRows.sort());
  expect(Number(counters.count ?? 0), 'count').toBe(model.reservations.length);
  const earliest = Math.min(...leases.map(({ expiresAt }) => expiresAt ?? 0));
  expect(toMs(counters.nextDue), 'nextDue').toBeLessThanOrEqual(earliest);
  if (leases.length > 0) expect(Number(indexed ?? Number.POSITIVE_INFINITY), 'index').toBeLessThanOrEqual(earliest);

  const pooled = holds.filter(isPooled);
  expect(assigned, 'assigned').toEqual(
    Object.fromEntries(pooled.filter(({ byName }) => !byName).map(({ of, owner, slot }) => [`${of}\n${owner}`, slot])),
  );
  const loosely = new Map<string, number>();
  for (const { slot } of holds.filter((hold) => !isPooled(hold))) {
    const [name] = slotName(slot) ?? [];
    if (name !== undefined) loosely.set(name, (loosely.get(name) ?? 0) + 1);
  }
  expect(loose, 'loose').toEqual(Object.fromEntries([...loosely].map(([name, count]) => [name, String(count)])));
  for (const pool of new Set([...pools, ...pooled.map(({ of }) => of)])) {
    const bits: number[] = [];
    for (const [i, byte] of [...((await redis.getBuffer(`${base}bits:${epoch}:${pool}`)) ?? [])].entries()) {
      for (let bit = 0; bit < 8; bit++) if (byte & (128 >> bit)) bits.push(i * 8 + bit);
    }
    const held = pooled.filter(({ of }) => of === pool).map(({ slot }) => slotName(slot)?.[1]);
    expect(bits, `bits of ${pool}`).toEqual(held.sort());
    if (held.length > 0) expect(pools, 'pools').toContain(pool);
  }

  const registered = [...model.definitions.keys()].sort();
  expect(names.sort(), 'names').toEqual(registered);
  expect(definitions.sort(), 'definitions').toEqual(registered);
  expect(Number(counters.definitions ?? 0), 'number of definitions').toBe(registered.length);
  const below = [...model.definitions].flatMap(([name, { parent }]) => (parent === null ? [] : [`${parent}\n${name}`]));
  expect(children.sort(), 'children').toEqual(below.sort());
}

const toMs = (text: string | undefined) =>
  text === undefined || text === 'inf' ? Number.POSITIVE_INFINITY : Number(text);

function pairs(flat: string[]): [string, string][] {
  return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i] ?? '', flat[2 * i + 1] ?? '']);
}

function readStored(slot: string, record: Buffer) {
  let at = 0;
  const integer = (bytes: number) => {
    const value = [...record.subarray(at, at + bytes)].reduce((sum, byte) => sum * 256 + byte, 0);
    at += bytes;
    return value;
  };
  const text = () => {
    const end = record.indexOf(0, at);
    const value = record.toString('utf8', at, end);
    at = end + 1;
    return value;
  };
  const form = integer(1);
  const needs = form === 2 ? 1 : integer(4);
  const owner = text();
  const pool = form === 2 ? '' : text();
  const byName = form === 2 ? false : integer(1) === 1;
  if (form === 1) return { owner, needs, pool, byName, reservation: undefined };
  const [fence, reservedAt, expiresAt] = [integer(7), integer(6), integer(6)];
  at += 22;
  text();
  text();
  const asked = form === 2 ? slot : text();
  const plan = form === 2 ? [] : text().split('\n').slice(0, -1);
  return { owner, needs, pool, byName, reservation: { fence, reservedAt, expiresAt, asked, plan } };
}
