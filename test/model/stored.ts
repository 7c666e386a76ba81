/**
 * Compares a tenant's keys in Redis, read as lua/slots/codec.lua describes them, with the model: every slot has one
 * owner, every reference is a plan that names it, nothing is held that no reservation needs, and every count and index
 * agrees with the records.
 */

import { expect } from 'vitest';
import type { RedisClient } from '../../src/redis/client.ts';
import { expiryKey, expiryShard } from '../../src/redis/keys.ts';
import { hotOf } from '../support/hotRecord.ts';
import type { Model } from './model.ts';
import { comparePast } from './past.ts';
import { type Hold, type Registered, type Reservation, slotName } from './state.ts';
import { compareConditions } from './storedConditions.ts';

const isShared = ({ details }: Reservation) => details.mode === 'SHARED';
/** The field of the hash of slots that has a reservation. */
export const fieldOf = (one: Reservation): string =>
  isShared(one) ? `${one.own.slot}\u0001${one.requester}\u0001` : one.own.slot;

/** The fields for the attributes of a definition: one, and one for each slot that has some. */
function fieldsOfAttributes([name, { attributes = {}, slotAttributes = [] }]: [string, Registered]): string[] {
  if (Object.keys(attributes).length === 0 && slotAttributes.length === 0) return [];
  const fields = slotAttributes.map((set, i) => (Object.keys(set).length === 0 ? [] : [`\u0005${name}\n${i}`]));
  return [`\u0005${name}`, ...fields.flat()];
}

/** @throws if they disagree */
export async function compareStored(redis: RedisClient, tenant: string, model: Model): Promise<void> {
  const base = `{${tenant}}:`;
  const [hot, resets, slots, due, pools, definitions, nameIndex, dueIndexed, conditions, clean] = await Promise.all([
    hotOf(redis, tenant),
    redis.hget(`${base}tenant`, 'resets'),
    redis.hgetallBuffer(`${base}slots`),
    redis.zrange(`${base}due`, '0', '-1', 'WITHSCORES'),
    redis.hgetallBuffer(`${base}pools`),
    redis.hgetallBuffer(`${base}definitions`),
    redis.zrange(`${base}nameIndex`, '0', '-1'),
    redis.zscore(expiryKey(expiryShard(tenant)), tenant),
    redis.hgetallBuffer(`${base}conditions`),
    redis.hgetallBuffer(`${base}clean`),
  ]);

  const holds = model.holds;
  const isPooled = ({ of, slot }: { of: string; slot: string }) => of !== slot;
  const expected: [string, unknown][] = holds.map((hold) => {
    const reservation = model.reservations.find(({ own, details }) => own === hold && details.mode !== 'SHARED');
    return [
      hold.slot,
      {
        owner: hold.owner,
        refCount: model.reservations.filter(({ own, others }) => own === hold || others.includes(hold)).length,
        pool: isPooled(hold) ? hold.of : '',
        byName: isPooled(hold) && hold.byName,
        reservation: reservation && storedOf(reservation, []),
      },
    ];
  });
  for (const one of model.reservations.filter(isShared))
    expected.push([
      fieldOf(one),
      { owner: one.requester, refCount: 1, pool: '', byName: false, reservation: storedOf(one, [one.own]) },
    ]);
  const found = Object.entries(slots).map(([slot, record]) => [slot, readStored(slot, record)]);
  expect(Object.fromEntries(found), 'slots').toEqual(Object.fromEntries(expected));

  const leases = model.reservations.filter(({ expiresAt }) => expiresAt !== null);
  const leaseRows = leases.map((one) => [fieldOf(one), one.expiresAt]);
  expect(
    pairs(due)
      .map(([slot, ms]) => [slot, Number(ms)])
      .sort(),
    'due',
  ).toEqual(leaseRows.sort());
  expect(hot.count, 'count').toBe(model.reservations.length);
  const several = model.reservations.flatMap(({ details }) => (details.slots ?? []).slice(1));
  expect(hot.moreSlots, 'moreSlots').toBe(several.length);
  const earliest = Math.min(...leases.map(({ expiresAt }) => expiresAt ?? 0));
  expect(hot.nextDue, 'nextDue').toBeLessThanOrEqual(earliest);
  const ends = [...model.sessions.values()].map(({ expiresAt }) => expiresAt);
  const first = Math.min(earliest, ...ends);
  if (first < Number.POSITIVE_INFINITY) expect(toMs(dueIndexed ?? undefined), 'dueIndex').toBeLessThanOrEqual(first);

  const pooled = holds.filter(isPooled);
  const fields = Object.entries(pools);
  expect(
    Object.fromEntries(fields.filter(([field]) => field.includes('\n')).map(([field, slot]) => [field, String(slot)])),
    'assigned',
  ).toEqual(
    Object.fromEntries(pooled.filter(({ byName }) => !byName).map(({ of, owner, slot }) => [`${of}\n${owner}`, slot])),
  );
  const taken = fields
    .filter(([field]) => field.includes('\u0001'))
    .flatMap(([field, bitmap]) => slotsIn(field, bitmap));
  const slotLike = holds.map(({ slot }) => slot).filter((slot) => /^.+_(0|[1-9]\d{0,5})$/.test(slot));
  expect(taken.sort(), 'bitmaps').toEqual(slotLike.sort());
  const summaries = fields.filter(([field]) => !field.includes('\n') && !field.includes('\u0001'));
  expect(Object.fromEntries(summaries.map(([pool, packed]) => [pool, packed.readUInt32BE(0)])), 'held').toEqual(
    Object.fromEntries(pooled.map(({ of }) => [of, pooled.filter((hold) => hold.of === of).length])),
  );
  for (const [pool, packed] of summaries) {
    const isOpen = (slot: string) => !slotLike.includes(slot) && model.conditionAt(slot) === 'ready';
    const firstFree = Array.from({ length: 1000 }, (_, i) => i).find((i) => isOpen(`${pool}_${i}`));
    if (model.capacityOf(pool) > 1)
      expect(packed.readUInt32BE(4), `from of ${pool}`).toBeLessThanOrEqual(firstFree ?? 0);
  }

  compareConditions(model, { conditions, clean, definitions, pools });

  const registered = [...model.definitions.keys()];
  const blocking = [...model.definitions].filter(([, { blocks }]) => blocks.length > 0);
  const labelled = [...model.definitions].filter(([, { labels = {} }]) => Object.keys(labels).length > 0);
  expect(
    Object.keys(definitions)
      .filter((field) => field !== '\u0003')
      .sort(),
    'definitions',
  ).toEqual(
    [
      ...registered,
      ...blocking.map(([name]) => `\u0001${name}`),
      ...labelled.map(([name]) => `\u0004${name}`),
      ...[...model.definitions].flatMap(fieldsOfAttributes),
    ].sort(),
  );
  for (const [name, { blocks }] of blocking)
    expect(String(definitions[`\u0001${name}`]), `blockers of ${name}`).toBe(blocks.join('\n'));
  expect(hot.definitions, 'number of definitions').toBe(registered.length);
  const indexOf = ([name, { parent, labels = {}, bookable }]: [string, Registered]) => {
    const [pool, place] = slotName(name) ?? [];
    const asSlot = pool === undefined ? [] : [`s${pool}\n${String(place).padStart(7, '0')}`];
    return [
      `n${name}`,
      `c${parent ?? ''}\n${name}`,
      ...(bookable ? [`b${name}`] : []),
      ...asSlot,
      ...Object.entries(labels).map(([key, value]) => `l${key}=${value}\n${name}`),
    ];
  };
  const isMark = (member: string) => /^[hijm]\d{10}\n/.test(member);
  expect(nameIndex.filter((member) => !isMark(member)).sort(), 'nameIndex').toEqual(
    [...model.definitions].flatMap(indexOf).sort(),
  );
  await comparePast(redis, tenant, slots);
  // A reset drops all marks: they have its number.
  const era = (resets ?? '0').padStart(10, '0');
  compareMarks(
    nameIndex.filter((member) => isMark(member) && member.slice(1, 11) === era),
    model,
  );
}

/** The kinds of marks of resources that have no free slot in a condition. */
const HELD_MARKS = { h: 'ready', i: 'dirty', j: 'out' } as const;

/** Compares what searches by labels have noted: resources that are held, and reservations that a match has made. */
function compareMarks(marks: readonly string[], model: Model): void {
  const ofKind = (kind: string) => marks.filter((mark) => mark.startsWith(kind)).map((mark) => mark.split('\n'));
  for (const [kind, condition] of Object.entries(HELD_MARKS))
    for (const [, label, name = ''] of ofKind(kind))
      expect(model.freeOf(name, condition), `${condition} slots of ${name}, marked with ${label}`).toBe(0);
  const made = model.reservations.filter(({ match }) => match !== undefined);
  expect(
    ofKind('m')
      .map(([, requester, , fence, slot]) => [requester, Number(fence), slot])
      .sort(),
    'made by a match',
  ).toEqual(made.map(({ requester, fence, own }) => [requester, fence, own.slot]).sort());
}

const storedOf = (one: Reservation, first: Hold[]) => ({
  fence: one.fence,
  reservedAt: one.reservedAt,
  expiresAt: one.expiresAt ?? 0,
  requestedName: one.requestedName,
  plan: [...first, ...one.others].map(({ slot }) => slot),
});

/** The slots that a chunk of a bitmap says are held. */
function slotsIn(field: string, bitmap: Buffer): string[] {
  const [name = '', chunk = ''] = field.split('\u0001');
  const found: string[] = [];
  for (const [i, byte] of bitmap.entries())
    for (let bit = 0; bit < 8; bit++)
      if (byte & (128 >> bit)) found.push(`${name}_${Number(chunk) * 512 + i * 8 + bit}`);
  return found;
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
  const refCount = form === 2 ? 1 : integer(4);
  const owner = text();
  const pool = form === 2 ? '' : text();
  const byName = form === 2 ? false : integer(1) === 1;
  if (form === 1) return { owner, refCount, pool, byName, reservation: undefined };
  const [fence, reservedAt, expiresAt] = [integer(7), integer(6), integer(6)];
  at += 22;
  text();
  text();
  const requestedName = form === 2 ? slot : text();
  const plan = form === 2 ? [] : text().split('\n').slice(0, -1);
  return { owner, refCount, pool, byName, reservation: { fence, reservedAt, expiresAt, requestedName, plan } };
}
