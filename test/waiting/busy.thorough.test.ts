/**
 * Long polls of a tenant whose other requests keep the instance busy: these get an error to repeat, long polls wait on
 * (docs/specification.md#waiting-lifetimes).
 */
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { available } from '../../src/engine/definitions/list.ts';
import { lineOf } from '../../src/engine/line.ts';
import { Bus } from '../../src/events/bus.ts';
import { createSubscriptions } from '../../src/redis/client.ts';
import { observeScripts } from '../../src/redis/scripts.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { LongPolls } from '../../src/waiting/longPolls.ts';
import { type RunningEngine, startEngine } from '../support/engine.ts';
import { wanted } from '../support/polls.ts';
import { until } from '../support/until.ts';
import { reserve, unreserve } from '../support/verbs.ts';

/** The requests of a tenant that wait at an instance. One more is refused as overloaded. */
const MAX_WAITING = 1024;
/** The calls of a tenant that are in flight, as long as it is not known that they are short. */
const IN_FLIGHT = 2;
/** Credentials of long polls are checked at every second beat. */
const BEATS = 3;

let running: RunningEngine;
let bus: Bus;
let calls: LongPolls;
let beats = 0;
beforeAll(async () => {
  running = await startEngine();
  const { redis } = running.engine;
  observeScripts(redis, (verb) => {
    if (verb === 'beat') beats++;
    return () => {};
  });
  bus = new Bus(createSubscriptions(inject('redisUrl'), redis));
  calls = new LongPolls(running.engine, bus, { maxLongPolls: 10, log: createLogger('silent'), onWaitEnded: () => {} });
});
afterAll(async () => {
  calls.leave();
  await calls.close();
  bus.close();
  running.stop();
});

/** Lets as many requests of the tenant wait as may. Returns what ends them. */
function fill(): () => Promise<unknown> {
  const { engine, credential } = running;
  const line = lineOf(engine, credential.tenant);
  for (let i = 0; i < IN_FLIGHT; i++) line.enter({ start: () => true, fail: () => {} });
  const waiting = Array.from({ length: MAX_WAITING }, () => available(engine, credential, 'other'));
  return () => {
    for (let i = 0; i < IN_FLIGHT; i++) line.leave(undefined);
    return Promise.allSettled(waiting);
  };
}

test('they are granted what becomes free once their tenant is less busy, and their credentials stay valid', async () => {
  const { engine, credential } = running;
  // A call that waits at one instance does not wait at another.
  const other = { ...engine };
  const item = { resource: 'r', requester: 'owner' };
  const [owner] = await reserve(other, credential, [item]);
  let isHeld = false;
  const onLongPoll = () => {
    isHeld = true;
  };
  const held = calls.reserve(credential, [wanted('r', 'waiter')], 20, { isGone: false, onGone: () => {}, onLongPoll });
  await until('it is held', () => isHeld);

  const end = fill();
  const isAnswered = held.then(() => true);
  await unreserve(other, credential, [{ ...item, releaseToken: owner?.releaseToken ?? undefined }]);
  const beatsBefore = beats;
  const wereSent = until('beats', () => beats >= beatsBefore + BEATS).then(() => false);
  expect(await Promise.race([isAnswered, wereSent])).toBe(false);

  await end();
  expect((await held).result).toMatchObject([{ status: 'ACQUIRED', requester: 'waiter' }]);
});
