import { describe, expect, test } from 'vitest';
import type { HistoryEntry } from '../../src/contract/history.ts';
import type { ReserveResult } from '../../src/contract/reservations.ts';
import { past } from './checks/past.ts';
import { queue } from './checks/queue.ts';
import { transactions } from './checks/transactions.ts';
import { clean, createStory, type Story, whats } from './story.ts';

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

  test('finds that a caller was told late of its grant, unless the machine was busy', () => {
    const story = createStory();
    const ann = story.acquire('ann-1', 'n5');
    story.wait('bob-1', 'n5');
    story.release(ann);
    story.acquire('bob-1', 'n5', { waitSeconds: 60 });
    const last = story.calls.at(-1);
    if (!last) throw new Error('there is no call');
    const held = { pollSeconds: 5, completedAt: last.completedAt + 2500 };
    story.calls[story.calls.length - 1] = Object.assign({}, last, held);
    const history = story.history();
    expect(whats(queue, history)).toEqual([
      expect.stringMatching(/bob-1 was granted n5 .* its long poll lasted until/),
    ]);
    const lags = [{ from: last.completedAt, by: last.completedAt + 600 }];
    expect(whats(queue, { ...history, lags })).toEqual([]);
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
    expect(spoilt('ROLLED_BACK')).toEqual([expect.stringContaining('2 of its items are reported as done')]);
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
