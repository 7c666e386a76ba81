/**
 * docs/specification.md#release: members release only what is theirs, so they reserve, and begin sessions, only in
 * their own name.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { active, hold, holdfast, person, useActing } from '../support/acting.ts';

useActing();

type Person = Awaited<ReturnType<typeof person>>;

/** Calls the API with the sign-in session of a person; gives the status and the text of the response. */
async function call({ headers }: Person, operation: string, body: unknown, at = 'Reservation/') {
  const response = await fetch(`${holdfast.url}/api/v1/${at}${operation}`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

/** Requests that get the token of what the requester holds. */
const asking = (item: { resource: string; requester: string }): [string, unknown][] => [
  ['reserve', [item]],
  ['reserve?dryRun=true', [item]],
  ['reserve', [{ ...item, ttlSeconds: 60, waitSeconds: 60 }]],
  ['transaction', { method: 'ALL_OR_NONE', requests: [{ requestType: 'RESERVE', ...item }] }],
  ['transaction?dryRun=true', { method: 'ALL_OR_NONE', requests: [{ requestType: 'RESERVE', ...item }] }],
];

describe('a member reserves in their own name only', () => {
  test('so nobody gets the token of what somebody else holds by asking again in their name', async () => {
    const member = await person();
    const resource = randomUUID();
    const { releaseToken } = await hold(resource);
    for (const [operation, body] of asking({ resource, requester: 'ci-42' })) {
      const { status, text } = await call(member, operation, body);
      expect([operation, status]).toEqual([operation, 403]);
      expect(text).not.toContain(releaseToken);
    }
    expect(await active(resource)).toHaveLength(1);
    const free = randomUUID();
    expect((await call(member, 'reserve', [{ resource: free, requester: 'person:boss@id.example' }])).status).toBe(403);
    expect(await active(free)).toEqual([]);
  });

  test('which is what the dashboard reserves with, or their address', async () => {
    const member = await person();
    for (const requester of [member.requester, member.requester.slice('person:'.length)])
      for (const [operation, body] of asking({ resource: randomUUID(), requester }))
        expect(await call(member, operation, body)).toMatchObject({ status: 200 });
  });

  test('and begins sessions in their own name only, which operators do in any', async () => {
    const [member, operator] = [await person(), await person('operator')];
    const begin = (who: Person, requester: string) => call(who, '', { requester, ttlSeconds: 60 }, 'Session');
    const refused = await begin(member, 'ci-42');
    expect(refused.status).toBe(403);
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'FORBIDDEN', error: expect.stringContaining('own name') });
    const listed = async () => (await holdfast.request<{ requester: string }[]>('GET', '/api/v1/Session')).body;
    expect((await listed()).filter(({ requester }) => requester === 'ci-42')).toEqual([]);
    const own = [member.requester, member.requester.slice('person:'.length)];
    for (const requester of own) expect((await begin(member, requester)).status).toBe(200);
    expect((await begin(operator, 'ci-42')).status).toBe(200);
    const names = (await listed()).map(({ requester }) => requester);
    expect(names.sort()).toEqual([...own, 'ci-42'].sort());
  });

  test('a release in a transaction proves itself by its token; operators may end it anyhow', async () => {
    const [member, operator] = [await person(), await person('operator')];
    const resource = randomUUID();
    const { releaseToken } = await hold(resource);
    const item = { resource, requester: 'ci-42' };
    expect((await call(operator, 'reserve', [item])).text).toContain('ALREADY_HAD');
    const requests = [{ requestType: 'UNRESERVE', ...item, releaseToken }];
    expect((await call(member, 'transaction', { method: 'ALL_OR_NONE', requests })).status).toBe(200);
    expect(await active(resource)).toEqual([]);
  });
});
