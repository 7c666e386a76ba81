import { describe, expect, test } from 'vitest';
import type { HistoryEntry } from '../../src/contract/history.ts';
import type { ReserveResult } from '../../src/contract/reservations.ts';
import type { Check } from './check.ts';
import { eventsAgree } from './checks/eventsAgree.ts';
import { eventsComplete } from './checks/eventsComplete.ts';
import { eventsOrder } from './checks/eventsOrder.ts';
import { inconsistencies } from './checks/inconsistencies.ts';
import { linearizability } from './checks/linearizability.ts';
import { past } from './checks/past.ts';
import { queue } from './checks/queue.ts';
import { transactions } from './checks/transactions.ts';
import type { History, StreamSeen } from './history.ts';
import { createStory, type Story } from './story.ts';

/** A little of everything, without a fault. */
function clean(): Story {
  const story = createStory();
  const ann = story.acquire('ann-1', 'n0');
  story.refuse('bob-1', 'n0', 'ann-1');
  story.release(ann);
  const bob = story.acquire('bob-2', 'n0', { ttlSeconds: 1 });
  story.wait('eve-1', 'n0', { ttlSeconds: 5 });
  story.expire(bob);
  const eve = story.acquire('eve-1', 'n0', { ttlSeconds: 5, waitSeconds: 60 });
  story.release(eve);
  const ann3 = story.acquire('ann-3', 'n1');
  story.handOver(ann3, 'n2');
  const bob3 = story.acquire('bob-3', 'n3');
  story.failToHandOver(bob3, 'n2', 'ann-3');
  story.release(bob3);
  story.acquire('ann-4', 'n1', { mode: 'SHARED' });
  story.acquire('bob-4', 'n1', { mode: 'SHARED' });
  return story;
}

const whats = (check: Check, history: History) => check.run(history).violations.map(({ what }) => what);

/** Changes what the first stream has seen. */
function inStream(history: History, change: (events: StreamSeen['events'][number][]) => void): History {
  const [first, ...others] = history.streams;
  if (!first) throw new Error('the history has no stream');
  const events = [...first.events];
  change(events);
  return { ...history, streams: [{ ...first, events }, ...others] };
}

const CHECKS = [eventsOrder, eventsAgree, eventsComplete, inconsistencies, linearizability, past, queue, transactions];

/** Returns the place of the first event of a type. */
const at = (events: StreamSeen['events'], type: string) => events.findIndex(({ event }) => event.type === type);

describe('a history without a fault', () => {
  test.each(CHECKS.map((check) => [check.name, check] as const))('passes %s', (_, check) => {
    const { looked, violations } = check.run(clean().history());
    expect(violations).toEqual([]);
    expect(looked).toBeGreaterThan(0);
  });
});

describe('the order of events in one stream', () => {
  test('finds fencing tokens that fall', () => {
    const history = inStream(clean().history(), (events) => {
      const [one] = events.splice(at(events, 'RESERVED'), 1);
      if (one) events.splice(at(events, 'RESERVED') + 1, 0, one);
    });
    expect(whats(eventsOrder, history)).toContainEqual(expect.stringContaining('is not above'));
  });

  test('finds a name that is reserved twice without an end between', () => {
    const history = inStream(clean().history(), (events) => void events.splice(at(events, 'UNRESERVED'), 1));
    expect(whats(eventsOrder, history)).toContainEqual(expect.stringContaining('it has not ended'));
  });

  test('finds an end without a beginning', () => {
    const history = inStream(clean().history(), (events) => {
      const end = events[at(events, 'UNRESERVED')];
      if (end) events.push(end);
    });
    expect(whats(eventsOrder, history)).toContainEqual(expect.stringContaining('it had ended before'));
  });
});

describe('the agreement of streams', () => {
  test.each([
    ['misses', (events: StreamSeen['events'][number][]) => void events.splice(3, 1)],
    ['doubles', (events: StreamSeen['events'][number][]) => void events.splice(3, 0, ...events.slice(2, 3))],
    ['swaps', (events: StreamSeen['events'][number][]) => void events.splice(3, 0, ...events.splice(4, 1))],
    ['begins late with', (events: StreamSeen['events'][number][]) => void events.splice(1, 1)],
  ])('finds that one %s an event', (_, change) => {
    const history = inStream(clean().history(), change);
    expect(whats(eventsAgree, history)).toHaveLength(1);
  });

  test('lets a stream end early', () => {
    const history = inStream(clean().history(), (events) => void events.splice(5));
    expect(whats(eventsAgree, history)).toEqual([]);
  });
});

describe('the completeness of streams', () => {
  test.each([['RESERVED'], ['UNRESERVED'], ['TRANSACTION_APPLIED']])('finds that a %s is missing', (type) => {
    const history = inStream(clean().history(), (events) => void events.splice(at(events, type), 1));
    expect(whats(eventsComplete, history)).toContainEqual(expect.stringContaining('misses'));
  });

  test('finds what nobody did', () => {
    const history = inStream(clean().history(), (events) => {
      const one = events[at(events, 'RESERVED')];
      if (one) events.push({ ...one, event: { ...one.event, requester: 'eve-9' } });
    });
    expect(whats(eventsComplete, history)).toContainEqual(expect.stringContaining('no call can have done'));
  });

  test('finds an end of what has no lease', () => {
    const history = inStream(clean().history(), (events) => {
      const one = events[at(events, 'RESERVATION_EXPIRED')];
      if (one) events.push({ ...one, event: { ...one.event, requester: 'ann-4', resource: 'n1' } });
    });
    expect(whats(eventsComplete, history)).toContainEqual(expect.stringContaining('was expired'));
  });
});

describe('the history of what ended', () => {
  const spoilt = (spoil: (entries: HistoryEntry[]) => void) => {
    const history = clean().history();
    const end = history.end.map((one) => {
      const entries = [...one.past];
      spoil(entries);
      return { ...one, readAt: one.readAt + 5_000, past: entries };
    });
    return whats(past, { ...history, end });
  };

  test('finds a missing entry', () => {
    expect(spoilt((entries) => void entries.shift())).toEqual([expect.stringContaining('there is no entry of ann-1')]);
  });

  test('finds an entry that is there twice', () => {
    expect(spoilt((entries) => void entries.push(...entries.slice(0, 1)))).toEqual([
      expect.stringContaining('is there twice'),
    ]);
  });

  test.each([
    ['is of what is still held', { fencingToken: 'ann-4' }],
    ['is of a requester who never called', { requester: 'nobody', fencingToken: null }],
  ])('finds an entry that %s', (why, { fencingToken, requester = 'ann-4' }: Record<string, string | null>) => {
    const { active } = clean().history().end[0] ?? { active: [] };
    const token = active.find((one) => one.requester === fencingToken)?.fencingToken ?? 1;
    const found = spoilt((entries) => {
      const [one] = entries;
      if (one) entries.push({ ...one, fencingToken: token, requester: requester ?? '' });
    });
    expect(found).toContainEqual(expect.stringContaining(why));
  });

  test('finds a wrong end', () => {
    const found = spoilt((entries) => {
      const [one] = entries.splice(0, 1);
      if (one) entries.push({ ...one, ending: 'EXPIRED' });
    });
    expect(found).toEqual([expect.stringContaining('says EXPIRED')]);
  });
});

describe('the queue', () => {
  /** Ann holds n5; bob waits for it, then eve. */
  const waiting = (spoil: (story: Story, ann: ReserveResult) => void, asked: object = {}) => {
    const story = createStory();
    const ann = story.acquire('ann-1', 'n5');
    story.wait('bob-1', 'n5');
    story.wait('eve-1', 'n5', asked);
    spoil(story, ann);
    return whats(queue, story.history());
  };

  test('finds that the second was served first', () => {
    const found = waiting((story, ann) => {
      story.release(ann);
      story.release(story.acquire('eve-1', 'n5', { waitSeconds: 60 }));
      story.acquire('bob-1', 'n5', { waitSeconds: 60 });
    });
    expect(found).toEqual([expect.stringContaining('before bob-1')]);
  });

  test('finds that one who does not wait was served before', () => {
    const found = waiting((story, ann) => {
      story.release(ann);
      story.release(story.acquire('zoe-1', 'n5'));
      story.acquire('bob-1', 'n5', { waitSeconds: 60 });
    });
    expect(found).toEqual([expect.stringContaining('zoe-1')]);
  });

  test('lets a higher priority go first', () => {
    const asked = { waitSeconds: 60, priority: 5 };
    const found = waiting((story, ann) => {
      story.release(ann);
      story.release(story.acquire('eve-1', 'n5', asked));
      story.acquire('bob-1', 'n5', { waitSeconds: 60 });
    }, asked);
    expect(found).toEqual([]);
  });

  test('passes over a caller who has gone', () => {
    const found = waiting((story, ann) => {
      story.pass(20_000);
      story.release(ann);
      story.acquire('zoe-1', 'n5');
    });
    expect(found).toEqual([]);
  });

  test('finds that nobody was served although it was free', () => {
    const found = waiting((story, ann) => {
      story.pass(20_000);
      story.release(ann);
      for (let i = 0; i < 9; i++) story.wait('bob-1', 'n5');
      story.release(story.acquire('zoe-1', 'n4'));
    });
    expect(found).toEqual([]);
    const again = waiting((story, ann) => {
      for (let i = 0; i < 18; i++) story.wait('bob-1', 'n5');
      story.release(ann);
      for (let i = 0; i < 9; i++) story.wait('bob-1', 'n5');
      story.release(story.acquire('zoe-1', 'n4'));
    });
    expect(again).toContainEqual(expect.stringContaining('which nobody held'));
  });

  test('finds what was granted twice', () => {
    const found = waiting((story, ann) => {
      story.release(ann);
      story.acquire('bob-1', 'n5', { waitSeconds: 60 });
      const last = story.calls.at(-1);
      if (last) story.calls.push({ ...last, id: last.id + 1 });
    });
    expect(found).toEqual([expect.stringContaining('ACQUIRED twice')]);
  });
});

describe('transactions', () => {
  const spoilt = (status: 'APPLIED' | 'ROLLED_BACK') => {
    const story = clean();
    const at = story.calls.findIndex((call) => call.verb === 'transaction' && call.response?.status !== status);
    const call = story.calls[at];
    if (call?.verb === 'transaction' && call.response) {
      const response = { ...call.response, status };
      story.calls[at] = { ...call, response };
    }
    return whats(transactions, story.history());
  };

  test('finds items that are not done although it was applied', () => {
    expect(spoilt('APPLIED')).toEqual([expect.stringContaining('only 0 of 2 items are done')]);
  });

  test('finds items that are done although it was rolled back', () => {
    expect(spoilt('ROLLED_BACK')).toEqual([expect.stringContaining('2 of its items are told to be done')]);
  });

  test('finds that what was rolled back is gone', () => {
    const story = createStory();
    const bob = story.acquire('bob-3', 'n3');
    const ann = story.acquire('ann-3', 'n2');
    story.failToHandOver(bob, 'n2', 'ann-3');
    const gone = { resource: 'n3', requester: 'bob-3', status: 'NOT_RESERVED', explanation: 'NOT_RESERVED' } as const;
    story.release(bob);
    story.release(ann);
    const call = story.calls.findLast(({ verb }) => verb === 'unreserve');
    const at = story.calls.findIndex((one) => one.verb === 'unreserve');
    const release = story.calls[at];
    if (call && release?.verb === 'unreserve')
      story.calls[at] = { ...release, response: [{ ...gone, released: null }] };
    expect(whats(transactions, story.history())).toEqual([expect.stringContaining('n3 was gone afterwards')]);
  });

  test('finds an event that tells of a part', () => {
    const story = createStory();
    story.handOver(story.acquire('ann-3', 'n1'), 'n2');
    const call = story.calls.at(-1);
    if (call?.verb !== 'transaction' || !call.response) throw new Error('there is no transaction');
    const more = { ...story.acquire('ann-3', 'n3') };
    story.calls.pop();
    const requests = [
      ...call.request.requests,
      { requestType: 'RESERVE' as const, resource: 'n3', requester: 'ann-3' },
    ];
    const response = { ...call.response, results: [...call.response.results, more] };
    story.calls[story.calls.length - 1] = { ...call, request: { ...call.request, requests }, response };
    expect(whats(transactions, story.history())).toEqual([expect.stringContaining('does not tell of')]);
  });
});

describe('inconsistencies', () => {
  test('are told as they are', () => {
    const history = clean().history();
    const end = history.end.map((one) => ({ ...one, inconsistencies: ['2 are counted, 1 is held'] }));
    expect(whats(inconsistencies, { ...history, end })).toEqual(['main: 2 are counted, 1 is held']);
  });
});

describe('an order of the calls', () => {
  const spoilt = (spoil: (story: Story) => void) => {
    const story = clean();
    spoil(story);
    return whats(linearizability, story.history());
  };

  test('is not there if two have the same', () => {
    expect(
      spoilt((story) => {
        story.acquire('ann-9', 'n4');
        story.acquire('bob-9', 'n4');
      }),
    ).toEqual([expect.stringContaining('take by bob-9')]);
  });

  test('is not there if somebody is refused who may have it', () => {
    expect(
      spoilt((story) => {
        story.release(story.acquire('ann-9', 'n4'));
        story.refuse('bob-9', 'n4', 'ann-9');
      }),
    ).toEqual([expect.stringContaining('seeHeld')]);
  });

  test('is not there if a lease is over and still refuses', () => {
    expect(
      spoilt((story) => {
        story.acquire('ann-9', 'n4', { ttlSeconds: 1 });
        story.pass(5_000);
        story.refuse('bob-9', 'n4', 'ann-9');
      }),
    ).toEqual([expect.stringContaining('seeHeld')]);
  });

  test('is not there if a lease ends early', () => {
    expect(
      spoilt((story) => {
        story.acquire('ann-9', 'n4', { ttlSeconds: 5 });
        story.pass(1_000);
        story.acquire('bob-9', 'n4');
      }),
    ).toEqual([expect.stringContaining('take by bob-9')]);
  });

  test('is there if a call without an answer took effect, and if it did not', () => {
    expect(
      spoilt((story) => {
        story.lose('reserve', [{ requester: 'ann-9', resource: 'n4' }]);
        story.refuse('bob-9', 'n4', 'ann-9');
        story.lose('reserve', [{ requester: 'ann-10', resource: 'n5' }]);
        story.acquire('bob-10', 'n5');
      }),
    ).toEqual([]);
  });

  test('begins anew after a fault that loses data', () => {
    const loses = { loses: 'everything', clockStepMs: 0, servedWithinMs: 1_000, detail: '' } as const;
    expect(
      spoilt((story) => {
        const ann = story.acquire('ann-9', 'n4');
        const startedAt = (story.calls.at(-1)?.completedAt ?? 0) + 10;
        story.faults.push({ kind: 'flushall', targets: ['redis0'], startedAt, healedAt: startedAt + 5, ...loses });
        story.pass(5_000);
        story.acquire('bob-9', 'n4');
        story.release(ann);
      }),
    ).toEqual([expect.stringContaining('give by ann-9')]);
  });
});
