/** Tries the check of the queue on requests for several things, and the checks that find what nobody was told of. */
import { describe, expect, test } from 'vitest';
import type { Transaction, TransactionResult } from '../../src/contract/reservations.ts';
import { eventsComplete } from './checks/eventsComplete.ts';
import { loss } from './checks/loss.ts';
import { past } from './checks/past.ts';
import { queue } from './checks/queue.ts';
import { errors } from './checks/recovery.ts';
import { acquired, MadeHistory, type Times, tokenOf } from './made.ts';
import { createStory, whats } from './story.ts';

const WAITING: TransactionResult = { method: 'ALL_OR_NONE', status: 'WAITING', results: [] };

function waitFor(made: MadeHistory, requester: string, names: readonly string[], [from, by]: Times, more: object = {}) {
  const requests = names.map((resource) => ({ requestType: 'RESERVE' as const, resource, requester, ttlSeconds: 5 }));
  const transaction: Transaction = { method: 'ALL_OR_NONE', requests, waitSeconds: 60, ...more };
  for (let at = from; at < by; at += 2000)
    made.call('transaction', transaction, [at, at + 1990], { response: WAITING }, { pollSeconds: 2 });
  return made;
}

/** Ann waits for some things from the start on; then zoe gets something. */
const passed = (names: readonly string[], resource: string, slots: Readonly<Record<string, string>> = {}) =>
  waitFor(new MadeHistory(), 'ann', names, [0, 20_000]).reserve(
    { resource, requester: 'zoe' },
    [10_000, 10_010],
    acquired(7, { acquiredSlots: { ...slots } }),
  );

const found = ({ history }: MadeHistory) => whats(queue, history);

describe('the queue, for those who wait for several things', () => {
  test.each([
    ['a name', passed(['k0', 'k1'], 'k1')],
    ['a slot that is wanted by name', passed(['k0', 'bay_1'], 'bay', { bay: 'bay_1' })],
    ['a blocker', passed(['k0', 'lift'], 'gate')],
    ['an ancestor', passed(['k0', 'dock'], 'yard')],
    ['what is below an ancestor', passed(['k0', 'yard'], 'dock')],
  ])('finds that a later one got %s', (_, made) => {
    expect(found(made)).toEqual([expect.stringContaining('before ann')]);
  });

  test('lets others have what is not kept', () => {
    expect(found(passed(['k0', 'k1'], 'k2'))).toEqual([]);
    expect(found(passed(['k0', 'bay_1'], 'bay', { bay: 'bay_0' }))).toEqual([]);
  });

  test('lets a higher priority go first', () => {
    const made = waitFor(new MadeHistory(), 'ann', ['k0', 'k1'], [0, 20_000], { priority: -1 });
    const item = { resource: 'k1', requester: 'zoe', waitSeconds: 5 };
    expect(found(made.reserve(item, [10_000, 10_010], acquired(7)))).toEqual([]);
  });

  test('does not judge whose turn has not come for certain', () => {
    const made = waitFor(new MadeHistory(), 'bob', ['k1', 'k2'], [0, 20_000]);
    waitFor(made, 'ann', ['k0', 'k1'], [100, 20_000]);
    // Bob keeps k1, unless his turn has not come at k2: that is for the check of what he waits for.
    expect(found(made.reserve({ resource: 'k0', requester: 'zoe' }, [10_000, 10_010], acquired(7)))).toEqual([]);
  });

  test('does not judge who waits for a slot that one before it wants by name, too', () => {
    const made = waitFor(new MadeHistory(), 'bob', ['bay_1', 'k2'], [0, 20_000]);
    waitFor(made, 'ann', ['k0', 'bay_1'], [100, 20_000]);
    expect(found(made.reserve({ resource: 'k0', requester: 'zoe' }, [10_000, 10_010], acquired(7)))).toEqual([]);
  });

  test('lets somebody finish who holds something', () => {
    const made = waitFor(new MadeHistory(), 'ann', ['k0', 'k1'], [100, 20_000]);
    made.reserve({ resource: 'k0', requester: 'zoe' }, [0, 10], acquired(1));
    expect(found(made.reserve({ resource: 'k1', requester: 'zoe' }, [10_000, 10_010], acquired(7)))).toEqual([]);
  });

  test('lets somebody have more who has got what is waited for by an item before', () => {
    const made = waitFor(new MadeHistory(), 'ann', ['k0', 'k1'], [0, 20_000]);
    const items = ['k2', 'k1'].map((resource) => ({ resource, requester: 'zoe' }));
    const refused = {
      explanation: '',
      acquiredSlots: null,
      acquiredBlockers: null,
      reservedAtPath: null,
      expiresAt: null,
    };
    const results = items.map((item, i) => ({
      ...{ ...refused, ...item, status: 'ACQUIRED' as const, releaseToken: tokenOf(7 + i), fencingToken: 7 + i },
    }));
    expect(found(made.call('reserve', items, [10_000, 10_010], { response: results }))).toEqual([]);
  });

  test('does not judge names whose capacity changes', () => {
    expect(found(passed(['k0', 'shift0'], 'shift0'))).toEqual([]);
  });

  test('does not judge while a fault may have lost tickets', () => {
    const made = passed(['k0', 'k1'], 'k1').fault({ loses: 'everything' }, [9000, 9100]);
    expect(found(made)).toEqual([]);
  });
});

describe('what is carried out although nobody was told', () => {
  /** Zoe reserves and releases once; a second answer is that of a repeat, which got the first one. */
  const repeated = () => {
    const story = createStory();
    story.release(story.acquire('zoe-1', 'n0'));
    story.release(story.acquire('zoe-1', 'n0'));
    story.calls.splice(2, 2);
    story.release(story.acquire('bob-1', 'n1'));
    return story.history();
  };

  test('is found in the events', () => {
    expect(whats(eventsComplete, repeated())).toContainEqual(
      expect.stringMatching(/n0 of zoe-1 was made, which no call/),
    );
  });

  test('is found in the history of what ended', () => {
    const history = repeated();
    const later = { ...history, end: history.end.map((one) => ({ ...one, readAt: one.readAt + 5000 })) };
    expect(whats(past, later)).toEqual([expect.stringMatching(/zoe-1 .* is of what no call was told/)]);
  });
});

test('a release with a token that nobody was given is found', () => {
  const made = new MadeHistory()
    .reserve({ resource: 'n0', requester: 'ann' }, [0, 10], acquired(1))
    .release({ resource: 'n0', requester: 'ann', token: 'made up' }, [20, 30], 'RELINQUISHED');
  expect(whats(loss, made.history)).toEqual([expect.stringMatching(/n0 of ann .* a token that nobody was given/)]);
});

test('a call that is answered 500 is found, and one that is answered 503 is not', () => {
  const ann = { resource: 'n0', requester: 'ann' };
  const made = new MadeHistory().reserve(ann, [0, 10], { down: 500 }).reserve(ann, [20, 30], { down: 503 });
  expect(whats(errors, made.history)).toEqual([expect.stringMatching(/reserve at api0\) was answered 500/)]);
});
