/**
 * Schemas for configured sizes.
 */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ttlSeconds } from '../../src/contract/fields.ts';
import { ReserveBody } from '../../src/contract/reservations.ts';
import { withRules } from '../../src/contract/sizes.ts';
import { DEFAULT_SIZES } from '../../src/domain/maxSizes.ts';

const rules = { sizes: { ...DEFAULT_SIZES, ttlSeconds: 60, batch: 2 } };

describe('withRules()', () => {
  const item = { resource: 'r', requester: 'q', ttlSeconds: 60 };

  test('makes a schema for the sizes, whatever it consists of', () => {
    const body = withRules(ReserveBody, rules);
    expect(body.safeParse([item, item]).success).toBe(true);
    expect(body.safeParse([item, item, item]).error?.issues[0]?.message).toBe('must be an array of 1 to 2 items');
    expect(body.safeParse([{ ...item, ttlSeconds: 61 }]).error?.issues[0]?.message).toBe('must be at most 60');
    expect(ReserveBody.safeParse([{ ...item, ttlSeconds: 61 }]).success).toBe(true);
  });

  test('refuses a kind of schema that it would not look into', () => {
    for (const schema of [z.record(z.string(), ttlSeconds), z.tuple([ttlSeconds]), z.lazy(() => ttlSeconds)])
      expect(() => withRules(z.object({ field: schema }), rules)).toThrow('does not look into');
  });
});
