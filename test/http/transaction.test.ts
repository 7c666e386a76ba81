import { beforeEach, describe, expect, test } from 'vitest';
import type { TransactionItem } from '../../src/contract/reservations.ts';
import { hotOf } from '../support/hotRecord.ts';
import { holdfast, useInstance } from '../support/instance.ts';

useInstance();
beforeEach(() => holdfast.reset());

const take = (resource: string, requester = 'alice'): TransactionItem => ({
  requestType: 'RESERVE',
  resource,
  requester,
});
const held = async (resource: string, requester = 'alice') => {
  const { body } = await holdfast.reserve({ resource, requester });
  return body[0]?.releaseToken ?? '';
};
const giveBack = (resource: string, releaseToken: string, requester = 'alice'): TransactionItem => ({
  requestType: 'UNRESERVE',
  resource,
  requester,
  releaseToken,
});
const statuses = (results: { status: string; explanation: string }[]) =>
  results.map(({ status, explanation }) => (status === explanation ? status : `${status} ${explanation}`));
const names = async () => (await holdfast.active()).body.map(({ resource }) => resource).sort();

describe('ALL_OR_NONE', () => {
  test('all succeed: APPLIED, and the answer has the results of reserve and of unreserve', async () => {
    const token = await held('old');
    const { status, body } = await holdfast.transaction('ALL_OR_NONE', take('new'), giveBack('old', token));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      method: 'ALL_OR_NONE',
      status: 'APPLIED',
      results: [
        { resource: 'new', status: 'ACQUIRED', releaseToken: expect.any(String), fencingToken: expect.any(Number) },
        { resource: 'old', status: 'RELINQUISHED', released: ['old'] },
      ],
    });
    expect(await names()).toEqual(['new']);
  });

  test('one fails: ROLLED_BACK, nothing is changed, and what would have succeeded says so, without a token', async () => {
    const mine = await held('mine');
    await held('theirs', 'bob');
    const before = (await holdfast.active()).body;
    const { status, body } = await holdfast.transaction(
      'ALL_OR_NONE',
      take('a'),
      giveBack('mine', mine),
      take('theirs'),
      take('b'),
    );
    expect(status).toBe(200);
    expect(body.status).toBe('ROLLED_BACK');
    expect(statuses(body.results)).toEqual([
      'NOT_AVAILABLE ROLLED_BACK',
      'NOT_AVAILABLE ROLLED_BACK',
      'ALREADY_HELD',
      'NOT_AVAILABLE ROLLED_BACK',
    ]);
    expect(JSON.stringify(body)).not.toContain(mine);
    expect(body.results[0]).toMatchObject({ releaseToken: null, fencingToken: null });
    expect((await holdfast.active()).body).toEqual(before);
  });

  test('ALREADY_HAD and NOT_RESERVED are successes, and a rollback leaves what was held alone', async () => {
    await held('mine');
    const kept = await holdfast.transaction('ALL_OR_NONE', take('mine'), giveBack('free', ''));
    expect(kept.body.status).toBe('APPLIED');
    await held('theirs', 'bob');
    const undone = await holdfast.transaction('ALL_OR_NONE', take('mine'), take('theirs'));
    expect(statuses(undone.body.results)).toEqual(['NOT_AVAILABLE ROLLED_BACK', 'ALREADY_HELD']);
    expect(await names()).toEqual(['mine', 'theirs']);
  });

  test('a bad token is a failure, and the HTTP status is 200', async () => {
    await held('mine');
    const answer = await holdfast.transaction('ALL_OR_NONE', take('a'), giveBack('mine', 'wrong'));
    expect(answer).toMatchObject({ status: 200, body: { status: 'ROLLED_BACK' } });
    expect(statuses(answer.body.results)).toEqual([
      'NOT_AVAILABLE ROLLED_BACK',
      'DOESNT_OWN_RESERVATION INVALID_RELEASE_TOKEN',
    ]);
  });

  test('items see each other’s effect: a slot that one gives back is there for the next', async () => {
    const token = await held('seat');
    const { body } = await holdfast.transaction('ALL_OR_NONE', giveBack('seat', token), take('seat', 'bob'));
    expect(statuses(body.results)).toEqual(['RELINQUISHED', 'ACQUIRED']);
  });

  test('over a plan: pools, blockers and ancestors come and go together', async () => {
    await holdfast.register({ name: 'leaf', capacity: 2, treePath: 'root', blocks: ['blocker'] });
    await held('theirs', 'bob');
    await holdfast.transaction('ALL_OR_NONE', take('leaf'), take('theirs'));
    for (const name of ['leaf_0', 'root', 'blocker']) expect((await holdfast.available(name)).body).toBe(true);
  });

  test('a rollback leaves no trace in the fencing tokens', async () => {
    await held('theirs', 'bob');
    const { fence: before } = await hotOf(holdfast.redis, holdfast.tenant);
    await holdfast.transaction('ALL_OR_NONE', take('a'), take('theirs'));
    expect((await hotOf(holdfast.redis, holdfast.tenant)).fence).toBe(before);
  });
});

describe('AS_MANY_AS_POSSIBLE', () => {
  test('each on its own, always APPLIED', async () => {
    await held('theirs', 'bob');
    const { body } = await holdfast.transaction('AS_MANY_AS_POSSIBLE', take('a'), take('theirs'), take('b'));
    expect(body.status).toBe('APPLIED');
    expect(statuses(body.results)).toEqual(['ACQUIRED', 'ALREADY_HELD', 'ACQUIRED']);
    expect((await holdfast.transaction('AS_MANY_AS_POSSIBLE', take('theirs'))).body.status).toBe('APPLIED');
  });
});

describe('FIRST', () => {
  test('the first that succeeds is kept, the later ones are not tried', async () => {
    await held('theirs', 'bob');
    const { body } = await holdfast.transaction('FIRST', take('theirs'), take('a'), take('b'));
    expect(body.status).toBe('APPLIED');
    expect(statuses(body.results)).toEqual(['ALREADY_HELD', 'ACQUIRED', 'NOT_AVAILABLE SKIPPED']);
    expect(await names()).toEqual(['a', 'theirs']);
  });

  test('none succeeds: ROLLED_BACK', async () => {
    await held('theirs', 'bob');
    const { body } = await holdfast.transaction('FIRST', take('theirs'), take('theirs', 'carol'));
    expect(body.status).toBe('ROLLED_BACK');
    expect(statuses(body.results)).toEqual(['ALREADY_HELD', 'ALREADY_HELD']);
  });

  test('takes reserves only', async () => {
    const { status, body } = await holdfast.transaction('FIRST', take('a'), giveBack('b', ''));
    expect(status).toBe(400);
    expect(body).toBe('requests[1].requestType must be RESERVE where the method is FIRST');
    expect(await names()).toEqual([]);
  });
});

describe('a malformed transaction: 400', () => {
  test.each([
    ['an array', [], 'the request body must be an object'],
    ['no method', { requests: [take('a')] }, 'method must be one of ALL_OR_NONE, AS_MANY_AS_POSSIBLE, FIRST'],
    [
      'another method',
      { method: 'SOME', requests: [take('a')] },
      'method must be one of ALL_OR_NONE, AS_MANY_AS_POSSIBLE, FIRST',
    ],
    ['no requests', { method: 'FIRST' }, 'requests is required'],
    ['an empty batch', { method: 'FIRST', requests: [] }, 'requests must be an array of 1 to 500 items'],
    ['an item that is none', { method: 'FIRST', requests: [7] }, 'requests[0] must be an object'],
    [
      'no type of request',
      { method: 'FIRST', requests: [{ resource: 'a', requester: 'b' }] },
      'requests[0].requestType must be RESERVE or UNRESERVE',
    ],
    [
      'a bad field',
      { method: 'FIRST', requests: [{ ...take('a'), ttlSeconds: 0 }] },
      'requests[0].ttlSeconds must be an integer greater than 0',
    ],
  ])('%s', async (_, body, message) => {
    const answer = await holdfast.request('POST', '/api/v1/Reservation/transaction', body);
    expect(answer).toMatchObject({ status: 400, body: message });
  });
});
