/**
 * Requests that wait and are sent again. With an Idempotency-Key, a repeat goes on waiting, and the response that
 * decides is kept (docs/specification.md#repeating-safely). Without one, all calls of the same request have one ticket,
 * and learn what becomes of it (docs/specification.md#tickets).
 */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ReserveItem, ReserveResult, TransactionResult } from '../../../src/contract/reservations.ts';
import type { Answer } from '../../support/client.ts';
import { one, two, useTwo } from '../../support/instance.ts';
import { poll, queue, wanted } from '../../support/polls.ts';
import type { Instance } from '../../support/service.ts';

useTwo();

let fresh = 0;
let names: [string, string] = ['', ''];
let holders: readonly ReserveResult[] = [];
let key = '';
beforeEach(async () => {
  await one.reset();
  names = [`busy${fresh++}`, `busy${fresh++}`];
  key = randomUUID();
  holders = (await one.reserve(...names.map((resource) => ({ resource, requester: 'holder' })))).body;
});

const release = (...slotNumbers: number[]) => one.unreserve(...slotNumbers.flatMap((i) => holders[i] ?? []));
const send = <Body = ReserveResult[]>(instance: Instance, path: string, body: unknown): Promise<Answer<Body>> =>
  instance.request<Body>('POST', `/api/v1/Reservation/${path}`, body, { 'Idempotency-Key': key });
const isReplayed = ({ headers }: Answer) => headers.get('Idempotency-Replayed');
const waits = (count: number) => queue(one, 'they wait', ({ length }) => length === count);
const item = (i: 0 | 1 = 0, fields: Partial<ReserveItem> = {}) => wanted(names[i], 'ann', fields);

describe('a response that says WAITING is not kept', () => {
  test('the repeat continues the ticket, and the response that decides it is kept', async () => {
    const [first] = (await send(one, 'reserve?pollSeconds=0', [item()])).body;
    const second = await send(two, 'reserve?pollSeconds=0', [item()]);
    expect(second.body).toMatchObject([{ status: 'WAITING', waiting: { since: first?.waiting?.since } }]);
    expect(isReplayed(second)).toBeNull();
    await release(0);
    const decided = await send(two, 'reserve?pollSeconds=0', [item()]);
    expect(decided.body).toMatchObject([{ status: 'ACQUIRED' }]);
    expect(isReplayed(decided)).toBeNull();
    const again = await send(one, 'reserve?pollSeconds=0', [item()]);
    expect(again.body).toEqual(decided.body);
    expect(isReplayed(again)).toBe('true');
  });

  test('another request under its key is a mismatch, and it waits on', async () => {
    const held = send(one, 'reserve', [item()]);
    await waits(1);
    expect(await send(two, 'reserve', [item(1)])).toMatchObject({
      status: 409,
      body: { code: 'IDEMPOTENCY_MISMATCH' },
    });
    await release(0);
    expect((await held).body).toMatchObject([{ status: 'ACQUIRED' }]);
  });
});

describe('long polls', () => {
  test('at two instances get one response: a repeat does not wait for the first to end', async () => {
    const calls = [send(one, 'reserve', [item()])];
    await waits(1);
    calls.push(send(two, 'reserve', [item()]));
    const later = { ...item(), requester: 'later' };
    await two.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [later]);
    await waits(2);
    await release(0);
    const answers = await Promise.all(calls);
    expect(answers[0]?.body).toMatchObject([{ status: 'ACQUIRED' }]);
    expect(answers[1]?.body).toEqual(answers[0]?.body);
    expect(answers.map(isReplayed).toSorted()).toEqual(['true', null].toSorted());
  });

  test('whose ticket somebody else ends: the repeat gets this too, and no new ticket', async () => {
    const held = send(one, 'reserve', [item()]);
    await waits(1);
    await two.cancel({ resource: names[0], requester: 'ann' });
    const first = await held;
    expect(first.body).toMatchObject([{ explanation: 'NOT_AVAILABLE: cancelled' }]);
    const again = await send(two, 'reserve', [item()]);
    expect(again.body).toEqual(first.body);
    expect(isReplayed(again)).toBe('true');
    await waits(0);
  });

  test('whose wait elapses: the same', async () => {
    const brief = item(0, { waitSeconds: 1 });
    const first = await send(one, 'reserve', [brief]);
    expect(first.body).toMatchObject([{ status: 'ALREADY_HELD' }]);
    expect(await send(two, 'reserve', [brief])).toMatchObject({ body: first.body });
  });

  test('of a transaction: the same for a grant and for an end', async () => {
    const transaction = {
      method: 'ALL_OR_NONE',
      requests: names.map((resource) => ({ requestType: 'RESERVE', resource, requester: 'ann', ttlSeconds: 60 })),
      waitSeconds: 60,
    };
    const granted = send<TransactionResult>(one, 'transaction', transaction);
    await waits(1);
    await release(0, 1);
    expect((await granted).body).toMatchObject({ status: 'APPLIED' });
    const again = await send<TransactionResult>(two, 'transaction', transaction);
    expect([again.body, isReplayed(again)]).toEqual([(await granted).body, 'true']);

    key = randomUUID();
    const others = { ...transaction, requests: transaction.requests.map((one) => ({ ...one, requester: 'bob' })) };
    const ended = send<TransactionResult>(one, 'transaction', others);
    await waits(1);
    await two.cancel({ resource: names[0], requester: 'bob' });
    expect((await ended).body).toMatchObject({ status: 'ROLLED_BACK' });
    const repeat = await send<TransactionResult>(two, 'transaction', others);
    expect([repeat.body, isReplayed(repeat)]).toEqual([(await ended).body, 'true']);
  });

  test('of several items, which are decided one after the other', async () => {
    const both = [item(0), item(1)];
    const held = send(one, 'reserve', both);
    await waits(2);
    await two.cancel({ resource: names[0], requester: 'ann' });
    await waits(1);
    await release(1);
    const first = await held;
    expect(first.body).toMatchObject([{ explanation: 'NOT_AVAILABLE: cancelled' }, { status: 'ACQUIRED' }]);
    const again = await send(two, 'reserve', both);
    expect([again.body, isReplayed(again)]).toEqual([first.body, 'true']);
  });
});

const lasts = (ticket?: { readonly since: string; readonly until: string }) =>
  ticket === undefined ? 0 : Date.parse(ticket.until) - Date.parse(ticket.since);

/** A call for ann, held by the first instance for 30 s. */
async function longPoll() {
  const held = poll(one, [wanted(names[0], 'ann')], 30);
  await queue(one, 'ann waits', ([ticket]) => ticket?.attended === true);
  return held;
}

describe('the same request, sent several times at once', () => {
  test('a look with pollSeconds=0 at another instance does not cut off a long poll', async () => {
    const held = await longPoll();
    await poll(two, [wanted(names[0], 'ann')], 0).response;
    await queue(one, 'ann is detached', ([ticket]) => ticket?.attended === false);
    await release(0);
    expect(await held.first).toMatchObject({ status: 'ACQUIRED' });
  });

  test('calls that poll at two instances both learn of the grant: one acquires, the other had it', async () => {
    const held = await longPoll();
    const late = poll(two, [wanted(names[0], 'ann', { waitSeconds: 600 })], 30);
    await queue(two, 'the last call waits', ([ticket]) => lasts(ticket) === 600_000);
    await release(0);
    const results = await Promise.all([held.first, late.first]);
    expect(results.map((one) => one?.status).toSorted()).toEqual(['ACQUIRED', 'ALREADY_HAD']);
    expect(new Set(results.map((one) => one?.releaseToken)).size).toBe(1);
  });

  test('a call that another instance took up and dropped keeps its turn', async () => {
    const held = await longPoll();
    const dropped = poll(two, [wanted(names[0], 'ann', { waitSeconds: 600 })], 30);
    await queue(two, 'the other call waits', ([ticket]) => lasts(ticket) === 600_000);
    dropped.hangUp();
    await dropped.response.catch(() => {});
    await release(0);
    expect(await held.first).toMatchObject({ status: 'ACQUIRED' });
  });

  test('requests of one requester are distinguished, although a short digest of them is the same', async () => {
    // The SHA-1 of 'r\n\nc4341' begins with the same 32 bits as that of 'r\n\nc48273'.
    const alike = ['c4341', 'c48273'];
    await one.reserve(...alike.map((name) => ({ resource: name, requester: 'holder' })));
    for (const name of alike) await poll(one, [wanted(name, 'r')], 0).response;
    expect((await one.waiting()).body.map(({ resources }) => resources)).toEqual(alike.map((name) => [name]));
  });
});
