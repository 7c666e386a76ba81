/**
 * The ends of leases that the engine announces against a model of the rule, in random histories
 * (docs/specification.md#leases-that-end-soon). The sweep comes only if the due index says so.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { closeStreams } from '../../src/engine/tenant/streamLeases.ts';
import { Listened } from '../support/announcements.ts';
import { looking, server, useExpiry } from '../support/expiry.ts';
import { renew, reserve, unreserve } from '../support/verbs.ts';
import { SEED } from './found.ts';

useExpiry();

const START = 1_000_000_000_000;
const HISTORIES = 15;
const STEPS = 120;

/** A lease, with times in s after the start. */
interface Lease {
  began: number;
  ends: number;
  isTold: boolean;
  readonly releaseToken: string;
}

const nth = fc.nat(7);
const seconds = fc.constantFrom(30, 119, 120, 599, 600, 900, 1800, 3000);
const histories = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ do: fc.constant('take' as const), nth, seconds }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('renew' as const), nth, seconds }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('release' as const), nth }) },
    {
      weight: 20,
      arbitrary: fc.record({ do: fc.constant('pass' as const), seconds: fc.constantFrom(1, 10, 60, 299, 400) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('set' as const), seconds: fc.constantFrom(0, 60, 300, 900) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('listen' as const, 'leave' as const) }) },
  ),
  { minLength: STEPS, maxLength: STEPS },
);
type Step = typeof histories extends fc.Arbitrary<(infer One)[]> ? One : never;

async function run(history: readonly Step[]): Promise<number> {
  const tenant = await Listened.start(server.url, looking, START);
  const { engine, credential } = tenant.running;
  const leases = new Map<string, Lease>();
  let [now, window, isListening, told] = [0, 300, false, 0];
  /** Ends up to this time had come into the window when somebody began to listen. */
  let passed = 0;
  /** Of two changes of the window within an hour, the second may leave some out. */
  let setAt = 0;

  const expected = () =>
    [...leases].filter(([, { began, ends, isTold }]) => {
      const isSoon = ends <= now + window && ends - began >= 2 * window;
      return isListening && window > 0 && isSoon && ends > passed && !isTold;
    });

  async function carryOut(step: Step): Promise<void> {
    const resource = 'nth' in step ? `lab ${step.nth}` : '';
    const held = leases.get(resource);
    const item = { resource, requester: 'r', releaseToken: held?.releaseToken ?? '' };
    if (step.do === 'take' && held === undefined) {
      const [made] = await reserve(engine, credential, [{ resource, requester: 'r', ttlSeconds: step.seconds }]);
      const releaseToken = made?.releaseToken ?? '';
      leases.set(resource, { began: now, ends: now + step.seconds, isTold: false, releaseToken });
    } else if (step.do === 'renew' && held !== undefined) {
      await renew(engine, credential, [{ ...item, ttlSeconds: step.seconds }]);
      Object.assign(held, { began: now, ends: now + step.seconds, isTold: false });
    } else if (step.do === 'release' && held !== undefined) {
      await unreserve(engine, credential, [item]);
      leases.delete(resource);
    } else if (step.do === 'pass') {
      now += step.seconds;
    } else if (step.do === 'set' && now > setAt + 3600) {
      await tenant.set(step.seconds);
      [window, setAt] = [step.seconds, now];
    } else if (step.do === 'listen' && !isListening) {
      await tenant.listen();
      isListening = true;
      passed = now + window;
    } else if (step.do === 'leave' && isListening) {
      await closeStreams(engine, tenant.tenant, ['stream']);
      isListening = false;
    }
  }

  await carryOut({ do: 'listen' });
  try {
    for (const [i, step] of history.entries()) {
      await carryOut(step);
      const announced = await tenant.sweptAt(now);
      for (const [resource, { ends }] of leases) if (ends <= now) leases.delete(resource);
      const due = expected();
      expect(announced.sort(), `step ${i}, ${JSON.stringify(step)}`).toEqual(due.map(([resource]) => resource).sort());
      for (const [, lease] of due) lease.isTold = true;
      told += due.length;
    }
  } finally {
    tenant.stop();
  }
  return told;
}

describe('the engine announces the ends that the model does', () => {
  test(`in ${HISTORIES} random histories of seed ${SEED}`, async () => {
    let told = 0;
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        told += await run(history);
      }),
      { numRuns: HISTORIES, seed: SEED, endOnFailure: true },
    );
    expect(told, 'announcements').toBeGreaterThan(HISTORIES);
  });
});
