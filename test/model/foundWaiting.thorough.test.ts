/** Histories of two tenants that wait, and that once failed: foundWaiting.jsonl has them. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { SMALL_PIECES } from '../support/engine.ts';
import { readFound } from './found.ts';
import { runOnEngine } from './twoTenants.ts';
import type { Step } from './waitingSteps.ts';

const Found = z.object({
  why: z.string(),
  cap: z.number().nullable(),
  steps: z.array(z.unknown()),
  other: z.array(z.unknown()).optional(),
  pieces: z.literal('smallest').optional(),
});

describe('histories that once failed', () => {
  test.each(readFound('foundWaiting.jsonl', Found))('$why', async ({ cap, steps, other, pieces }) => {
    // waitingHistories.test.ts has printed the lines of the file.
    const history = { cap, steps: steps as Step[], other: other as Step[] | undefined };
    await expect(runOnEngine(history, pieces === 'smallest' ? SMALL_PIECES : {})).resolves.toBeUndefined();
  });
});
