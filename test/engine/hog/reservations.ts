/**
 * The worst requests that reserve, check, renew, release or list reservations: a title, and what makes each request.
 */
import type { TransactionItem } from '../../../src/contract/reservations.ts';
import { callRead } from '../../../src/engine/call.ts';
import { active, unregistered } from '../../../src/engine/reservations/active.ts';
import { dryReserve } from '../../../src/engine/reservations/dryRun.ts';
import { resourceState } from '../../../src/engine/reservations/resource.ts';
import { resourceStates } from '../../../src/engine/reservations/states.ts';
import { tenantKey } from '../../../src/redis/keys.ts';
import { available, check, renew, transaction, unreserve, usage } from '../../support/verbs.ts';
import { BATCH, fresh, long, range, reserveOf, resources, running } from './state.ts';

export const RESERVATIONS: readonly (readonly [string, () => () => Promise<unknown>])[] = [
  ['reserve of 500 plain names with leases', () => reserveOf(...resources(BATCH, (i) => `${fresh()}${i}`, 60))],
  ['reserve of 500 long names', () => reserveOf(...resources(BATCH, (i) => long(`${fresh()}${i}`), 60))],
  ['reserve of 500 names like slots', () => reserveOf(...resources(BATCH, (i) => `${fresh()}_${i * 700}`, 60))],
  ['reserve of 500 slots of a pool', () => reserveOf(...resources(BATCH, () => 'wide', 60))],
  ['reserve of 500 slots at once', () => () => reserveOf({ resource: 'wide', requester: fresh(), count: BATCH })()],
  [
    'reserve of 200 slots at once with long names',
    () => () => reserveOf({ resource: long('wide'), requester: fresh(), count: 200 })(),
  ],
  [
    'transaction of 499 slots at once, none of which stays',
    () => () =>
      transaction(running.engine, running.credential, 'ALL_OR_NONE', [
        { requestType: 'RESERVE', resource: 'wide', requester: fresh(), count: BATCH - 1 },
        { requestType: 'RESERVE', resource: 'plain-1', requester: 'other' },
      ]),
  ],
  ['reserve of a chain of blockers', () => reserveOf(...resources(BATCH, (i) => `chain${i % 300}`))],
  ['reserve of one chain of blockers', () => reserveOf({ resource: 'chain0', requester: 'r' })],
  ['reserve of a crowd of blockers', () => reserveOf(...resources(BATCH, (i) => `crowd${i % 300}`))],
  ['reserve of a pool with 448 blockers', () => () => reserveOf({ resource: 'pool', requester: fresh() })()],
  ['reserve of 500 of these', () => reserveOf(...resources(BATCH, () => 'pool'))],
  ['reserve of 100 of these', () => reserveOf(...resources(100, () => 'pool'))],
  ['reserve of 500 leaves at depth 16', () => reserveOf(...resources(BATCH, (i) => `deep${i % 64}`))],
  ['reserve of 500 leaves of one node', () => reserveOf(...resources(BATCH, (i) => `child${2 * i + 1}`))],
  ['reserve of 500 that are held', () => reserveOf(...resources(BATCH, (i) => `plain-${i}`))],
  [
    'reserve of 500 that the requester has',
    () => reserveOf(...range(BATCH, (i) => ({ resource: `plain-${i}`, requester: 'r' }))),
  ],
  [
    'reserve of 500 paths that are not valid',
    () => reserveOf(...resources(BATCH, (i) => `x>${'y>'.repeat(100)}deep${i % 64}`)),
  ],
  [
    'transaction that rolls 499 back',
    () => () =>
      transaction(running.engine, running.credential, 'ALL_OR_NONE', [
        ...resources(BATCH - 1, (i) => `${fresh()}_${i}`, 60).map(
          (one): TransactionItem => ({ requestType: 'RESERVE', ...one }),
        ),
        { requestType: 'RESERVE', resource: 'plain-1', requester: 'other' },
      ]),
  ],
  [
    'transaction of 500 on a pool, none of which stays',
    () => () =>
      transaction(running.engine, running.credential, 'ALL_OR_NONE', [
        ...resources(BATCH - 1, () => 'wide', 60).map((one): TransactionItem => ({ requestType: 'RESERVE', ...one })),
        { requestType: 'RESERVE', resource: 'plain-1', requester: 'other' },
      ]),
  ],
  ['reserve of what blocks the slots of long plans', () => reserveOf({ resource: 'looking', requester: 'r' })],
  ['reserve of what blocks many that block the same', () => reserveOf({ resource: 'piles', requester: 'r' })],
  ['reserve of 480 with long plans', () => reserveOf(...resources(480, (i) => `heavy_${i}`))],
  ['available of a pool', () => () => available(running.engine, running.credential, 'wide')],
  [
    'usage, with the bytes measured',
    () => async () => {
      await running.engine.redis.hdel(tenantKey(running.credential.tenant), 'measured');
      await usage(running.engine, running.credential);
    },
  ],
  [
    'reads that do not fit',
    () => () => callRead(running.engine, 'check', running.credential, 1e9, () => []).catch(() => {}),
  ],
  [
    'check of 480 with long plans',
    () => () =>
      check(
        running.engine,
        running.credential,
        range(480, (i) => ({ resource: `heavy_${i}` })),
      ),
  ],
  [
    'the page of a pool of which 480 slots have long plans',
    () => () => resourceState(running.engine, running.credential, 'heavy', 0, 500),
  ],
  [
    'activeReservations with long plans',
    () => async () => {
      for await (const _ of active(running.engine, running.credential, { resource: 'heavy' }))
        if (_.rows.length) return;
    },
  ],
  [
    'check of 500',
    () => () =>
      check(
        running.engine,
        running.credential,
        range(BATCH, (i) => ({ resource: `crowd${i % 300}`, requester: `q${i}` })),
      ),
  ],
  [
    'check of 500 leaves at depth 16',
    () => () =>
      check(
        running.engine,
        running.credential,
        range(BATCH, (i) => ({ resource: `deep${i % 64}` })),
      ),
  ],
  [
    'check of a pool with 448 blockers',
    () => () => check(running.engine, running.credential, [{ resource: 'pool' }, { resource: 'chain0' }]),
  ],
  [
    'dry run of a reserve of 100 slots of a pool with 448 blockers',
    () => () =>
      dryReserve(
        running.engine,
        running.credential,
        resources(100, () => 'pool'),
        0,
      ),
  ],
  [
    'dry run of a reserve of 500 plain names with leases',
    () => () =>
      dryReserve(
        running.engine,
        running.credential,
        resources(BATCH, (i) => `${fresh()}${i}`, 60),
        0,
      ),
  ],
  [
    'check of 500 slots of pools and paths',
    () => () =>
      check(
        running.engine,
        running.credential,
        range(BATCH, (i) => ({
          resource: i % 2 ? `wide_${i}` : `x>${'y>'.repeat(100)}deep${i % 64}`,
          requester: 'r',
        })),
      ),
  ],
  [
    'unreserve of 500 that others hold',
    () => () =>
      unreserve(
        running.engine,
        running.credential,
        range(BATCH, (i) => ({ resource: `plain-${i}`, requester: 'other', releaseToken: undefined })),
      ),
  ],
  [
    'renew of 500 without a token',
    () => () =>
      renew(
        running.engine,
        running.credential,
        range(BATCH, (i) => ({ resource: `plain-${i}`, requester: 'r', releaseToken: undefined, ttlSeconds: 5 })),
      ),
  ],
  [
    'the page of a pool with 448 blockers',
    () => () => resourceState(running.engine, running.credential, 'pool', 0, 500),
  ],
  [
    'states of 100 with long plans, and of pools',
    () => () =>
      resourceStates(
        running.engine,
        running.credential,
        [...range(50, () => 'pool'), ...range(50, (i) => `heavy_${i}`), ...range(64, (i) => `deep${i}`), 'piles'],
        { slots: 16, requesters: ['r', 'h1', 'h2'] },
      ),
  ],
  [
    'states of 30 that are free, with the longest plans of blockers',
    () => () =>
      resourceStates(
        running.engine,
        running.credential,
        [...range(10, (i) => `crowd${i}`), ...range(10, (i) => `chain${i}`), 'pool', 'piles', 'looking', 'pile'],
        { slots: 16, requesters: ['r', 'h1', 'h2'] },
      ),
  ],
  [
    'unregistered names, the first pages',
    () => async () => {
      let cursor: string | null = '0';
      for (let pages = 0; cursor !== null && pages < 40; pages++)
        cursor = (await unregistered(running.engine, running.credential, cursor)).next;
    },
  ],
  [
    'activeReservations, the first pages',
    () => async () => {
      let pages = 0;
      for await (const _ of active(running.engine, running.credential)) if (++pages === 40) return;
    },
  ],
  [
    'activeReservations of nobody, the first pages',
    () => async () => {
      let pages = 0;
      for await (const _ of active(running.engine, running.credential, { requester: 'nobody' }))
        if (++pages === 40) return;
    },
  ],
];
