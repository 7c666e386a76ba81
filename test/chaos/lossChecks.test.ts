/** Tries the checks of capacity, leases, loss, sessions and quotas on small histories, clean ones and spoilt ones. */
import { describe, expect, test } from 'vitest';
import type { Event } from '../../src/contract/events.ts';
import type { ActiveReservation, ReserveResult } from '../../src/contract/reservations.ts';
import type { Check } from './check.ts';
import { capacity } from './checks/capacity.ts';
import { leases } from './checks/leases.ts';
import { loss } from './checks/loss.ts';
import { quotas } from './checks/quotas.ts';
import { sessions } from './checks/sessions.ts';
import { acquired, iso, MadeHistory, START, TENANT, tokenOf } from './made.ts';

const expectClean = (check: Check, { history }: MadeHistory) => expect(check.run(history).violations).toEqual([]);
const expectFound = (check: Check, { history }: MadeHistory, what: RegExp) =>
  expect(check.run(history).violations.map((one) => one.what)).toEqual([expect.stringMatching(what)]);

const made = () => new MadeHistory();
const ann = { resource: 'n0', requester: 'ann' };
const bob = { resource: 'n0', requester: 'bob' };
const annsToken = { ...ann, token: tokenOf(1) };
const leased = (ttlSeconds: number) =>
  made().reserve({ ...ann, ttlSeconds }, [0, 10], acquired(1, { expiresAt: iso(ttlSeconds * 1000 + 5) }));
const heldByAnn = { resource: 'n0', requester: 'ann', since: iso(5), expiresAt: null, note: null };
const active = (fencingToken: number, requester = 'ann'): ActiveReservation => ({
  ...{ resource: 'n0', requester, resourceType: 'UserDefined', reservedAt: iso(5), expiresAt: null, claimBy: null },
  ...{ acquiredSlots: null, acquiredBlockers: null, reservedAtPath: null, fencingToken, apiKeyLabel: null },
});

describe('capacity', () => {
  const slot = (i: number): Partial<ReserveResult> => acquired(i + 1, { acquiredSlots: { pool: `pool_${i}` } });
  const full = () =>
    [0, 1, 2].reduce(
      (all, i) => all.reserve({ resource: 'pool', requester: `r${i}` }, [i * 20, i * 20 + 10], slot(i)),
      made(),
    );

  test('a pool that is full is clean', () => expectClean(capacity, full()));
  test('one slot more than a pool has is found', () =>
    expectFound(
      capacity,
      full().reserve({ resource: 'pool', requester: 'r3' }, [90, 95], slot(3)),
      /pool had 3 slots/,
    ));
  test('a pool that grew has more slots, until it has shrunk again', () => {
    const shift = (i: number) => acquired(i + 1, { acquiredSlots: { shift0: `shift0_${i}` } });
    const capacityOf = (slots: number) => [{ name: 'shift0', capacity: slots }];
    const grown = made()
      .call('register', capacityOf(2), [0, 5], { response: [] })
      .reserve({ resource: 'shift0', requester: 'r0' }, [10, 20], shift(0))
      .reserve({ resource: 'shift0', requester: 'r1' }, [30, 40], shift(1));
    expectClean(capacity, grown);
    grown.call('register', capacityOf(1), [50, 60], { response: [] });
    expectFound(capacity, grown.reserve({ resource: 'shift0', requester: 'r2' }, [70, 80], shift(2)), /had 1 slots/);
  });
});

describe('leases', () => {
  const refused = (at: number) => leased(1).reserve(bob, [at, at + 10], { status: 'ALREADY_HELD', heldBy: heldByAnn });

  test('a lease that refuses others until it is due is clean', () => expectClean(leases, refused(900)));
  test('a lease that refuses others later is found', () =>
    expectFound(leases, refused(1100), /bob is refused n0 .* because of ann/));

  test('a grant whose claim a failover undoes may last longer than its lease, until it is claimed', () => {
    const failover = { loses: { recentMs: 1000 } } as const;
    const waited = (waitSeconds?: number) =>
      made()
        .reserve(
          { ...ann, ttlSeconds: 1, ...(waitSeconds === undefined ? {} : { waitSeconds }) },
          [0, 10],
          acquired(1, { expiresAt: iso(1005) }),
        )
        .fault(failover, [20, 100])
        .reserve(bob, [1100, 1110], { status: 'ALREADY_HELD', heldBy: heldByAnn });
    expectClean(leases, waited(5));
    expectFound(leases, waited(), /bob is refused n0 .* because of ann/);
  });

  test('a holder who may not release or renew before the lease is due is found', () => {
    expectFound(leases, leased(5).release(annsToken, [100, 110], 'NOT_RESERVED'), /is answered NOT_RESERVED/);
    expectClean(leases, leased(5).release(annsToken, [5100, 5110], 'NOT_RESERVED'));
    const renewal = { ...ann, releaseToken: tokenOf(1), ttlSeconds: 2 };
    const status = 'DOESNT_OWN_RESERVATION';
    const response = [{ ...ann, status, explanation: status, expiresAt: null } as const];
    expectFound(leases, leased(5).call('renew', [renewal], [100, 110], { response }), /is answered DOESNT_OWN/);
  });

  describe('a stream', () => {
    const expired = (at: number | null) => {
      const event: Event = {
        ...{ type: 'RESERVATION_EXPIRED', tenantId: TENANT, ...ann, explanation: 'EXPIRED', resourceType: null },
        ...({ apiKeyLabel: null, actor: null, requestType: 'EXPIRE', timestamp: iso(0), expiresAt: null } as const),
        ...{ acquiredSlots: null, fencingToken: null, method: null, changes: null, limitType: null, limit: null },
      };
      const later = { receivedAt: START + 20_000, event: { ...event, resource: 'n1' } };
      const events = [...(at === null ? [] : [{ receivedAt: START + at, event }]), later];
      return leased(1).stream({ tenant: TENANT, at: 'api0', openedAt: START - 5, endedAt: Infinity, events });
    };
    test('tells of the end of a lease when the next sweep has seen it', () => expectClean(leases, expired(2000)));
    test('that does not tell of it is found', () => expectFound(leases, expired(null), /does not tell of it/));
    test('that tells of it too late is found', () => expectFound(leases, expired(9000), /does not tell of it/));
    test('that ends it before it is due is found', () => expectFound(leases, expired(500), /ends it at 0.500 s/));
    test('near a fault it may be late', () => expectClean(leases, expired(9000).fault({}, [900, 1500])));
  });

  test('a caller who waits and does not get what is due is found', () => {
    const watchers = { tenant: 'leases-1' };
    const waited = (by: number) =>
      made()
        .reserve({ ...ann, ttlSeconds: 1 }, [0, 10], acquired(1, { expiresAt: iso(1005) }), watchers)
        .reserve({ ...bob, ttlSeconds: 1, waitSeconds: 60 }, [500, by], { status: 'WAITING' }, watchers);
    expectClean(leases, waited(2000));
    expectFound(leases, waited(9000), /bob waits for n0/);
  });
});

describe('loss', () => {
  const kept = () => made().reserve(ann, [0, 10], acquired(1));
  const released = () => kept().release(annsToken, [100, 110], 'RELINQUISHED');

  test('what is held is there at the end, and what was released is not', () => {
    expectClean(loss, kept().end({ active: [active(1)] }));
    expectClean(loss, released().end({ active: [] }));
  });
  test('what is held and not there at the end is found', () =>
    expectFound(loss, kept().end({}), /is held, and not there/));
  test('what was released and is there at the end is found', () =>
    expectFound(loss, released().end({ active: [active(1)] }), /had ended, and is there/));
  test('what a fault may have undone may be there or not', () => {
    expectClean(loss, kept().fault({ loses: 'everything' }, [500, 600]).end({}));
    expectClean(
      loss,
      released()
        .fault({ loses: { recentMs: 1000 } }, [500, 600])
        .end({ active: [active(1)] }),
    );
  });

  test('what a failover undoes of a wait may be granted again, of an immediate grant not', () => {
    const granted = (waitSeconds?: number) =>
      made()
        .reserve({ ...ann, ...(waitSeconds === undefined ? {} : { waitSeconds }) }, [0, 10], acquired(1))
        .fault({ loses: { recentMs: 1000 } }, [20, 100])
        .end({ active: [active(7)] });
    expectClean(loss, granted(5));
    expectFound(loss, granted(), /which no call was granted/);
  });

  test('a refused call that took effect is found, an unknown one may have taken effect', () => {
    const refused = made().reserve(bob, [0, 10], { status: 'ALREADY_HELD' });
    expectFound(loss, refused.end({ active: [active(7, 'bob')] }), /which no call was granted/);
    expectClean(
      loss,
      made()
        .reserve(bob, [0, 10], { down: null })
        .end({ active: [active(7, 'bob')] }),
    );
  });

  test('a list without what is held, or with what was released, is found', () => {
    const list = (listed: readonly ActiveReservation[]) => ({ response: listed });
    expectClean(loss, kept().call('active', '', [200, 210], list([active(1)])));
    expectFound(loss, kept().call('active', '', [200, 210], list([])), /is held, and not listed/);
    expectFound(loss, released().call('active', '', [200, 210], list([active(1)])), /has ended, and is listed/);
  });

  test('a holder who asks again gets the same token', () => {
    expectClean(loss, kept().reserve(ann, [100, 110], acquired(1, { status: 'ALREADY_HAD' })));
    expectFound(loss, kept().reserve(ann, [100, 110], acquired(2)), /asks again is answered/);
  });

  test('a release that refuses others afterwards is found', () => {
    const refusal = { status: 'ALREADY_HELD', heldBy: heldByAnn } as const;
    expectFound(loss, released().reserve(bob, [200, 210], refusal), /bob is refused n0/);
  });

  test('repeats with one Idempotency-Key that are answered differently are found', () => {
    const keyed = { idempotencyKey: 'k' };
    const first = () => made().reserve(ann, [0, 10], acquired(1), keyed);
    expectClean(loss, first().reserve(ann, [20, 30], acquired(1), { ...keyed, isReplayed: true }));
    expectFound(
      loss,
      first().reserve(ann, [20, 30], acquired(1, { status: 'ALREADY_HAD' }), keyed),
      /different responses/,
    );
  });
});

describe('sessions', () => {
  const session = '11111111-1111-4111-8111-111111111111';
  const proof = { session, token: tokenOf(9) };
  const begun = () =>
    made()
      .call('beginSession', { requester: 'ann', ttlSeconds: 5 }, [0, 10], {
        response: { ...proof, expiresAt: iso(5005) },
      })
      .reserve({ ...ann, session }, [20, 30], acquired(1, { expiresAt: iso(5005) }));
  const ended = (count: number) =>
    begun().call('endSession', proof, [100, 110], { response: { status: 'ENDED', released: count } });
  const gone = { response: { status: 'NOT_FOUND', expiresAt: null } } as const;

  test('a session that releases what it has is clean', () => expectClean(sessions, ended(1)));
  test('a session that releases fewer, or more, is found', () => {
    expectFound(sessions, ended(0), /released 0 .* had 1 to 1/);
    expectFound(sessions, ended(2), /released 2 .* had 1 to 1/);
  });
  test('a session that is not found before it is due is found', () => {
    expectFound(sessions, begun().call('renewSession', proof, [4000, 4010], gone), /is NOT_FOUND/);
    expectClean(sessions, begun().call('renewSession', proof, [5100, 5110], gone));
  });
  test('a session that is renewed after its end is found', () => {
    const renewed = { response: { status: 'RENEWED', expiresAt: iso(9000) } } as const;
    expectFound(sessions, ended(1).call('renewSession', proof, [200, 210], renewed), /had ended, and is RENEWED/);
  });
  test('a reservation that ends before its session, or later, is found', () => {
    expectFound(sessions, begun().release(annsToken, [100, 110], 'NOT_RESERVED'), /is answered NOT_RESERVED/);
    const refusal = { status: 'ALREADY_HELD', heldBy: heldByAnn } as const;
    expectFound(sessions, ended(1).reserve(bob, [200, 210], refusal), /bob is refused n0/);
  });
});

describe('quotas', () => {
  const quota = { tenant: 'quota-1' };
  const reads = (count: number, everyMs: number) => {
    const history = made();
    for (let i = 0; i < count; i++)
      history.call('available', 'q', [i * everyMs, i * everyMs + 5], { response: true }, quota);
    return history;
  };
  const refusal = (limitType: string, at: number, history: MadeHistory) =>
    history.refuse('available', 'q', [at, at + 5], { limitType, limit: 300 }, quota);

  test('as many reads a minute as the limit allows are clean, more are found', () => {
    expectClean(quotas, reads(300, 100));
    expectFound(quotas, reads(301, 100), /301 of 300 ReadsPerMinute/);
    expectClean(quotas, reads(400, 220));
  });
  test('a read that is refused before the limit is reached is found', () => {
    expectClean(quotas, refusal('ReadsPerMinute', 50_000, reads(300, 100)));
    expectFound(quotas, refusal('ReadsPerMinute', 50_000, reads(200, 100)), /refused .* when 200 of 300/);
  });
  test('more writes a minute, and more reservations than the limits allow, are found', () => {
    const reserved = (count: number) => {
      const history = made();
      for (let i = 0; i < count; i++)
        history.reserve({ resource: `q${i}`, requester: `r${i}` }, [i * 20, i * 20 + 10], acquired(i + 1), quota);
      return history;
    };
    expectClean(quotas, reserved(25));
    expectFound(quotas, reserved(26), /26 of 25 reservations/);
    const item = { resource: 'q0', requester: 'r0', releaseToken: tokenOf(1) };
    const releases = (count: number) => made().call('cancel', Array(count).fill(item), [0, 9], { response: [] }, quota);
    expectClean(quotas, releases(120));
    expectFound(quotas, releases(121), /121 of 120 OperationsPerMinute/);
    const asked = { resource: 'q', requester: 'x' };
    const capped = (count: number) =>
      reserved(count).refuse('reserve', [asked], [900, 905], { limitType: 'ConcurrentReservations', limit: 25 }, quota);
    expectClean(quotas, capped(25));
    expectFound(quotas, capped(20), /refused at the cap .* at most 21 of 25/);
  });
});
