/**
 * The activity of a tenant as people see it: operations in the hour chart, and the request id of a form.
 */
import { expect, test } from 'vitest';
import { lastHour } from '../../src/engine/tenant/activity.ts';
import { startInstance } from '../support/service.ts';
import { signIn } from '../support/tenancy.ts';
import { until } from '../support/until.ts';

test('every operation counts in the hour chart, whatever its verb', async () => {
  const holdfast = await startInstance();
  const operations = async () =>
    (await lastHour(holdfast, holdfast.tenant)).reduce((sum, minute) => sum + minute.operations, 0);
  const items = ['a', 'b', 'c'].map((resource) => ({ resource, requester: 'q' }));
  await holdfast.register({ name: 'a' }, { name: 'gone' }); // 2
  const { body } = await holdfast.reserve(...items); // 3
  await holdfast.renew(...body.map((one) => ({ ...one, ttlSeconds: 60 }))); // 3
  await holdfast.delete('gone'); // 1
  await holdfast.reset(); // 1
  await until('all are counted', async () => (await operations()) === 10);
  await holdfast.stop();
});

test('a form of the dashboard has one request id, and is logged once', async () => {
  const holdfast = await startInstance();
  const session = await signIn(holdfast.redis, holdfast.tenant);
  await holdfast.reserve({ resource: 'r', requester: 'q' });
  const answer = await fetch(`${holdfast.url}/dashboard/release`, {
    method: 'POST',
    headers: { Cookie: session.cookie, Origin: holdfast.url },
    body: new URLSearchParams({ resource: 'r', requester: 'q' }),
    redirect: 'manual',
  });
  expect(answer.status).toBe(303);
  const id = answer.headers.get('x-request-id');
  const lines = holdfast.logged.map((text) => JSON.parse(text)).filter(({ requestId }) => requestId === id);
  expect(lines.map(({ path }) => path)).toEqual(['/dashboard/release']);
  await holdfast.stop();
});
