/**
 * Bodies of requests: how much of them an instance holds at once, and how long it waits for one. Nothing here depends
 * on how fast the machine is.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeKey } from '../../src/identity/credentials.ts';
import {
  body,
  Caller,
  callers,
  get,
  item,
  key,
  keys,
  LARGE,
  MAX_IN_FLIGHT,
  REFUSED,
  start,
} from '../support/caller.ts';
import type { InstanceProcess } from '../support/process.ts';
import { until } from '../support/until.ts';

let holdfast: InstanceProcess;
beforeAll(async () => {
  holdfast = await start({ MAX_IN_FLIGHT: String(MAX_IN_FLIGHT) });
});
afterAll(() => holdfast.kill('SIGKILL'));

describe('large bodies', () => {
  const MIB = 1_048_576;

  test('are taken up to 8 MiB of what has arrived of them; smaller ones besides', async () => {
    const instance = await start();
    const all = callers(8, instance);
    const HELD_BACK = 100;
    const most = body(MIB).slice(0, -HELD_BACK);
    for (const caller of all) await caller.head(MIB).body(most).flushed();
    // None of them is to count as stalled, however slow the machine is.
    let dripped = 0;
    const dripping = setInterval(() => {
      dripped++;
      for (const caller of all) caller.body(' ');
    }, 500);
    const large = new Caller(instance, keys[8]?.key ?? '');
    // Each answer takes an iteration of the event loop, and each iteration takes a piece of every body that is in the
    // kernel's hands.
    for (let round = 0; round < 100; round++) await (await fetch(`${instance.url}/healthz`)).text();
    expect(await large.head(LARGE).body(body(LARGE)).answer()).toEqual(REFUSED);
    // One that does not say how large it is may be large.
    const undeclared = new Caller(instance, key.key).head(undefined).body(chunk(body(LARGE)));
    const small = new Caller(instance, key.key).head(16_384).body(body(16_384));
    // So large that it is refused unread: its answer says so.
    const tooLarge = new Caller(instance, key.key).head(MIB + 1);
    expect(await undeclared.answer()).toEqual(REFUSED);
    expect((await small.answer()).status).toBe(200);
    expect(await tooLarge.answer()).toMatchObject({ status: 413, body: { code: 'BODY_TOO_LARGE' } });
    clearInterval(dripping);
    for (const caller of all) caller.body(' '.repeat(HELD_BACK - dripped));
    for (const caller of all) expect((await caller.answer()).status).toBe(200);
    instance.kill('SIGKILL');
  });

  test('of one tenant leave room for those of others while they arrive', async () => {
    const instance = await start();
    const hog = Array.from({ length: 8 }, () => new Caller(instance, key.key));
    for (const caller of hog) await caller.head(MIB).body(body(MIB).slice(0, -1)).flushed();
    await until('half of them are refused', () => hog.filter(({ answers }) => answers.length > 0).length === 4);
    for (const caller of hog.filter(({ answers }) => answers.length > 0))
      expect(await caller.answer()).toEqual(REFUSED);
    const other = new Caller(instance, keys[1]?.key ?? '').head(MIB).body(body(MIB));
    expect((await other.answer()).status).toBe(200);
    instance.kill('SIGKILL');
  });

  test('without a valid key are refused before they are read, and take nobody’s room', async () => {
    const instance = await start();
    const unknown = Array.from({ length: 20 }, () => new Caller(instance, makeKey(key.tenant)).head(MIB));
    for (const caller of unknown)
      expect(await caller.answer()).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
    const items = JSON.stringify(Array.from({ length: 400 }, item));
    expect(items.length).toBeGreaterThan(16_384);
    expect((await new Caller(instance, key.key).head(items.length).body(items).answer()).status).toBe(200);
    instance.kill('SIGKILL');
  });
});

/** A body as its only chunk. */
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

describe('a body that does not come', () => {
  test('keeps nobody out, however many there are', async () => {
    const waiting = Array.from({ length: 4 * MAX_IN_FLIGHT }, () => new Caller(holdfast, key.key).head(256).body('['));
    await Promise.all(waiting.map((caller) => caller.flushed()));
    for (const one of callers(3, holdfast)) {
      await one.head(256).flushed();
      expect((await one.body(body()).answer()).status).toBe(200);
    }
    expect((await get(holdfast, '/api/v1/Resource/available/r')).status).toBe(200);
    expect(waiting.filter(({ answers }) => answers.length > 0)).toEqual([]);
    for (const caller of waiting) caller.close();
  });

  // These wait for real time, side by side.
  test.concurrent.each([
    ['small', 256],
    ['large', LARGE],
  ])('%s: is cut off after 5 s', async (_, bytes) => {
    const begin = performance.now();
    const one = new Caller(holdfast, key.key).head(bytes).body('[');
    expect(await one.answer()).toMatchObject({ status: 408, body: { code: 'BODY_TIMEOUT' } });
    expect(performance.now() - begin).toBeGreaterThan(4900);
    expect(performance.now() - begin).toBeLessThan(9000);
    await until('it is closed', () => one.isClosed);
  });

  test.concurrent('bit by bit: is cut off after 10 s', async () => {
    const one = new Caller(holdfast, key.key).head(1000);
    const dripping = setInterval(() => one.body(' '), 1000);
    await until('it is cut off', () => one.isClosed, 18_000);
    clearInterval(dripping);
  });
});
