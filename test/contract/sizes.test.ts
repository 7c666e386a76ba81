/**
 * Schemas for configured sizes.
 */
import { expect, test } from 'vitest';
import { RenewBody } from '../../src/contract/renewals.ts';
import { ReserveBody, Transaction } from '../../src/contract/reservations.ts';
import { SettingsChange } from '../../src/contract/tenant.ts';
import { DEFAULT_SIZES } from '../../src/domain/maxSizes.ts';

const sizes = { ...DEFAULT_SIZES, ttlSeconds: 60, batch: 2, waitSeconds: 5 };
const item = { resource: 'r', requester: 'q', ttlSeconds: 60, waitSeconds: 5 };

test('a body keeps to the sizes of its instance', () => {
  const faultOf = (items: object[]) => ReserveBody(sizes).safeParse(items).error?.issues[0]?.message;
  expect(faultOf([item, item])).toBeUndefined();
  expect(faultOf([item, item, item])).toBe('must be an array of 1 to 2 items');
  expect(faultOf([{ ...item, ttlSeconds: 61 }])).toBe('must be at most 60');
  expect(faultOf([{ ...item, waitSeconds: 6 }])).toBe('must be an integer from 0 to 5');
  expect(faultOf([{ ...item, count: 3 }])).toBe('must be an integer from 1 to 2');
});

test('so do renewals, transactions and settings', () => {
  expect(RenewBody(sizes).safeParse([{ resource: 'r', requester: 'q', ttlSeconds: 61 }]).success).toBe(false);
  const request = { requestType: 'RESERVE', resource: 'r', requester: 'q' };
  const requests = (count: number) => ({ method: 'FIRST', requests: Array.from({ length: count }, () => request) });
  expect(Transaction(sizes).safeParse(requests(2)).success).toBe(true);
  expect(Transaction(sizes).safeParse(requests(3)).success).toBe(false);
  expect(SettingsChange(sizes).safeParse({ maxTtlSeconds: 61 }).success).toBe(false);
});

test('another instance has its own', () => {
  expect(ReserveBody(DEFAULT_SIZES).safeParse([{ ...item, ttlSeconds: 61 }]).success).toBe(true);
});
