/**
 * The judgement of a tenant's lists (listed.ts), where it once was wrong.
 */
import { expect, test } from 'vitest';
import type { ActiveReservation } from '../../src/contract/reservations.ts';
import type { WaitingRequest } from '../../src/contract/waiting.ts';
import { expectSettled, type Sent } from './listed.ts';

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

test('a request is judged by what is kept once it is carried out, whoever was judged before', () => {
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
