/**
 * The same request, sent several times at once, has one ticket: all of its calls learn what becomes of it
 * (docs/specification.md#tickets).
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ReserveResult } from '../../../src/contract/reservations.ts';
import { poll, queue, wanted } from '../../support/polls.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../../support/service.ts';

let one: Instance;
let other: Instance;
beforeAll(async () => {
  const keys = [makeConfiguredKey(makeTenant())];
  [one, other] = await Promise.all([startInstance({ keys }), startInstance({ keys })]);
});
afterAll(() => Promise.all([one.stop(), other.stop()]));

let resource = '';
let fresh = 0;
let holder: ReserveResult | undefined;
beforeEach(async () => {
  await one.reset();
  resource = `busy${fresh++}`;
  [holder] = (await one.reserve({ resource, requester: 'holder' })).body;
});

const release = () => one.unreserve({ resource, requester: 'holder', releaseToken: holder?.releaseToken ?? null });

/** A call for ann, held by the first instance for 30 s. */
async function longPoll() {
  const held = poll(one, [wanted(resource, 'ann')], 30);
  await queue(one, 'ann waits', ([ticket]) => ticket?.attended === true);
  return held;
}

test('a look with pollSeconds=0 at another instance does not cut off a long poll', async () => {
  const held = await longPoll();
  await poll(other, [wanted(resource, 'ann')], 0).response;
  await queue(one, 'ann is detached', ([ticket]) => ticket?.attended === false);
  await release();
  expect(await held.first).toMatchObject({ status: 'ACQUIRED' });
});

test('calls that poll at two instances both learn of the grant: one acquires, the other had it', async () => {
  const held = await longPoll();
  const late = poll(other, [wanted(resource, 'ann', { waitSeconds: 600 })], 30);
  await queue(other, 'the last call waits', ([ticket]) => lasts(ticket) === 600_000);
  await release();
  const results = await Promise.all([held.first, late.first]);
  expect(results.map((one) => one?.status).toSorted()).toEqual(['ACQUIRED', 'ALREADY_HAD']);
  expect(new Set(results.map((one) => one?.releaseToken)).size).toBe(1);
});

test('a call that another instance took up and dropped keeps its turn', async () => {
  const held = await longPoll();
  const dropped = poll(other, [wanted(resource, 'ann', { waitSeconds: 600 })], 30);
  await queue(other, 'the other call waits', ([ticket]) => lasts(ticket) === 600_000);
  dropped.hangUp();
  await dropped.response.catch(() => {});
  await release();
  expect(await held.first).toMatchObject({ status: 'ACQUIRED' });
});

const lasts = (ticket?: { readonly since: string; readonly until: string }) =>
  ticket === undefined ? 0 : Date.parse(ticket.until) - Date.parse(ticket.since);

test('requests of one requester are distinguished, although a short digest of them is the same', async () => {
  // The SHA-1 of 'r\n\nc4341' begins with the same 32 bits as that of 'r\n\nc48273'.
  const names = ['c4341', 'c48273'];
  await one.reserve(...names.map((name) => ({ resource: name, requester: 'holder' })));
  for (const name of names) await poll(one, [wanted(name, 'r')], 0).response;
  expect((await one.waiting()).body.map(({ resources }) => resources)).toEqual(names.map((name) => [name]));
});
