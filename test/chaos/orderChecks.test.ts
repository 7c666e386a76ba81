import { describe, expect, test } from 'vitest';
import { eventsAgree } from './checks/eventsAgree.ts';
import { eventsComplete } from './checks/eventsComplete.ts';
import { eventsOrder } from './checks/eventsOrder.ts';
import { linearizability } from './checks/linearizability.ts';
import { past } from './checks/past.ts';
import { queue } from './checks/queue.ts';
import { inconsistencies } from './checks/recovery.ts';
import { transactions } from './checks/transactions.ts';
import type { History, StreamSeen } from './history.ts';
import { clean, createStory, START, type Story, whats } from './story.ts';

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

describe('a stream that is opened while another one is open', () => {
  const openedAt = (openedAt: number) => {
    const history = clean().history();
    const [first, second] = history.streams;
    const from = at(first?.events ?? [], 'TRANSACTION_APPLIED');
    const late = second ? [{ ...second, openedAt, events: second.events.slice(from) }] : [];
    return whats(eventsAgree, { ...history, streams: first ? [first, ...late] : late });
  };
  const { events } = clean().history().streams[0] ?? { events: [] };
  const before = events[at(events, 'TRANSACTION_APPLIED') - 1]?.receivedAt ?? 0;

  test('may miss what was told before', () => expect(openedAt(before)).toEqual([]));
  test('must tell of what happened since', () => expect(openedAt(before - 200)).toHaveLength(1));
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

  test.each([
    ['a release that is repeated may have been done before the stream was open', true, 0],
    ['a release that is sent once may not', false, 1],
  ])('%s', (_, isRepeated, missing) => {
    const story = clean();
    const { resource, requester, releaseToken, ...rest } = story.acquire('ann-9', 'n4');
    if (isRepeated) story.lose('unreserve', [{ resource, requester, releaseToken: releaseToken ?? '' }]);
    const openedAt = (story.calls.at(-1)?.completedAt ?? 0) + 1;
    story.release({ resource, requester, releaseToken, ...rest });
    story.acquire('bob-9', 'n5');
    const history = story.history();
    const [stream] = history.streams.map((one) => ({ ...one, openedAt, events: one.events.slice(-1) }));
    expect(whats(eventsComplete, { ...history, streams: stream ? [stream] : [] })).toHaveLength(missing);
  });

  test('finds an end of what has no lease', () => {
    const history = inStream(clean().history(), (events) => {
      const one = events[at(events, 'RESERVATION_EXPIRED')];
      if (one) events.push({ ...one, event: { ...one.event, requester: 'ann-4', resource: 'n1' } });
    });
    expect(whats(eventsComplete, history)).toContainEqual(expect.stringContaining('was expired'));
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

  test.each([
    ['is there if the answer is replayed of a lost call, which came before', true],
    ['is not there if it comes of the call itself', false],
  ])('of a refusal after a release %s', (_, isReplayed) => {
    const found = spoilt((story) => {
      const ann = story.acquire('ann-9', 'n4');
      story.lose('reserve', [{ requester: 'bob-9', resource: 'n4' }]);
      story.release(ann);
      story.refuse('bob-9', 'n4', 'ann-9');
      const repeated = story.calls.filter(({ request }) => JSON.stringify(request).includes('bob-9'));
      for (const [i, call] of repeated.entries())
        story.calls[story.calls.indexOf(call)] = {
          ...call,
          idempotencyKey: 'one',
          ...(isReplayed && i === 1 && { isReplayed }),
        };
    });
    expect(found).toEqual(isReplayed ? [] : [expect.stringContaining('seeHeld')]);
  });

  test.each([
    ['', () => {}],
    [
      ' after a fault that loses data',
      ({ faults, pass }: Story) => {
        const loses = { loses: 'everything', clockStepMs: 0, servedWithinMs: 1_000, detail: '' } as const;
        faults.push({ kind: 'flushall', targets: ['redis0'], startedAt: START + 10, healedAt: START + 15, ...loses });
        pass(5_000);
      },
    ],
  ])('takes a shared reservation for shared once it is renewed%s', (_, before) => {
    const story = createStory();
    before(story);
    const ann = story.acquire('ann-9', 'n4', { mode: 'SHARED', ttlSeconds: 5 });
    const bob = story.acquire('bob-9', 'n4', { mode: 'SHARED', ttlSeconds: 5 });
    story.renew(ann, 5);
    const eve = story.acquire('eve-9', 'n4', { mode: 'SHARED', ttlSeconds: 5 });
    for (const held of [bob, ann, eve]) story.release(held);
    expect(whats(linearizability, story.history())).toEqual([]);
  });

  test('is there if a ticket is granted, loses the grant unclaimed, and is granted again', () => {
    expect(
      spoilt((story) => {
        story.wait('bob-9', 'n4', { ttlSeconds: 5, claimSeconds: 5 });
        story.refuse('ann-9', 'n4', 'bob-9');
        story.pass(5_000);
        story.acquire('ann-9', 'n4', { ttlSeconds: 1 });
        story.pass(2_000);
        story.acquire('bob-9', 'n4', { waitSeconds: 5, claimSeconds: 5 });
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
