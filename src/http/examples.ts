/**
 * Examples of results in the OpenAPI document that several operations share.
 */
import type { ReserveResult } from '../contract/reservations.ts';

/** An item that waited and was then reserved. */
export const ACQUIRED: ReserveResult = {
  resource: 'printer',
  requester: 'worker-1',
  status: 'ACQUIRED',
  explanation: 'ACQUIRED',
  releaseToken: '3f6c0b5e-6f0a-4c3e-9a55-0d1c7a2b9e11',
  expiresAt: '2026-01-31T12:02:07.310Z',
  acquiredSlots: null,
  acquiredBlockers: null,
  reservedAtPath: null,
  fencingToken: 1795311261334116,
  waitedMs: 67310,
};

/** An item that was refused, since somebody holds the resource. */
export const ALREADY_HELD: ReserveResult = {
  resource: 'printer',
  requester: 'worker-1',
  status: 'ALREADY_HELD',
  explanation: 'ALREADY_HELD',
  releaseToken: null,
  expiresAt: null,
  acquiredSlots: null,
  acquiredBlockers: null,
  reservedAtPath: null,
  fencingToken: null,
  heldBy: {
    resource: 'printer',
    requester: 'worker-2',
    since: '2026-01-31T12:00:00.000Z',
    expiresAt: '2026-01-31T12:01:00.000Z',
    note: 'nightly build, https://ci.example.com/4711',
  },
};

/** An item with a count of 3. */
export const SEVERAL: ReserveResult = {
  resource: 'phones',
  requester: 'test-7',
  status: 'ACQUIRED',
  explanation: 'ACQUIRED',
  releaseToken: '8d5a1c7e-3b52-4e0d-9a6b-5f3c2e1d0a94',
  expiresAt: '2026-01-31T12:02:07.310Z',
  acquiredSlots: { phones: 'phones_0' },
  acquiredBlockers: null,
  reservedAtPath: null,
  slots: ['phones_0', 'phones_1', 'phones_4'],
  fencingToken: 1795311261334117,
};

/** An item with the mode SHARED. */
export const SHARED: ReserveResult = {
  resource: 'docs',
  requester: 'reader-7',
  status: 'ACQUIRED',
  explanation: 'ACQUIRED',
  releaseToken: '51f0c9c2-7f0e-4a53-8d3e-2b8c6a1f4e07',
  expiresAt: '2026-01-31T12:02:07.310Z',
  acquiredSlots: null,
  acquiredBlockers: null,
  reservedAtPath: null,
  mode: 'SHARED',
  fencingToken: 1795311261334119,
};

/** An item that waits. */
export const WAITING: ReserveResult = {
  resource: 'printer',
  requester: 'worker-1',
  status: 'WAITING',
  explanation: 'WAITING: 2 ahead',
  releaseToken: null,
  expiresAt: null,
  acquiredSlots: null,
  acquiredBlockers: null,
  reservedAtPath: null,
  fencingToken: null,
  waiting: {
    ahead: 2,
    waitsFor: 'printer',
    since: '2026-01-31T12:00:00.000Z',
    until: '2026-01-31T12:05:00.000Z',
  },
};
