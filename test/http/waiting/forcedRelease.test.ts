/**
 * A session of the dashboard may release a grant that nobody has claimed yet (docs/specification.md#release). Its
 * requester then begins anew.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ReserveResult, TransactionResult } from '../../../src/contract/reservations.ts';
import { poll, wanted } from '../../support/polls.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../../support/service.ts';
import { type Session, signIn } from '../../support/tenancy.ts';

let holdfast: Instance;
let session: Session;
beforeAll(async () => {
  const tenant = makeTenant();
  holdfast = await startInstance({ keys: [makeConfiguredKey(tenant)] });
  session = await signIn(holdfast.redis, tenant);
});
afterAll(() => holdfast.stop());
beforeEach(() => holdfast.reset());

const TRANSACTION = '/api/v1/Reservation/transaction';
const names = ['a', 'b'];
const both = (more: object = {}) => ({
  method: 'ALL_OR_NONE',
  requests: names.map((resource) => ({ requestType: 'RESERVE', resource, requester: 'ann', ttlSeconds: 60 })),
  ...more,
});
const wait = () =>
  holdfast.request<TransactionResult>('POST', `${TRANSACTION}?pollSeconds=0`, both({ waitSeconds: 60 }));
const force = (resource: string) =>
  session.request(holdfast.url, 'POST', '/api/v1/Reservation/unreserve', [{ resource, requester: 'ann' }]);

/** Lets ann wait for what somebody holds, and be granted it. */
async function grant(send: () => Promise<unknown>): Promise<void> {
  const { body } = await holdfast.reserve(...names.map((resource) => ({ resource, requester: 'holder' })));
  await send();
  await holdfast.unreserve(
    ...body.map(({ resource, requester, releaseToken }) => ({ resource, requester, releaseToken })),
  );
  expect((await holdfast.active('?requester=ann')).body.every(({ claimBy }) => claimBy !== null)).toBe(true);
}

const claim = (): Promise<ReserveResult | undefined> => poll(holdfast, [wanted('a', 'ann')], 0).first;

test('a request whose grant was released is carried out again', async () => {
  await grant(claim);
  await force('a');
  expect(await claim()).toMatchObject({ status: 'ACQUIRED', waitedMs: 0 });
});

test('a request whose grant was released waits again if somebody else has got it', async () => {
  await grant(claim);
  await force('a');
  await holdfast.reserve({ resource: 'a', requester: 'bob' });
  expect(await claim()).toMatchObject({ status: 'WAITING' });
});

test('a transaction of whose grant a part was released is applied as a whole, or waits', async () => {
  await grant(wait);
  await force('a');
  const { body } = await wait();
  expect([body.status, ...body.results.map(({ status }) => status)]).toEqual(['APPLIED', 'ACQUIRED', 'ALREADY_HAD']);

  await holdfast.reset();
  await grant(wait);
  await force('a');
  await holdfast.reserve({ resource: 'a', requester: 'bob' });
  expect((await wait()).body.status).toBe('WAITING');
});

test('a session may claim a grant and release it in one transaction', async () => {
  await grant(claim);
  const { status, body } = await session.request<TransactionResult>(holdfast.url, 'POST', TRANSACTION, {
    method: 'ALL_OR_NONE',
    requests: [
      { requestType: 'RESERVE', resource: 'a', requester: 'ann' },
      { requestType: 'UNRESERVE', resource: 'a', requester: 'ann' },
    ],
  });
  expect([status, body.status, ...body.results.map((one) => one.status)]).toEqual([
    200,
    'APPLIED',
    'ALREADY_HAD',
    'RELINQUISHED',
  ]);
  expect((await holdfast.active('?requester=ann')).body).toEqual([]);
});
