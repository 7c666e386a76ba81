/**
 * Mistakes in bookings (docs/specification.md#bookings) that are planted into the scripts: random histories find each.
 */
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { readModules } from '../../src/redis/bundle.ts';
import { STEERED_CLOCK } from '../support/clock.ts';
import { startEngine } from '../support/engine.ts';
import { makeTenant } from '../support/service.ts';
import { bookingHistories, type KINDS } from './bookingSteps.ts';
import { begin } from './waitingHistory.ts';
import type { Step } from './waitingSteps.ts';

const MODULES = readModules();
/** Histories within which a mistake is found, and their steps. */
const [MOST, STEPS] = [40, 60];
const SEED = 4711;

interface Fault {
  readonly what: string;
  readonly kind: keyof typeof KINDS;
  /** The module of lua/ that has the mistake; what it says, and what it says instead. */
  readonly module: string;
  readonly right: string;
  readonly wrong: string;
  /** Of histories that find it sooner than those of SEED. */
  readonly seed?: number;
}

const FAULTS: readonly Fault[] = [
  {
    what: 'a renewal that crosses the start of a booking',
    kind: 'pool',
    module: 'bookings/leases',
    right: '  if not isOfBookable(reservation) then\n    return asked',
    wrong: '  if reservation then\n    return asked',
  },
  {
    what: 'a lease that crosses the start of a booking',
    kind: 'single',
    module: 'bookings/fits',
    right: 'if not start or start >= entry.term.endsAt then',
    wrong: 'if true then',
  },
  {
    what: 'a session that crosses the start of a booking',
    kind: 'pool',
    module: 'bookings/fits',
    right: '  if item.session or not leaseMs then\n    leaseMs = math.huge',
    wrong: '  if item.session or not leaseMs then\n    leaseMs = 0',
  },
  {
    what: 'a claim that crosses the start of a booking',
    kind: 'crowd',
    module: 'waiting/claiming',
    right: 'if term and first < term.leastEndsAt then',
    wrong: 'if false then',
    seed: 2,
  },
  {
    what: 'a slot that stays idle once a booking leaves or takes it',
    kind: 'crowd',
    module: 'waiting/changes',
    right: "record.state ~= 'r'",
    wrong: 'false',
    seed: 8,
  },
  {
    what: 'a booking that begins twice',
    kind: 'pool',
    module: 'bookings/starts',
    right: "state = 'r', slot = slot",
    wrong: "state = 'b', slot = slot",
  },
  {
    what: 'a running booking that a renewal ends early',
    kind: 'pool',
    module: 'bookings/leases',
    right: 'asked < ',
    wrong: '0 > ',
  },
  {
    what: 'a booking that does not begin while nobody calls',
    kind: 'single',
    module: 'bookings/records',
    right: '    tenant.nextDue = math.min(tenant.nextDue, ms)\n',
    wrong: '',
  },
  {
    what: 'a booking that is not there after a reset',
    kind: 'pool',
    module: 'verbs/reset',
    right: "'UNLINK', keys.slots,",
    wrong: "'UNLINK', keys.bookings, keys.booked, keys.bookingsDue, keys.slots,",
  },
];

/** Returns true if the engine does in a history what the model does. */
async function isRight(steps: readonly Step[], includes: Readonly<Record<string, string>>): Promise<boolean> {
  const running = await startEngine(makeTenant(), inject('redisUrl'), { 'frame/now': STEERED_CLOCK, ...includes });
  const carryOut = await begin(running, null);
  try {
    for (const [i, step] of steps.entries()) await (await carryOut(i, step))();
    return true;
  } catch {
    return false;
  } finally {
    running.stop();
  }
}

describe('a mistake in bookings is found', () => {
  test.each(FAULTS)('$what', { timeout: 120_000 }, async ({ what, kind, module, right, wrong, seed = SEED }) => {
    const source = MODULES.get(module) ?? '';
    expect(source.split(right), 'the text of the mistake').toHaveLength(2);
    const includes = { [module]: source.replace(right, wrong) };
    const histories = fc.sample(bookingHistories(kind, STEPS), { numRuns: MOST, seed });
    for (const [i, { steps }] of histories.entries()) {
      if (await isRight(steps, includes)) continue;
      console.info(`${what}: found by history ${i + 1}`);
      expect(await isRight(steps, {}), 'the history without the mistake').toBe(true);
      return;
    }
    expect.fail(`not found by ${MOST} histories`);
  });
});
