/**
 * Tickets that are left and attended again, while Redis is not told yet that they were left
 * (docs/specification.md#waiting-lifetimes).
 */
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Caller } from '../../src/domain/waiting.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { Bus } from '../../src/events/bus.ts';
import { createSubscriptions } from '../../src/redis/client.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { LongPolls } from '../../src/waiting/longPolls.ts';
import { interceptScript, type RunningEngine, startEngine } from '../support/engine.ts';
import { wanted } from '../support/polls.ts';
import { makeTenant } from '../support/service.ts';
import { reserve, unreserve } from '../support/verbs.ts';

let running: RunningEngine;
let bus: Bus;
beforeAll(async () => {
  running = await startEngine(makeTenant(), inject('redisUrl'), {});
  bus = new Bus(createSubscriptions(inject('redisUrl'), running.engine.redis));
});
afterAll(() => {
  bus.close();
  running.stop();
});

const log = createLogger('silent', { write: () => {} });
const startCalls = (engine: Engine) => new LongPolls(engine, bus, { maxLongPolls: 100, log, onWaitEnded: () => {} });

/** Something that happens once: a promise of it, and a function that makes it happen. */
function event(): [promise: Promise<void>, resolve: () => void] {
  let resolve = () => {};
  return [new Promise((done) => (resolve = done)), () => resolve()];
}

/** A caller that can hang up. `held` resolves when its response starts to be held. */
function makeCaller() {
  const [held, onLongPoll] = event();
  let isGone = false;
  let tell = () => {};
  const caller: Caller = {
    get isGone() {
      return isGone;
    },
    onGone: (callback) => {
      tell = callback;
    },
    onLongPoll,
  };
  const hangUp = () => {
    isGone = true;
    tell();
  };
  return { caller, held, hangUp };
}

/** An engine that tells Redis of tickets that were left once it may: `isTold` resolves when Redis has answered. */
function tellingLate() {
  const [may, mayTell] = event();
  const [isAsked, asks] = event();
  const [isTold, tells] = event();
  const engine = interceptScript(running, 'leave', async (send) => {
    asks();
    await may;
    const reply = await send();
    tells();
    return reply;
  });
  return { engine, isAsked, mayTell, isTold };
}

/** Begins a long poll. `held` of the caller has resolved. */
async function call(instance: LongPolls, resource: string, pollSeconds = 20) {
  const caller = makeCaller();
  const answer = instance.reserve(running.credential, [wanted(resource, 'waiter')], pollSeconds, caller.caller);
  await caller.held;
  return { ...caller, answer };
}

test('a ticket is left when the last of its calls ends in time, if a longer call hung up before', async () => {
  const { engine, credential } = running;
  const told = tellingLate();
  const instance = startCalls(told.engine);
  await reserve(engine, credential, [{ resource: 'outlasted', requester: 'owner' }]);
  const longer = await call(instance, 'outlasted');
  const [shorter, another] = [await call(instance, 'outlasted', 1), await call(instance, 'outlasted', 2)];
  longer.hangUp();
  const answers = await Promise.all([shorter.answer, another.answer]);
  expect(answers.map(({ result }) => result[0]?.status)).toEqual(['WAITING', 'WAITING']);
  await told.isAsked;
  told.mayTell();
  await told.isTold;
  await instance.close();
});

test('a call that attends a ticket again is answered with the others, though Redis was told late that it was left', async () => {
  const { engine, credential } = running;
  const late = tellingLate();
  const [one, two] = [startCalls(late.engine), startCalls(engine)];
  const [owned] = await reserve(engine, credential, [{ resource: 'r', requester: 'owner' }]);
  const first = await call(one, 'r');
  const elsewhere = await call(two, 'r');
  first.hangUp();
  await late.isAsked;
  const again = await call(one, 'r');
  late.mayTell();
  await late.isTold;
  if (owned) await unreserve(engine, credential, [owned]);
  const answers = await Promise.all([again.answer, elsewhere.answer]);
  expect(answers.map(({ result }) => result[0]?.status).sort()).toEqual(['ACQUIRED', 'ALREADY_HAD']);
  await Promise.all([one.close(), two.close()]);
});
