/**
 * People who wait for a resource on the dashboard, and what the settings of a tenant mean to them
 * (docs/specification.md#reserving-by-hand).
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { active, hold, holdfast, inSeconds, person, useActing } from '../support/acting.ts';
import { setTerms } from '../support/hotRecord.ts';

useActing();

const plain = (html: string) => html.replace(/<[^>]+>/g, '').replace(/\s+/g, ' ');

describe('waiting', () => {
  const wait = (one: Awaited<ReturnType<typeof person>>, resource: string, more: Record<string, string> = {}) =>
    one.post('/reserve', { resource, act: 'wait', lease: '1800', back: '/dashboard/reservations', ...more });

  test('shows the place in the queue on Mine, and the person can leave', async () => {
    const [ann, bob] = [await person(), await person()];
    const resource = randomUUID();
    await hold(resource);
    expect((await wait(bob, resource)).to).toContain(`/dashboard/reservations?done=waiting&what=${resource}&count=1&`);
    expect(plain((await ann.get(`/reserve?resource=${resource}`)).text)).toMatch(
      /You would be 2nd; expected about .*\d\d:\d\d UTC\. You join the queue/,
    );
    const { to } = await wait(ann, resource, { note: 'after bob', back: '/dashboard/mine' });
    expect(plain((await ann.get(`${to}`.replace('/dashboard', ''))).text)).toMatch(
      new RegExp(`You are 2nd in the queue for ${resource}. Expected about .*\\d\\d:\\d\\d UTC`),
    );
    expect((await ann.get('/mine')).text).toContain('2nd in the queue');
    expect((await bob.get('/mine')).text).toContain('1st in the queue');
    expect((await bob.post('/leave-queue', { resource, requester: bob.requester })).to).toBe('/dashboard?done=left');
    expect((await bob.get('/mine')).text).not.toContain('in the queue');
    expect((await ann.get('/mine')).text).toContain('1st in the queue');
    expect((await bob.post('/leave-queue', { resource, requester: bob.requester })).status).toBe(409);
    expect((await bob.post('/leave-queue', { resource, requester: ann.requester })).status).toBe(403);
  });

  test('is handed over at once, and taken for the time that was asked for', async () => {
    const ann = await person();
    const resource = randomUUID();
    const { releaseToken } = await hold(resource);
    await wait(ann, resource, { note: 'my turn', lease: '7200' });
    await holdfast.unreserve({ resource, requester: 'ci-42', releaseToken });
    for (const path of ['', '?view=table', '/activity/live'])
      expect(plain((await ann.get(path)).text)).toMatch(
        new RegExp(
          `It is your turn: ${resource}. Take it by (\\d{4}-\\d\\d-\\d\\d )?\\d\\d:\\d\\d UTC, or it is free again.`,
        ),
      );
    expect(plain((await ann.get('')).text)).toContain('Mine1 turn');
    expect(inSeconds((await active(resource))[0]?.expiresAt)).toBeGreaterThan(590);
    expect((await ann.post('/extend', { resource, lease: '7200' })).status).toBe(403);
    expect((await ann.post('/claim', { resource, back: '/dashboard/activity/live' })).to).toContain(
      `/dashboard/activity/live?done=reserved&what=${resource}`,
    );
    const [held] = await active(resource);
    expect(held).toMatchObject({ requester: ann.requester, note: 'my turn' });
    expect(inSeconds(held?.expiresAt)).toBeGreaterThan(7190);
    expect((await ann.get('')).text).not.toContain('It is your turn');
  });

  test('of what is shared is taken as shared', async () => {
    const ann = await person();
    const resource = randomUUID();
    const { releaseToken } = await hold(resource);
    await wait(ann, resource, { mode: 'SHARED' });
    await holdfast.unreserve({ resource, requester: 'ci-42', releaseToken });
    expect((await ann.get('')).text).toContain('name="mode" value="SHARED"');
    expect((await ann.post('/claim', { resource, mode: 'SHARED' })).status).toBe(303);
    expect(await active(resource)).toMatchObject([{ requester: ann.requester, claimBy: null }]);
  });

  test('for what is granted and no longer needed hands it on', async () => {
    const [ann, bob] = [await person(), await person()];
    const resource = randomUUID();
    const { releaseToken } = await hold(resource);
    await wait(ann, resource);
    await wait(bob, resource);
    await holdfast.unreserve({ resource, requester: 'ci-42', releaseToken });
    expect(plain((await ann.get('')).text)).toContain(`or it goes to ${bob.requester.replace('person:', '')}.`);
    await ann.post('/leave-queue', { resource, requester: ann.requester });
    expect((await bob.get('')).text).toContain('It is your turn');
  });

  test('needs a lease', async () => {
    const ann = await person();
    const resource = randomUUID();
    await hold(resource);
    expect((await wait(ann, resource, { lease: 'none' })).text).toContain('what is waited for has an end');
  });
});

describe('settings of the tenant', () => {
  test('are kept to by what the page suggests, and required of what is sent', async () => {
    const ann = await person();
    const key = `{${holdfast.tenant}}:tenant`;
    const before = await holdfast.redis.hget(key, 'terms');
    await setTerms(holdfast.redis, holdfast.tenant, '600000 5400000 1 1 86400 100');
    const { text } = await ann.get(`/reserve?resource=${randomUUID()}`);
    expect(text).toMatch(/value="600" checked=""\/> <span><time[^>]*>[^<]*<\/time> · 10\u00a0min/);
    expect(text).toContain('What for (required)');
    expect(text).not.toMatch(/value="7200"|No end/);
    const refused = await ann.post('/reserve', { resource: randomUUID(), lease: '600' });
    expect(refused).toMatchObject({ status: 409, text: expect.stringContaining('Say what you need it for') });
    const tooLong = await ann.post('/reserve', { resource: randomUUID(), lease: '7200', note: 'x' });
    expect(tooLong).toMatchObject({ status: 409, text: expect.stringContaining('a lease of at most 5400 s') });
    await setTerms(holdfast.redis, holdfast.tenant, before ?? '');
  });
});
