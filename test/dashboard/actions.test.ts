/**
 * What a person does with a resource on the dashboard, and what is refused (docs/specification.md#reserving-by-hand).
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { active, hold, holdfast, inSeconds, person, useActing } from '../support/acting.ts';

useActing();

describe('reserving by hand', () => {
  test('takes it for the person, with the note and the lease of the form, and leads back', async () => {
    const ann = await person();
    const resource = randomUUID();
    const form = {
      resource,
      note: 'trying a driver',
      lease: '1800',
      back: '/dashboard/reservations?q=x&done=released',
    };
    expect(await ann.post('/reserve', form)).toMatchObject({
      status: 303,
      to: expect.stringMatching(`^/dashboard/reservations\\?q=x&done=reserved&what=${resource}&until=`),
    });
    const [held] = await active(resource);
    expect(held).toMatchObject({ requester: ann.requester, note: 'trying a driver' });
    expect(inSeconds(held?.expiresAt)).toBeGreaterThan(1790);
    expect(inSeconds(held?.expiresAt)).toBeLessThanOrEqual(1800);
  });

  test('lasts until a date and time: of the browser, else of UTC; or without an end', async () => {
    const ann = await person();
    const until = new Date(Date.now() + 7200_000).toISOString();
    const cases = [
      { until: until.slice(0, 16), untilExact: '', lease: 'other' },
      { until: '2001-01-01T10:00', untilExact: until, lease: 'other' },
    ];
    for (const fields of cases) {
      const resource = randomUUID();
      expect((await ann.post('/reserve', { resource, ...fields })).status).toBe(303);
      expect(Math.abs(inSeconds((await active(resource))[0]?.expiresAt) - 7200)).toBeLessThan(70);
    }
    const resource = randomUUID();
    await ann.post('/reserve', { resource, lease: 'none' });
    expect(await active(resource)).toMatchObject([{ expiresAt: null }]);
    expect(await ann.post('/reserve', { resource: randomUUID(), until: '2001-01-01T10:00' })).toMatchObject({
      status: 400,
      text: expect.stringContaining('The end must be in the future.'),
    });
  });

  test('takes several slots of a pool, or shares it', async () => {
    const [ann, bob] = [await person(), await person()];
    const pool = randomUUID();
    await holdfast.request('POST', '/api/v1/Resource/register', [{ name: pool, capacity: 3 }]);
    await ann.post('/reserve', { resource: pool, lease: '1800', count: '2' });
    expect((await active(pool))[0]?.slots).toHaveLength(2);
    const shared = randomUUID();
    for (const one of [ann, bob]) await one.post('/reserve', { resource: shared, lease: '1800', mode: 'SHARED' });
    expect((await active(shared)).map(({ requester }) => requester).sort()).toEqual(
      [ann.requester, bob.requester].sort(),
    );
  });

  test('says who holds it, until when, and how many wait, and offers to wait', async () => {
    const ann = await person();
    const resource = randomUUID();
    const { expiresAt } = await hold(resource);
    await holdfast.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
      { resource, requester: 'ci-43', ttlSeconds: 60, waitSeconds: 60 },
    ]);
    const refused = await ann.post('/reserve', { resource, lease: '1800', note: 'mine' });
    expect(refused.status).toBe(409);
    const end = `${expiresAt?.slice(11, 16)} UTC`;
    expect(refused.text).toContain(`“${resource}” is held by ci-42 until ${end}. 1 waiting.`);
    expect(refused.text).toContain('Join the queue');
    expect(refused.text).toContain('value="mine"');
  });

  test('says what it lacks besides', async () => {
    const ann = await person();
    const [room, house] = [randomUUID(), randomUUID()];
    await holdfast.request('POST', '/api/v1/Resource/register', [{ name: room, treePath: house }]);
    await hold(house);
    const { text } = await ann.post('/reserve', { resource: room, lease: '1800' });
    expect(text).toContain(`“${house}”, to which it belongs, is in use.`);
  });

  test('says that nothing of the name is registered', async () => {
    const ann = await person();
    const [known, unknown] = [randomUUID(), randomUUID()];
    await holdfast.request('POST', '/api/v1/Resource/register', [{ name: known }]);
    const said = 'Nothing of this name is registered.';
    expect((await ann.get(`/reserve?resource=${unknown}`)).text).toContain(said);
    expect((await ann.get(`/reserve?resource=${known}`)).text).not.toContain(said);
  });

  test('says of a group that nobody can reserve it', async () => {
    const ann = await person();
    const group = randomUUID();
    await holdfast.request('POST', '/api/v1/Resource/register', [{ name: group, group: true }]);
    const { text } = await ann.get(`/reserve?resource=${group}`);
    expect(text).toContain('cannot be reserved: it is not registered, is a group, or is being deleted');
  });

  test('of what the person has already changes nothing', async () => {
    const ann = await person();
    const resource = randomUUID();
    for (const lease of ['1800', '3600']) expect((await ann.post('/reserve', { resource, lease })).status).toBe(303);
    expect(inSeconds((await active(resource))[0]?.expiresAt)).toBeLessThanOrEqual(1800);
  });

  test('is refused if the form is wrong, and asks again with what was typed', async () => {
    const ann = await person();
    const resource = randomUUID();
    expect((await ann.post('/reserve', { resource, lease: 'soon' })).text).toContain('Choose how long you need it.');
    expect((await ann.post('/reserve', { resource, lease: '1800', count: '2' })).text).toContain(
      `${resource} has 1 slot.`,
    );
    expect((await ann.post('/reserve', { resource: '', lease: '1800' })).status).toBe(400);
    expect((await ann.get('/reserve?resource=%00')).status).toBe(400);
    expect(await active(resource)).toEqual([]);
  });

  test('asks what is needed if the address has no name: words find what fits, free or not, by group', async () => {
    const ann = await person();
    const { status, text } = await ann.get('/reserve');
    expect([status, text.includes('What you need')]).toEqual([200, true]);
    const group = randomUUID();
    const [one, other, far] = [randomUUID(), randomUUID(), randomUUID()];
    const os = `os ${group}`;
    const phone = (name: string, site: string) => ({ name, treePath: group, labels: { os, site } });
    await holdfast.register({ name: group, group: true }, phone(one, 'berlin'), phone(other, 'berlin'));
    await holdfast.register(phone(far, 'oslo'), { name: randomUUID(), labels: { site: 'berlin' } });
    await hold(one);
    const find = async (q: string) => {
      const found = await ann.get(`/reserve?${new URLSearchParams({ q })}`);
      return [...found.text.matchAll(/href="\/dashboard\/reserve\?resource=([^"&]*)/g)].map(([, name]) => name);
    };
    expect(await find(`Berlin OS ${group}`)).toEqual([other, one]);
    expect(await find(`site=berlin, ${group}`)).toEqual([other, one]);
    expect(await find(other.slice(0, -2))).toEqual([other, other.slice(0, -2)]);
    // Before the others by its name.
    const pool = `-${randomUUID()}`;
    await holdfast.register({ name: pool, capacity: 9, treePath: group, labels: { os } });
    expect((await find(`os=${os}`)).indexOf(pool)).toBe(2);
    expect(await find('nothing-of-it')).toEqual(['nothing-of-it']);
    expect((await ann.get(`/reserve?q=${one}`)).to).toContain(`resource=${one}`);
    expect((await ann.get(`/reserve?q=${one},+${other}`)).to).toContain(`resource=${one}&resource=${other}&`);
    const inGroup = await find(group);
    expect(inGroup.slice(0, 3).sort()).toEqual([other, far, pool].sort());
    expect(inGroup[3]).toBe(one);
    expect(inGroup).not.toContain(group);
    expect(await active(other)).toEqual([]);
  });

  test('leads back to pages of the dashboard only', async () => {
    const ann = await person();
    for (const back of ['https://evil.example', '//evil.example', '/api/v1/events', ''])
      expect((await ann.post('/reserve', { resource: randomUUID(), lease: '1800', back })).to).toEqual(
        expect.stringMatching(/^\/dashboard\?done=reserved&what=/),
      );
  });
});

describe('the requester of a person', () => {
  const requesterFor = async (user: Parameters<typeof person>[2]) => {
    const resource = randomUUID();
    await (await person('member', null, user)).post('/reserve', { resource, lease: '1800' });
    return (await active(resource))[0]?.requester;
  };

  test('is their verified address; else their name with the subject, so that nobody passes for somebody else', async () => {
    expect(await requesterFor({ email: 'ann@id.example', name: 'Ann' })).toBe('person:ann@id.example');
    expect(await requesterFor({ email: null, name: 'ann@id.example', subject: 's-1' })).toBe(
      'person:ann@id.example (s-1)',
    );
    expect(await requesterFor({ email: null, name: null, subject: 's-1' })).toBe('person:s-1');
  });

  test('is short if their name is too long for a requester', async () => {
    expect(await requesterFor({ email: null, name: 'x'.repeat(300), subject: 's-2' })).toMatch(/^person:[0-9a-f]{32}$/);
  });
});

describe('extending', () => {
  test('what the person has ends as long from now as they say', async () => {
    const ann = await person();
    const resource = randomUUID();
    await ann.post('/reserve', { resource, lease: '1800' });
    const back = '/dashboard/reservations';
    expect((await ann.get(`/extend?${new URLSearchParams({ resource, back })}`)).text).toContain('Extend');
    expect((await ann.post('/extend', { resource, requester: ann.requester, lease: '7200', back })).to).toEqual(
      expect.stringContaining(`${back}?done=extended&what=${resource}&until=`),
    );
    expect(inSeconds((await active(resource))[0]?.expiresAt)).toBeGreaterThan(7190);
  });

  test('what others have takes an operator; its holder keeps its token', async () => {
    const [ann, operator] = [await person(), await person('operator')];
    const resource = randomUUID();
    const { releaseToken } = await hold(resource);
    const form = { resource, requester: 'ci-42', lease: '28800' };
    expect(await ann.post('/extend', form)).toMatchObject({ status: 403, text: expect.stringContaining('operators') });
    expect((await operator.post('/extend', form)).status).toBe(303);
    expect(inSeconds((await active(resource))[0]?.expiresAt)).toBeGreaterThan(28_000);
    const [released] = (await holdfast.unreserve({ resource, requester: 'ci-42', releaseToken })).body;
    expect(released?.status).toBe('RELINQUISHED');
  });

  test('says so if nobody has it any more, or somebody else has', async () => {
    const ann = await person();
    const resource = randomUUID();
    const extend = () => ann.post('/extend', { resource, requester: ann.requester, lease: '1800' });
    expect(await extend()).toMatchObject({ status: 409, text: expect.stringContaining('nobody holds it any more') });
    await hold(resource);
    expect(await extend()).toMatchObject({ status: 409, text: expect.stringContaining('somebody else holds it') });
  });
});

describe('giving back and taking away', () => {
  test('what the person reserved on the dashboard is released, not taken away from anybody', async () => {
    const ann = await person();
    const resource = randomUUID();
    await ann.post('/reserve', { resource, lease: '1800' });
    const back = '/dashboard/reservations';
    expect((await ann.post('/release', { resource, requester: ann.requester, back })).to).toBe(
      `${back}?done=released&what=${resource}&count=0`,
    );
    expect(await active(resource)).toEqual([]);
    expect(await holdfast.redis.hlen(`{${holdfast.tenant}}:taken`)).toBe(0);
  });

  test('what others hold takes an operator; the holder learns who did it', async () => {
    const [ann, operator] = [await person(), await person('operator', 'op@id.example')];
    const resource = randomUUID();
    const { releaseToken } = await hold(resource);
    const form = { resource, requester: 'ci-42', back: '/dashboard/reservations' };
    const question = (await operator.get(`/take-away?${new URLSearchParams(form)}`)).text;
    expect(question).toMatch(/<strong>ci-42<\/strong>\s*has had it for <time[^>]*>\d+ s<\/time>, and loses it/);
    expect(await ann.post('/release', form)).toMatchObject({ status: 403, text: expect.stringContaining('operators') });
    expect((await operator.post('/release', form)).to).toBe(`/dashboard/reservations?done=taken&what=${resource}`);
    const [renewed] = (await holdfast.renew({ resource, requester: 'ci-42', releaseToken, ttlSeconds: 60 })).body;
    expect(renewed?.explanation).toContain('taken away by op@id.example');
  });

  test('says so if it is free already', async () => {
    const ann = await person();
    expect(await ann.post('/release', { resource: randomUUID(), requester: ann.requester })).toMatchObject({
      status: 409,
      text: expect.stringContaining('it is free already'),
    });
  });
});
