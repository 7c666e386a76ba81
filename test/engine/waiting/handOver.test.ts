/**
 * A plain name that its holder releases goes to the first call in its line, and a call that finds it held joins the
 * line: each in one script that takes the short way (lua/plain/handOver.lua, lua/plain/join.lua).
 */
import { describe, expect, inject, test } from 'vitest';
import type { Engine } from '../../../src/engine/engine.ts';
import { newReleaseToken, unpackToken } from '../../../src/engine/reservations/releaseToken.ts';
import { reserve as reserveWith } from '../../../src/engine/reservations/reserve.ts';
import { beat } from '../../../src/engine/waiting/beat.ts';
import { STEERED_CLOCK, setClock } from '../../support/clock.ts';
import { startEngine } from '../../support/engine.ts';
import { FAIL_AT, failingRun } from '../../support/failing.ts';
import { restore, snapshotOf, storedIn } from '../../support/hotRecord.ts';
import { typesIn, wantEvents } from '../../support/outbox.ts';
import { scriptCommands } from '../../support/scriptCommands.ts';
import { reserve, unreserve } from '../../support/verbs.ts';
import { askFor, become, register, release as releaseHeld, take } from '../../support/waitingConditions.ts';
import { CALL, queue, running, useWaitingEngine } from '../../support/waitingEngine.ts';

const START = Date.UTC(2050, 0, 1);
useWaitingEngine(START);

interface Asked {
  readonly requester: string;
  readonly ticket: string;
  readonly token: string;
}

const keyOf = (name: string) => `{${running.credential.tenant}}:${name}`;

/** Asks for the lamp, and waits for it in a long poll if somebody holds it. */
async function ask(requester: string, { waitSeconds = 600, engine = running.engine } = {}): Promise<Asked> {
  const token = newReleaseToken();
  const item = { resource: 'lamp', requester, ttlSeconds: 60, waitSeconds };
  const { tickets } = await reserveWith(engine, running.credential, [item], { ...CALL, tokens: [token] });
  return { requester, ticket: tickets[0] ?? '', token };
}

/** Begins a line: its holder, and those who wait. */
async function line(...requesters: readonly string[]): Promise<Asked[]> {
  await beat(running.engine, running.credential.tenant, CALL.instance);
  const all = [];
  for (const requester of requesters) all.push(await ask(requester));
  return all;
}

/** Releases a name, and offers it to calls. Returns the requester of each call that got it, with its reply. */
async function release({ requester, token }: Asked, calls: readonly Asked[], engine: Engine = running.engine) {
  let told: ReadonlyMap<string, string> = new Map();
  const call = {
    arg: () => CALL.instance + calls.map((one) => `\n${one.ticket} ${one.token}`).join(''),
    answered: (replies: ReadonlyMap<string, string>) => {
      told = replies;
    },
    failed: () => {},
  };
  const item = { resource: 'lamp', requester, releaseToken: unpackToken(token) };
  const results = await unreserve({ ...engine, handOver: () => call }, running.credential, [item]);
  expect(results).toMatchObject([{ status: 'RELINQUISHED' }]);
  return calls.flatMap((one) =>
    told.has(one.ticket) ? [`${one.requester} ${told.get(one.ticket)?.split('\n')[0]}`] : [],
  );
}

const commandsOf = async (work: () => Promise<unknown>) =>
  // The history is trimmed now and then.
  (await scriptCommands(inject('redisUrl'), running.credential.tenant, work)).filter((one) => one !== 'xtrim history');

describe('a change of owner', () => {
  test('takes as many commands of Redis for a long line as for a short one', async () => {
    const [holder, first, second] = await line('ann', 'bob', 'cid');
    if (!holder || !first || !second) throw new Error('no line');
    const released = await commandsOf(() => release(holder, [first]));
    const joined = await commandsOf(() => ask('dan'));
    for (let i = 0; i < 40; i++) await ask(`requester-${i}`);
    expect(await commandsOf(() => release(first, [second]))).toEqual(released);
    expect(await commandsOf(() => ask('last'))).toEqual(joined);
    expect([released.length, joined.length]).toEqual([14, 10]);
  });

  test('goes to the first in the line, with a new fencing token', async () => {
    const [holder, first, second] = await line('ann', 'bob', 'cid');
    if (!holder || !first || !second) throw new Error('no line');
    await setClock(running.engine.redis, running.credential.tenant, START + 250);
    expect(await release(holder, [second, first])).toEqual(['bob ACQUIRED']);
    expect(await queue()).toEqual(['cid: lamp']);
    const { redis } = running.engine;
    const sizes = [redis.hlen(keyOf('tickets')), redis.zcard(keyOf('queues')), redis.zcard(keyOf('waits'))];
    expect(await Promise.all(sizes)).toEqual([1, 3, 1]);
    const [held] = await reserve(running.engine, running.credential, [{ resource: 'lamp', requester: 'bob' }]);
    expect(held).toMatchObject({
      status: 'ALREADY_HAD',
      releaseToken: unpackToken(first.token),
      expiresAt: new Date(START + 60_250).toISOString(),
      fencingToken: (START + 250) * 1000,
    });
  });

  test('leaves nothing of the queue behind with the last ticket', async () => {
    const [holder, only] = await line('ann', 'bob');
    if (!holder || !only) throw new Error('no line');
    expect(await release(holder, [only])).toEqual(['bob ACQUIRED']);
    const { redis } = running.engine;
    expect(await redis.exists(keyOf('tickets'), keyOf('queues'), keyOf('waits'))).toBe(0);
    expect(await redis.hget(keyOf('tenant'), 'queue')).toBeNull();
    // The two take turns.
    await setClock(redis, running.credential.tenant, START + 250);
    const again = await ask('ann');
    expect(Number(again.ticket)).toBeGreaterThan(Number(only.ticket));
    expect(await release(only, [again])).toEqual(['ann ACQUIRED']);
  });

  test('is told in the order of its steps, and to each holder once that somebody waits', async () => {
    await wantEvents(running, { types: ['*'] });
    const [holder, first, second] = await line('ann', 'bob', 'cid');
    if (!holder || !first || !second) throw new Error('no line');
    await release(holder, [first, second]);
    await ask('dan');
    await ask('eve');
    expect(await typesIn(running.engine.redis, running.credential.tenant)).toEqual([
      ...['RESERVED', 'WAITING', 'WANTED', 'WAITING'],
      ...['UNRESERVED', 'RESERVED', 'WAIT_ENDED'],
      ...['WAITING', 'WANTED', 'WAITING'],
    ]);
  });
});

test('a call that may wait takes a free name with one command more than others', async () => {
  const item = { resource: 'desk', requester: 'ann', ttlSeconds: 60 };
  // Now the due index has the tenant.
  await reserve(running.engine, running.credential, [{ ...item, resource: 'first' }]);
  const others = await commandsOf(() => reserve(running.engine, running.credential, [item]));
  expect(await commandsOf(() => ask('ann'))).toHaveLength(others.length + 1);
});

test('a ticket whose time is over gets nothing', async () => {
  const [holder] = await line('ann');
  const first = await ask('bob', { waitSeconds: 1 });
  const second = await ask('cid');
  if (!holder) throw new Error('no line');
  await setClock(running.engine.redis, running.credential.tenant, START + 1500);
  expect(await release(holder, [first, second])).toEqual(['cid ACQUIRED']);
});

test('a holder that waited leaves a resource dirty as others do', async () => {
  await register({ name: 'lamp', afterUse: 'dirty' });
  expect(await askFor('bob', 'lamp')).toBe('WAITING');
  await become('ready', 'lamp');
  await releaseHeld(await take('bob', 'lamp'));
  expect(await take('cid', 'lamp')).toMatchObject({ status: 'NOT_AVAILABLE' });
});

test('nothing is half done if a call of Redis fails', async () => {
  const [holder, first, second] = await line('ann', 'bob', 'cid');
  if (!holder || !first || !second) throw new Error('no line');
  const { redis } = running.engine;
  const keys = ['tenant', 'slots', 'due', 'tickets', 'queues', 'waits', 'history'].map(keyOf);
  const before = await snapshotOf(redis, keys);
  const stored = await storedIn(redis, keys);
  const includes = { 'frame/now': STEERED_CLOCK, 'frame/run': await failingRun(redis) };
  const failing = await startEngine(running.credential.tenant, inject('redisUrl'), includes);
  for (const work of [() => release(holder, [first], failing.engine), () => ask('dan', { engine: failing.engine })]) {
    let at = 0;
    let hasFailed = true;
    while (hasFailed) {
      at++;
      await restore(redis, before);
      await redis.set(FAIL_AT, at);
      hasFailed = await work().then(
        () => false,
        () => true,
      );
      await redis.del(FAIL_AT);
      if (hasFailed) expect(await storedIn(redis, keys), `call ${at} failed`).toEqual(stored);
    }
    expect(at).toBeGreaterThan(5);
  }
  failing.stop();
});
