/** Tries the checks of what callers hold on small histories: clean ones, and ones that each break one rule. */
import { describe, expect, test } from 'vitest';
import type { Check } from './check.ts';
import { exclusion, fencing } from './checks/exclusion.ts';
import { holdsOf } from './checks/holds.ts';
import { recovery } from './checks/recovery.ts';
import { acquired, iso, MadeHistory, START, tokenOf } from './made.ts';

const found = (check: Check, made: MadeHistory) => check.run(made.history).violations.map(({ what }) => what);
const expectClean = (check: Check, made: MadeHistory) => expect(found(check, made)).toEqual([]);
const expectFound = (check: Check, made: MadeHistory, what: RegExp) =>
  expect(found(check, made).join('\n')).toMatch(what);

const made = () => new MadeHistory();
const ann = { resource: 'n0', requester: 'ann' };
const bob = { resource: 'n0', requester: 'bob' };
const annsToken = { ...ann, token: tokenOf(1) };

describe('holds', () => {
  const only = (history: MadeHistory) => {
    const [hold] = holdsOf(history.history).holds;
    if (!hold) throw new Error('there is no hold');
    return { from: hold.knownAt - START, endsFrom: hold.endsFrom - START, endedBy: hold.endedBy - START };
  };

  test('a hold is certain from its answer to the invocation of its release, and over with the answer of that', () => {
    const history = made().reserve(ann, [0, 10], acquired(1)).release(annsToken, [500, 510], 'RELINQUISHED');
    expect(only(history)).toEqual({ from: 10, endsFrom: 500, endedBy: 510 });
  });

  test('a release whose outcome is unknown may have happened, or may not', () => {
    const history = made().reserve(ann, [0, 10], acquired(1)).release(annsToken, [500, 510], null);
    expect(only(history)).toEqual({ from: 10, endsFrom: 500, endedBy: Infinity });
  });

  test('a lease ends so long after it was asked for or answered, or renewed', () => {
    const leased = { ...ann, ttlSeconds: 1 };
    const history = made().reserve(leased, [0, 10], acquired(1, { expiresAt: iso(1005) }));
    expect(only(history)).toEqual({ from: 10, endsFrom: 995, endedBy: 1015 });
    const renewal = { ...ann, releaseToken: tokenOf(1), ttlSeconds: 2 };
    const renewed = { ...ann, status: 'RENEWED', explanation: 'RENEWED', expiresAt: iso(2505) } as const;
    history.call('renew', [renewal], [500, 510], { response: [renewed] });
    expect(only(history)).toEqual({ from: 10, endsFrom: 2495, endedBy: 2515 });
    history.call('renew', [renewal], [520, 530], { response: [renewed] }, { isReplayed: true });
    expect(only(history)).toEqual({ from: 10, endsFrom: 2495, endedBy: 2515 });
  });

  test('a fault that loses recent writes makes holds uncertain that were answered shortly before', () => {
    const history = made()
      .reserve(ann, [0, 10], acquired(1))
      .fault({ loses: { recentMs: 1000 } }, [800, 900]);
    expect(only(history)).toEqual({ from: 10, endsFrom: 800, endedBy: Infinity });
    history.fault({ loses: { recentMs: 1000 } }, [700, 720]);
    expect(only(history).endsFrom).toBe(700);
    const old = made()
      .reserve(ann, [0, 10], acquired(1))
      .fault({ loses: { recentMs: 1000 } }, [1800, 1900]);
    expect(only(old).endsFrom).toBe(Infinity);
  });

  test('a release that a fault may undo may not have happened', () => {
    const history = made()
      .reserve(ann, [0, 10], acquired(1))
      .release(annsToken, [5000, 5010], 'RELINQUISHED')
      .fault({ loses: { recentMs: 1000 } }, [5500, 5600]);
    expect(only(history)).toEqual({ from: 10, endsFrom: 5000, endedBy: Infinity });
  });

  test('a step of the clock of Redis makes the end of a lease uncertain by the step', () => {
    const history = made()
      .reserve({ ...ann, ttlSeconds: 10 }, [0, 10], acquired(1, { expiresAt: iso(10_005) }))
      .fault({ clockStepMs: 3000 }, [2000, 3000]);
    expect(only(history)).toEqual({ from: 10, endsFrom: 6995, endedBy: 13_015 });
  });

  test('a reservation of a session ends as the session ends', () => {
    const session = '11111111-1111-4111-8111-111111111111';
    const proof = { session, token: tokenOf(9) };
    const history = made()
      .call('beginSession', { requester: 'ann', ttlSeconds: 5 }, [0, 10], {
        response: { ...proof, expiresAt: iso(5005) },
      })
      .reserve({ ...ann, session }, [20, 30], acquired(1, { expiresAt: iso(5005) }))
      .call('renewSession', proof, [3000, 3010], { response: { status: 'RENEWED', expiresAt: iso(8005) } });
    expect(only(history)).toEqual({ from: 30, endsFrom: 7995, endedBy: 8015 });
    history.call('endSession', proof, [4000, 4010], { response: { status: 'ENDED', released: 1 } });
    expect(only(history)).toEqual({ from: 30, endsFrom: 4000, endedBy: 4010 });
  });

  test('a hold that an unknown attempt may have made was asked for then', () => {
    const history = made()
      .reserve(ann, [0, 10], { down: 503 })
      .reserve(ann, [20, 30], acquired(1, { status: 'ALREADY_HAD' }));
    expect(holdsOf(history.history).holds[0]?.askedAt).toBe(START);
  });
});

describe('exclusion', () => {
  test('one after the other is clean', () => {
    expectClean(
      exclusion,
      made()
        .reserve(ann, [0, 10], acquired(1))
        .release(annsToken, [100, 110], 'RELINQUISHED')
        .reserve(bob, [105, 115], acquired(2)),
    );
  });

  test('two who hold one name are found', () => {
    expectFound(
      exclusion,
      made().reserve(ann, [0, 10], acquired(1)).reserve(bob, [20, 30], acquired(2)),
      /both have n0/,
    );
  });

  test('readers share a name, but not with a writer', () => {
    const shared = made()
      .reserve({ ...ann, mode: 'SHARED' }, [0, 10], acquired(1, { mode: 'SHARED' }))
      .reserve({ ...bob, mode: 'SHARED' }, [20, 30], acquired(2, { mode: 'SHARED' }));
    expectClean(exclusion, shared);
    expectFound(exclusion, shared.reserve({ ...ann, requester: 'cyd' }, [40, 50], acquired(3)), /cyd .* both have n0/);
  });

  test('two who hold one slot of a pool or of an ancestor are found', () => {
    const slots = { branch: 'branch_0', root: 'root_1' };
    const history = made()
      .reserve({ resource: 'leaf0', requester: 'ann' }, [0, 10], acquired(1, { acquiredSlots: slots }))
      .reserve({ resource: 'leaf1', requester: 'ann' }, [20, 30], acquired(2, { acquiredSlots: slots }));
    expectClean(exclusion, history);
    const other = { resource: 'leaf2', requester: 'bob' };
    expectFound(
      exclusion,
      history.reserve(other, [40, 50], acquired(3, { acquiredSlots: { root: 'root_1' } })),
      /both have root_1/,
    );
  });

  test('two resources that hold one blocker are found', () => {
    const history = made().reserve(
      { resource: 'crane0', requester: 'ann' },
      [0, 10],
      acquired(1, { acquiredBlockers: ['rail'] }),
    );
    const crane1 = { resource: 'crane1', requester: 'bob' };
    expectFound(exclusion, history.reserve(crane1, [20, 30], acquired(2, { acquiredBlockers: ['rail'] })), /rail/);
  });

  test('a second holder after a fault that may have lost the first one is clean', () => {
    expectClean(
      exclusion,
      made()
        .reserve(ann, [0, 10], acquired(1))
        .fault({ loses: 'everything' }, [100, 110])
        .reserve(bob, [200, 210], acquired(2)),
    );
  });
});

describe('fencing', () => {
  test('tokens that rise are clean, also of reservations that were asked for at the same time', () => {
    expectClean(
      fencing,
      made()
        .reserve(ann, [0, 30], acquired(2))
        .reserve({ ...bob, resource: 'n1' }, [20, 25], acquired(1)),
    );
  });

  test('a token that is not higher than one that was known is found', () => {
    const n1 = { resource: 'n1', requester: 'bob' };
    expectFound(fencing, made().reserve(ann, [0, 10], acquired(2)).reserve(n1, [20, 30], acquired(1)), /is not higher/);
  });

  test('a token that comes twice is found', () => {
    const n1 = { resource: 'n1', requester: 'bob' };
    const second = acquired(1, { releaseToken: tokenOf(2) });
    expectFound(fencing, made().reserve(ann, [0, 30], acquired(1)).reserve(n1, [0, 30], second), /same fencing token/);
  });

  test('a token comes twice if one is lost while the clock of Redis is behind one that it has had, not else', () => {
    const lost = (clockStepMs: number) =>
      made()
        .fault({ clockStepMs }, [0, 10])
        .reserve(ann, [20, 30], acquired(1))
        .fault({ loses: { recentMs: 1000 } }, [40, 50])
        .reserve({ ...ann, resource: 'n1' }, [60, 70], acquired(1, { releaseToken: tokenOf(2) }));
    expectClean(fencing, lost(40_000));
    expect(fencing.run(lost(0).history).violations).not.toEqual([]);
  });
  test('a reservation that answers name with another token is found', () => {
    const again = acquired(1, { status: 'ALREADY_HAD', fencingToken: 7 });
    expectFound(fencing, made().reserve(ann, [0, 10], acquired(1)).reserve(ann, [20, 30], again), /named again/);
  });
});

describe('recovery', () => {
  /** Probes every 100 ms that fail until so long after the start. */
  const probed = (untilMs: number) => {
    const history = made().fault({ servedWithinMs: 2000 }, [1000, 2000]);
    for (let at = 0; at < 60_000; at += 100)
      history.reserve(
        { resource: 'probe', requester: `probe-${at}` },
        [at, at + 5],
        at > 1000 && at < untilMs ? { down: 503 } : acquired(at + 1),
        { caller: 'prober' },
      );
    return history;
  };

  test('an instance that serves again in time is clean', () => expectClean(recovery, probed(3500)));
  test('an instance that serves again too late is found', () =>
    expectFound(recovery, probed(9000), /serves again only/));
  test('an instance that serves late is clean if the machine was that busy', () =>
    expectClean(recovery, probed(9000).lag([4000, 5500])));
  test('a call that fails is found if the fault may fail none of its kind', () => {
    const sparing = (verb: 'reserve' | 'past') =>
      made()
        .reserve(ann, [0, 10], acquired(1), { caller: 'prober' })
        .fault({ sparedAddresses: ['api0'], sparedVerbs: [verb] }, [100, 2000])
        .reserve(ann, [200, 210], { down: 503 })
        .reserve(ann, [2100, 2110], acquired(1), { caller: 'prober' });
    expectFound(recovery, sparing('reserve'), /1 calls failed/);
    expectClean(recovery, sparing('past'));
  });
  test('an instance that fails again after that is found', () => {
    const history = probed(2500);
    for (let at = 20_050; at < 30_000; at += 200)
      history.reserve({ resource: 'probe', requester: 'x' }, [at, at + 5], { down: 503 }, { caller: 'prober' });
    expectFound(recovery, history, /fails 50 of/);
  });
});
