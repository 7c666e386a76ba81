/**
 * Two versions of the code side by side on the same data, as in a rolling update: scripts of either work on what the
 * other's wrote, and are found by their own text, whatever Redis has forgotten.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sweep } from '../../src/engine/expiry/sweep.ts';
import { active } from '../../src/engine/reservations/active.ts';
import { unpackToken } from '../../src/engine/reservations/releaseToken.ts';
import { renew } from '../../src/engine/reservations/renew.ts';
import { reserve } from '../../src/engine/reservations/reserve.ts';
import { unreserve } from '../../src/engine/reservations/unreserve.ts';
import { LUA_FOLDER } from '../../src/redis/scripts.ts';
import { STEERED_CLOCK, setClock } from '../support/clock.ts';
import { startEngine } from '../support/engine.ts';
import { all } from '../support/listed.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { check } from '../support/verbs.ts';
import { watch } from '../support/watch.ts';

/** Text of another version: all scripts include it, so all of them differ. */
const clock = `${readFileSync(join(LUA_FOLDER, 'lib', 'clock.lua'), 'utf8')}\n-- another version\n`;

describe('two versions of the scripts', () => {
  test('serve the same tenant at the same time', async () => {
    const keys = [makeConfiguredKey(makeTenant())];
    const [old, young] = await Promise.all([startInstance({ keys }), startInstance({ keys, includes: { clock } })]);
    await old.register(
      { name: 'pool', capacity: 4, treePath: 'root', blocks: ['tool'] },
      { name: 'root', capacity: 9 },
    );
    const stream = await watch(old);
    for (const [taking, giving] of [
      [old, young],
      [young, old],
    ] as const) {
      const [result] = (await taking.reserve({ resource: 'pool', requester: 'r', ttlSeconds: 60 })).body;
      const token = { resource: 'pool', requester: 'r', releaseToken: result?.releaseToken ?? undefined };
      await taking.redis.script('FLUSH');
      const again = await giving.reserve({ resource: 'pool', requester: 'r' });
      expect(again.body).toMatchObject([{ status: 'ALREADY_HAD', releaseToken: token.releaseToken }]);
      expect((await giving.renew({ ...token, ttlSeconds: 60 })).body).toMatchObject([{ status: 'RENEWED' }]);
      expect((await giving.unreserve(token)).body).toMatchObject([{ released: ['pool_0', 'root_0', 'tool'] }]);
    }
    expect((await stream.count(6)).map(({ type }) => type)).toEqual([
      'RESERVED',
      'RENEWED',
      'UNRESERVED',
      'RESERVED',
      'RENEWED',
      'UNRESERVED',
    ]);
    stream.close();
    await Promise.all([old.stop(), young.stop()]);
  });
});

describe('the due set (lua/lib/due.lua)', () => {
  // Ahead of the real clock, by which other tests' instances end leases.
  const start = Date.UTC(2050, 0, 1);
  // The members of the slots a to d: as this release writes them, and as the next one will.
  const forms: [string, string[]][] = [
    ['of this release', ['a', 'b', 'c', 'd']],
    [
      'of the next release',
      ['2524608000000000\na', '2524608000000001\nb', '2524608000000002\nc', '2524608000000003\nd'],
    ],
  ];

  test.each(forms)('has members in the form %s', async (_, members) => {
    const running = await startEngine();
    const { engine, credential } = running;
    const due = `{${credential.tenant}}:due`;
    const stored = () => engine.redis.zrange(due, '0', '-1', 'WITHSCORES');
    const listed = async () => (await all(active(engine, credential))).map(({ resource }) => resource).sort();
    await setClock(engine.redis, credential.tenant, start);
    const items = ['a', 'b', 'c', 'd'].map((resource) => ({ resource, requester: 'r', ttlSeconds: 60 }));
    const { result: held } = await reserve(engine, credential, items);
    expect(held.map(({ fencingToken }) => fencingToken)).toEqual([0, 1, 2, 3].map((i) => start * 1000 + i));
    await engine.redis.del(due);
    for (const member of members) await engine.redis.zadd(due, start + 60_000, member);
    expect(await listed()).toEqual(['a', 'b', 'c', 'd']);

    const [, b, c, d] = held;
    if (b === undefined || c === undefined || d === undefined) throw new Error('not reserved');
    expect((await renew(engine, credential, [{ ...b, ttlSeconds: 600 }])).result).toMatchObject([
      { status: 'RENEWED' },
    ]);
    expect((await unreserve(engine, credential, [c])).result).toMatchObject([{ released: ['c'] }]);
    // Released and reserved again by others: another reservation stands on the slot.
    await unreserve(engine, credential, [d]);
    await reserve(engine, credential, [{ resource: 'd', requester: 's', ttlSeconds: 900 }]);
    expect(await stored()).toEqual([
      members[0],
      `${start + 60_000}`,
      'b',
      `${start + 600_000}`,
      'd',
      `${start + 900_000}`,
    ]);
    expect(await listed()).toEqual(['a', 'b', 'd']);

    await setClock(engine.redis, credential.tenant, start + 60_000);
    expect(await listed()).toEqual(['b', 'd']);
    expect(await stored()).toEqual(['b', `${start + 600_000}`, 'd', `${start + 900_000}`]);
    expect(await engine.redis.hmget(`{${credential.tenant}}:tenant`, 'count', 'nextDue')).toEqual([
      '2',
      `${start + 600_000}`,
    ]);
    await sweep(engine.redis);
    expect(await listed()).toEqual(['b', 'd']);
    running.stop();
  });

  test('loses a member whose fencing token is not that of the reservation on its slot', async () => {
    const running = await startEngine();
    const { engine, credential } = running;
    const due = `{${credential.tenant}}:due`;
    await setClock(engine.redis, credential.tenant, start);
    await reserve(engine, credential, [{ resource: 'a', requester: 'r', ttlSeconds: 60 }]);
    await engine.redis.zadd(due, start + 1000, '2524607999999999\na');
    await engine.redis.hset(`{${credential.tenant}}:tenant`, 'nextDue', start + 1000);
    await setClock(engine.redis, credential.tenant, start + 2000);
    expect((await all(active(engine, credential))).map(({ resource }) => resource)).toEqual(['a']);
    expect(await engine.redis.zrange(due, '0', '-1')).toEqual(['a']);
    running.stop();
  });
});

describe('further fields of a reservation (lua/lib/codec.lua)', () => {
  const token = 'AAAAAAAAAAAAAAAAAAAAAA';
  const start = '\x06\x65\x17\x6c\x9d\x18\x00';
  const ms = '\x01\xa3\x18\x5c\x50\x00';
  // As form 3 was before there were further fields, but for the details.
  const record = (details: string) =>
    Buffer.from(`\x03\0\0\0\x01r\0\0\0${start}${ms}\0\0\0\0\0\0${token}Device\0\0a\0\0${details}\0`, 'latin1');
  const NOTED = '{"x":{"note":"build 4711"}}';
  const codec = readFileSync(join(LUA_FOLDER, 'lib', 'codec.lua'), 'utf8');
  /** Of the version before: it knows no further fields. */
  const codecBefore = codec.replace(/ {2}if string\.byte\(details, 3\) == FURTHER then\n(?: {4}.*\n)+ {2}end\n/, '');

  test.each([
    ['without any', '', undefined],
    ['with further fields', NOTED, 'build 4711'],
    ['with fields of a later version', '{"x":{"later":[1],"note":"n"},"p":"root>a"}', 'n'],
  ])('are read from literal bytes: %s', async (_, details, note) => {
    const { engine, credential, stop } = await startEngine();
    await engine.redis.hset(`{${credential.tenant}}:slots`, 'a', record(details));
    const [found] = await all(active(engine, credential));
    expect(found).toMatchObject({ resource: 'a', requester: 'r', resourceType: 'Device' });
    expect(found?.note).toBe(note);
    stop();
  });

  test('outlive a renewal by the version before, byte for byte', async () => {
    expect(codecBefore).not.toBe(codec);
    const { engine, credential, stop } = await startEngine(undefined, undefined, {
      clock: STEERED_CLOCK,
      codec: codecBefore,
    });
    const slots = `{${credential.tenant}}:slots`;
    await engine.redis.hset(slots, 'a', record(NOTED));
    const releaseToken = unpackToken(token);
    const item = { resource: 'a', requester: 'r', releaseToken, ttlSeconds: 60 };
    expect((await renew(engine, credential, [item])).result).toMatchObject([{ status: 'RENEWED' }]);
    const renewed = await engine.redis.hgetBuffer(slots, 'a');
    expect(renewed?.[0]).toBe(3);
    expect(renewed?.toString('latin1')).toContain(`a\0\0${NOTED}\0`);
    const [found] = await all(active(engine, credential));
    expect(found).toMatchObject({ note: 'build 4711', expiresAt: expect.any(String) });
    stop();
  });
});

describe('shared holds (lua/lib/shared.lua)', () => {
  const token = 'AAAAAAAAAAAAAAAAAAAAAA';
  const share = (requester: string, fence: string) =>
    Buffer.from(
      `\x03\0\0\0\x01${requester}\0\0\0\x06\x65\x17\x6c\x9d\x18${fence}\x01\xa3\x18\x5c\x50\0\0\0\0\0\0\0${token}\0\0a\0a\n\0{"m":"SHARED"}\0`,
      'latin1',
    );

  test.each([
    ['as this release writes it', 'r\ns\n\0', 's'],
    ['without its holders, as the previous release writes it', '', null],
  ])('have a record %s', async (_, holders, last) => {
    const { engine, credential, stop } = await startEngine();
    const slots = `{${credential.tenant}}:slots`;
    await engine.redis.hset(slots, 'a', Buffer.from(`\x01\0\0\0\x02system:a\0\0\0${holders}`, 'latin1'));
    await engine.redis.hset(slots, 'a\x01r\x01', share('r', '\x01'), 'a\x01s\x01', share('s', '\x02'));
    await engine.redis.hset(`{${credential.tenant}}:tenant`, 'count', 2);
    expect(await all(active(engine, credential))).toMatchObject([
      { resource: 'a', mode: 'SHARED' },
      { resource: 'a', mode: 'SHARED' },
    ]);
    const items = ['r', 's'].map((requester) => ({ resource: 'a', requester, releaseToken: unpackToken(token) }));
    const [r, s] = items.map((item) => [item]);
    expect((await unreserve(engine, credential, r ?? [])).result).toMatchObject([{ released: [] }]);
    expect(await check(engine, credential, [{ resource: 'a' }])).toMatchObject([{ requester: last, holders: 1 }]);
    const taken = await reserve(engine, credential, [{ resource: 'a', requester: 't', mode: 'SHARED' }]);
    expect(taken.result).toMatchObject([{ status: 'ACQUIRED' }]);
    expect((await unreserve(engine, credential, s ?? [])).result).toMatchObject([{ released: [] }]);
    expect(await check(engine, credential, [{ resource: 'a' }])).toMatchObject([{ requester: 't', holders: 1 }]);
    expect((await unreserve(engine, credential, taken.result)).result).toMatchObject([{ released: ['a'] }]);
    expect(await engine.redis.hlen(slots)).toBe(0);
    stop();
  });
});
