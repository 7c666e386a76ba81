/**
 * The engine against the model, in random histories. A history that fails is shrunk and printed as a line. Put into
 * found.jsonl, it is run again for good.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ActiveReservation } from '../../src/contract/reservations.ts';
import type { WaitingRequest } from '../../src/contract/waiting.ts';
import { startEngine } from '../support/engine.ts';
import { makeTenant } from '../support/service.ts';
import { addThis, HISTORIES, readFound, SEED } from './found.ts';
import { run } from './history.ts';
import { expectSettled, type Sent } from './listed.ts';
import { type History, histories } from './steps.ts';

const STEPS = 300;
const FILE = 'found.jsonl';
const Found = z.object({ why: z.string(), history: z.array(z.unknown()) });

describe('the engine does what the model does, and stores it consistently', () => {
  test(`in ${HISTORIES} random histories of seed ${SEED}`, { timeout: 60_000 + HISTORIES * 3000 }, async () => {
    const running = await startEngine();
    try {
      await fc.assert(
        fc.asyncProperty(histories(STEPS), async (history) => {
          const engine = await startEngine(makeTenant());
          await run(engine, history).finally(() => engine.stop());
        }),
        {
          numRuns: HISTORIES,
          seed: SEED,
          endOnFailure: false,
          reporter: (out) => {
            if (!out.failed) return;
            const message = out.errorInstance instanceof Error ? out.errorInstance.message : String(out.errorInstance);
            throw new Error(addThis(message, FILE, { history: out.counterexample?.[0] }));
          },
        },
      );
    } finally {
      running.stop();
    }
  });
});

describe('histories that once failed', () => {
  test.each(readFound(FILE, Found))('$why', async ({ history }) => {
    const engine = await startEngine();
    // The test above has printed the lines of the file.
    await expect(run(engine, history as History).finally(() => engine.stop())).resolves.toBeUndefined();
  });
});

/**
 * The judgement of a tenant's lists (listed.ts), where it once was wrong.
 */

const reservation = (resource: string, requester: string, fencingToken: number): ActiveReservation => ({
  resource,
  requester,
  fencingToken,
  resourceType: 'UserDefined',
  reservedAt: '2026-01-31T12:00:00.000Z',
  expiresAt: null,
  claimBy: null,
  acquiredSlots: null,
  acquiredBlockers: null,
  reservedAtPath: null,
  apiKeyLabel: null,
});
const ticket = (requester: string, waitsFor: string, ...resources: string[]): WaitingRequest => ({
  requester,
  resources,
  counts: resources.map(() => 1),
  ttlSeconds: 60,
  method: resources.length === 1 ? null : 'ALL_OR_NONE',
  priority: 0,
  since: '2026-01-31T12:00:00.000Z',
  until: '2026-01-31T13:00:00.000Z',
  waitsFor,
  attended: true,
  apiKeyLabel: null,
});
const sent = ({ resources }: WaitingRequest): Sent => ({
  items: resources.map((resource) => ({ resource, ttlSeconds: 60 })),
  isDetached: false,
});

test('a request is judged by the slots that are kept once it is carried out, whatever was judged before', () => {
  const active = [reservation('lamp', 'x', 1), reservation('desk', 'y', 2)];
  const waiting = [
    ticket('ann', 'lamp', 'key', 'lamp'),
    ticket('bob', 'desk', 'key', 'desk'),
    // If cleo took the key, bob would still not be next.
    { ...ticket('cleo', 'lamp', 'lamp', 'key'), method: 'FIRST' as const },
    // If ann took it now, her first ticket would not lack it: bob would be next, and keep it.
    ticket('ann', 'key', 'key'),
  ];
  expect(() => expectSettled([], active, waiting, sent)).not.toThrow();
  const alone = waiting.filter(({ requester }) => requester === 'ann');
  expect(() => expectSettled([], active, alone, sent)).toThrow('ann waits for [{"resource":"key"');
});
