/**
 * Who did it, in events (docs/specification.md#who-did-it).
 */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BegunSession } from '../../src/contract/sessions.ts';
import { setClock } from '../support/clock.ts';
import { ask, hold, holdfast, lose, NOW, OPERATOR, operator, release, useTakingAway } from '../support/takingAway.ts';
import { signIn } from '../support/tenancy.ts';
import { type Subscriber, watch } from '../support/watch.ts';

useTakingAway();

describe('UNRESERVED names who did it', () => {
  let stream: Subscriber;
  beforeEach(async () => {
    stream = await watch(holdfast);
  });
  afterEach(() => stream.close());
  const actors = async (count: number) =>
    (await stream.count(count)).filter(({ type }) => type === 'UNRESERVED').map(({ actor }) => actor);

  test('a key, a person, nobody', async () => {
    await holdfast.unreserve(await hold());
    await lose();
    await release(await signIn(holdfast.redis, holdfast.tenant, { email: null, subject: 'sub"ject' }), await hold());
    await holdfast.reserve({ resource: 'lease', requester: 'r', ttlSeconds: 1 });
    await setClock(holdfast.redis, holdfast.tenant, NOW + 1000);
    await holdfast.active();
    expect(await actors(9)).toEqual(['key:wörk "er"', `person:${OPERATOR}`, 'person:sub"ject', null]);
  });

  test('in the changes of a transaction', async () => {
    const { resource, requester } = await hold();
    const requests = [{ requestType: 'UNRESERVE', resource, requester }];
    await ask(operator, 'transaction', { method: 'AS_MANY_AS_POSSIBLE', requests });
    const [, applied] = await stream.count(2);
    expect(applied?.changes).toMatchObject([{ explanation: 'RELINQUISHED', actor: `person:${OPERATOR}` }]);
  });

  test('who ended the session, whichever call ends its reservations', async () => {
    const body = { requester: 'w', ttlSeconds: 60 };
    const begun = await holdfast.request<BegunSession>('POST', '/api/v1/Session', body);
    const { session, token } = begun.body;
    await holdfast.reserve({ resource: randomUUID(), requester: 'w', session });
    await operator.request(holdfast.url, 'POST', '/api/v1/Session/end', { session, token });
    await holdfast.active();
    expect(await actors(2)).toEqual([`person:${OPERATOR}`]);
  });

  test('who cancelled a wait that had been granted', async () => {
    const { resource, ...held } = await hold();
    const wait = [{ resource, requester: 'next', ttlSeconds: 60, waitSeconds: 60, claimSeconds: 60 }];
    await holdfast.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', wait);
    await holdfast.unreserve({ resource, ...held });
    await ask(operator, 'cancel', [{ resource, requester: 'next' }]);
    await stream.count(6);
    expect((await actors(6)).slice(-1)).toEqual([`person:${OPERATOR}`]);
  });
});
