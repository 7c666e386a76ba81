/**
 * A release hands its slot to a call that waits in a long poll of its instance: the grant is claimed in the same step
 * (docs/specification.md#waiting-order).
 */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { ReserveItem } from '../../src/contract/reservations.ts';
import { HoldfastError } from '../../src/domain/errors.ts';
import type { Credential } from '../../src/domain/tenants.ts';
import type { Caller } from '../../src/domain/waiting.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { cancel } from '../../src/engine/waiting/cancel.ts';
import { Bus } from '../../src/events/bus.ts';
import { createSubscriptions } from '../../src/redis/client.ts';
import { observeScripts } from '../../src/redis/scripts.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { LongPolls } from '../../src/waiting/longPolls.ts';
import { interceptScript, type RunningEngine, startEngine } from '../support/engine.ts';
import { wanted } from '../support/polls.ts';
import { makeTenant } from '../support/service.ts';
import { reserve, unreserve } from '../support/verbs.ts';

let running: RunningEngine;
let bus: Bus;
/** The verbs of all script calls, but for beats. */
const verbs: string[] = [];
const instances: LongPolls[] = [];
beforeAll(async () => {
  running = await startEngine(makeTenant(), inject('redisUrl'), {});
  observeScripts(running.engine.redis, (verb) => {
    if (verb !== 'beat') verbs.push(verb);
    return () => {};
  });
  bus = new Bus(createSubscriptions(inject('redisUrl'), running.engine.redis));
});
afterAll(async () => {
  for (const instance of instances) instance.leave();
  await Promise.all(instances.map((instance) => instance.close()));
  bus.close();
  running.stop();
});

/** An instance: its engine, and its long polls. */
function start(engine: Engine = { ...running.engine }) {
  const log = createLogger('silent');
  const calls = new LongPolls(engine, bus, { maxLongPolls: 100, log, onWaitEnded: () => {} });
  engine.handOver = calls.handOver;
  instances.push(calls);
  return { engine, calls };
}

async function take(resource: string) {
  const [owned] = await reserve(running.engine, running.credential, [{ resource, requester: 'owner' }]);
  return { resource, requester: 'owner', releaseToken: owned?.releaseToken ?? undefined };
}

const CONNECTED = (): Caller => ({ isGone: false, onGone: () => {} });

/** Begins a long poll, and waits until it has begun. */
async function hold(
  { calls }: { calls: LongPolls },
  item: ReserveItem,
  { pollSeconds = 20, credential = running.credential as Credential, caller = CONNECTED } = {},
) {
  let answer: ReturnType<LongPolls['reserve']> | undefined;
  await new Promise<void>((onLongPoll) => {
    answer = calls.reserve(credential, [item], pollSeconds, Object.assign(caller(), { onLongPoll }));
  });
  return async () => (await answer)?.result[0];
}

const release = ({ engine }: { engine: Engine }, item: Awaited<ReturnType<typeof take>>) =>
  unreserve(engine, running.credential, [item]);

/** Returns the verbs that some work calls. */
async function verbsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  verbs.length = 0;
  await work();
  return [...verbs];
}

describe('a release hands its slot over in one step', () => {
  test('to the first in the queue, with its whole lease', async () => {
    const one = start();
    const owner = await take('lamp');
    const [first, second] = [await hold(one, wanted('lamp', 'first')), await hold(one, wanted('lamp', 'second'))];
    const began = Date.now();
    const called = await verbsOf(async () => {
      await release(one, owner);
      const result = await first();
      expect(result).toMatchObject({ status: 'ACQUIRED', requester: 'first', waitedMs: expect.any(Number) });
      expect(Date.parse(result?.expiresAt ?? '')).toBeGreaterThanOrEqual(began + 60_000);
      await unreserve(one.engine, running.credential, [
        { ...owner, requester: 'first', releaseToken: result?.releaseToken ?? undefined },
      ]);
      expect(await second()).toMatchObject({ status: 'ACQUIRED', requester: 'second' });
    });
    expect(called).toEqual(['unreserve', 'unreserve']);
  });

  test('to the ticket of the highest priority among those of all instances', async () => {
    const [one, two] = [start(), start()];
    const owner = await take('desk');
    const low = await hold(one, wanted('desk', 'low'));
    const high = await hold(two, wanted('desk', 'high', { priority: 1 }));
    await release(one, owner);
    const result = await high();
    expect(result).toMatchObject({ status: 'ACQUIRED', requester: 'high' });
    await release(two, { ...owner, requester: 'high', releaseToken: result?.releaseToken ?? undefined });
    expect(await low()).toMatchObject({ status: 'ACQUIRED', requester: 'low' });
  });
});

describe('a grant is claimed by a call of its own', () => {
  test('if the request of the release has another credential', async () => {
    const one = start();
    const owner = await take('other');
    const first = await hold(one, wanted('other', 'first'));
    const other = { ...running.credential, credentialKey: '' };
    const called = await verbsOf(async () => {
      await unreserve(one.engine, other, [owner]);
      expect(await first()).toMatchObject({ status: 'ACQUIRED' });
    });
    expect(called).toContain('reserve');
  });

  test('if its lease is shorter than any claimSeconds', async () => {
    const one = start();
    const owner = await take('short');
    const first = await hold(one, wanted('short', 'first', { ttlSeconds: 4 }));
    const called = await verbsOf(async () => {
      await release(one, owner);
      expect(await first()).toMatchObject({ status: 'ACQUIRED' });
    });
    expect(called).toContain('reserve');
  });

  test('if its ticket has several long polls: all of them are answered', async () => {
    const one = start();
    const owner = await take('both');
    const calls = [await hold(one, wanted('both', 'first')), await hold(one, wanted('both', 'first'))];
    await release(one, owner);
    const results = await Promise.all(calls.map((answer) => answer()));
    expect(results.map((result) => result?.status).sort()).toEqual(['ACQUIRED', 'ALREADY_HAD']);
  });

  test('never if the caller has gone when the release is sent: it can be taken back', async () => {
    const one = start();
    const owner = await take('gone');
    let isGone = false;
    let tell = () => {};
    const caller = (): Caller => ({
      get isGone() {
        return isGone;
      },
      onGone: (callback) => {
        tell = callback;
      },
    });
    await hold(one, wanted('gone', 'first'), { caller });
    const second = await hold(one, wanted('gone', 'second'));
    isGone = true;
    const released = release(one, owner);
    tell();
    await released;
    const { result } = await cancel(one.engine, running.credential, [{ resource: 'gone', requester: 'first' }]);
    expect(result).toMatchObject([{ status: 'CANCELLED' }]);
    expect(await second()).toMatchObject({ status: 'ACQUIRED', requester: 'second' });
  });
});

describe('a call that may get what is released', () => {
  test('waits on if the release is refused', async () => {
    const one = start();
    const owner = await take('kept');
    const first = await hold(one, wanted('kept', 'first'));
    const refused = await release(one, { ...owner, releaseToken: undefined });
    expect(refused).toMatchObject([{ explanation: 'INVALID_RELEASE_TOKEN' }]);
    await release(one, owner);
    expect(await first()).toMatchObject({ status: 'ACQUIRED' });
  });

  test('is not answered before the release, and then with what that handed over', async () => {
    let isSent = () => {};
    const sent = new Promise<void>((done) => (isSent = done));
    let mayGoOn = () => {};
    const may = new Promise<void>((done) => (mayGoOn = done));
    const late = interceptScript(running, 'unreserve', async (send) => {
      const reply = await send();
      isSent();
      await may;
      return reply;
    });
    const one = start(late);
    const owner = await take('late');
    const first = await hold(one, wanted('late', 'first'), { pollSeconds: 1 });
    const released = release(one, owner);
    await sent;
    const pollIsOver = new Promise((done) => setTimeout(() => done('poll is over'), 1200));
    expect(await Promise.race([first(), pollIsOver])).toBe('poll is over');
    mayGoOn();
    await released;
    expect(await first()).toMatchObject({ status: 'ACQUIRED', requester: 'first' });
  });

  test('gets it from a release whose reply is lost', async () => {
    const lost = interceptScript(running, 'unreserve', async (send) => {
      await send();
      throw new HoldfastError('unavailable', 'Redis is unreachable');
    });
    const one = start(lost);
    const owner = await take('lost');
    const first = await hold(one, wanted('lost', 'first'));
    await expect(release(one, owner)).rejects.toThrow('unreachable');
    expect(await first()).toMatchObject({ status: 'ACQUIRED', requester: 'first' });
  });
});
