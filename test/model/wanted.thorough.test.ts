/**
 * `WANTED`, as the engine sends it, against the model in random histories (docs/specification.md#event-types); and
 * mistakes that are planted into the scripts, which the histories find.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readModules } from '../../src/redis/bundle.ts';
import { Listened } from '../support/announcements.ts';
import { looking, server, useExpiry } from '../support/expiry.ts';
import { HISTORIES, SEED } from './found.ts';
import { begin } from './waitingHistory.ts';
import { crowdedHistories, histories, type Step } from './waitingSteps.ts';
import { watchWanted } from './wanted.ts';

useExpiry();

const MODULES = readModules();
const [RUNS, STEPS] = [Math.max(2, HISTORIES / 20), 100];
/** Histories within which a mistake is found. */
const MOST = 20;

interface Fault {
  readonly what: string;
  /** The module of lua/ that has the mistake; what it says, and what it says instead. */
  readonly module: string;
  readonly right: string;
  readonly wrong: string;
  readonly make: typeof histories;
  readonly seed: number;
  /** Which of the histories finds it; those after it are tried if that one does not. */
  readonly nth: number;
}

const FAULTS: readonly Fault[] = [
  {
    what: 'a holder who is told twice',
    module: 'waiting/tellHolder',
    right: ' and not reservation.isTold',
    wrong: '',
    make: crowdedHistories,
    seed: 1,
    nth: 2,
  },
  {
    what: 'a holder who is not told if a ticket comes to wait for something else',
    module: 'waiting/grant',
    right: '    if isOther then\n      tellHolder(ticket)\n    end\n',
    wrong: '',
    make: crowdedHistories,
    seed: 1,
    nth: 2,
  },
  {
    what: 'a holder of several slots who is told of the first only',
    module: 'waiting/tellHolder',
    right: 'record and ownership.reservationAt(name, record.owner)',
    wrong: 'record and record.token and record',
    make: histories,
    seed: 437050292,
    nth: 1,
  },
];

/** @throws where the engine does not do what the model does */
async function run(steps: readonly Step[], includes: Readonly<Record<string, string>> = {}): Promise<void> {
  const tenant = await Listened.start(server.url, looking, Date.now() + 600_000, includes);
  await tenant.listen();
  try {
    const carryOut = await begin(tenant.running, null, watchWanted(tenant));
    for (const [i, step] of steps.entries()) await (await carryOut(i, step))();
  } finally {
    tenant.stop();
  }
}

describe('the engine tells holders that somebody waits as the model does', () => {
  test.each([
    ['histories', histories],
    ['histories of a crowd', crowdedHistories],
  ])(`in ${RUNS} random %s, of seed ${SEED}`, { timeout: 60_000 + RUNS * 6000 }, async (_, make) => {
    await fc.assert(
      fc.asyncProperty(make(STEPS), ({ steps }) => run(steps)),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
  });
});

describe('a mistake in WANTED is found', () => {
  test.each(FAULTS)('$what', { timeout: 120_000 }, async ({ module, right, wrong, make, seed, nth }) => {
    const source = MODULES.get(module) ?? '';
    expect(source.split(right), 'the text of the mistake').toHaveLength(2);
    const includes = { [module]: source.replace(right, wrong) };
    const sample = fc.sample(make(STEPS), { numRuns: MOST, seed });
    for (const { steps } of sample.slice(nth)) {
      const found = await run(steps, includes).then(
        () => null,
        (error: unknown) => String(error),
      );
      if (found === null) continue;
      expect(found).toContain('told');
      await expect(run(steps), 'the history without the mistake').resolves.toBeUndefined();
      return;
    }
    expect.fail(`not found by ${MOST} histories`);
  });
});
