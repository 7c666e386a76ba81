/**
 * Taking back a release (docs/specification.md#reserving-by-hand).
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { active, hold, holdfast, inSeconds, person, useActing } from '../support/acting.ts';
import { ask } from '../support/ask.ts';
import { makeConfiguredKey, makeTenant } from '../support/service.ts';
import { signIn } from '../support/tenancy.ts';

const [own, other] = [makeTenant(), makeTenant()];
useActing([own, other].map((tenant) => makeConfiguredKey(tenant)));

type Person = Awaited<ReturnType<typeof person>>;

/** Releases what a person holds, as their browser does. */
async function release(ann: Person, resource: string, before = '') {
  const post = (path: string, fields: Record<string, string>, cookies: string) =>
    ask(`${holdfast.url}/dashboard${path}`, {
      method: 'POST',
      headers: { ...ann.headers, Cookie: `${ann.headers.Cookie}; ${cookies}` },
      body: new URLSearchParams(fields),
    });
  const released = await post('/release', { resource, requester: ann.requester }, before);
  const cookie = released.cookies.map((one) => one.split(';')[0]).join('; ') || before;
  const headers = { ...ann.headers, Cookie: `${ann.headers.Cookie}; ${cookie}` };
  return {
    cookie,
    text: async () => (await ask(`${holdfast.url}${released.to}`, { headers })).text,
    undo: (what = resource) => post('/undo', { resource: what }, cookie),
  };
}

describe('Undo', () => {
  test('takes the same again, for the rest of the time, with the note', async () => {
    const ann = await person();
    const resource = randomUUID();
    await ann.post('/reserve', { resource, lease: '1800', note: 'a photo' });
    const { text, undo } = await release(ann, resource);
    expect(await text()).toContain('action="/dashboard/undo"');
    expect(await active(resource)).toEqual([]);
    expect((await undo()).to).toMatch(new RegExp(`^/dashboard\\?done=undone&what=${resource}&until=`));
    const [held] = await active(resource);
    expect(held).toMatchObject({ requester: ann.requester, note: 'a photo' });
    expect(inSeconds(held?.expiresAt)).toBeGreaterThan(1780);
    expect(inSeconds(held?.expiresAt)).toBeLessThanOrEqual(1801);
  });

  test('takes as many slots of a pool, and what had no end without one', async () => {
    const ann = await person();
    const [pool, lasting] = [randomUUID(), randomUUID()];
    await holdfast.register({ name: pool, capacity: 5 });
    await ann.post('/reserve', { resource: pool, lease: '1800', count: '3' });
    await ann.post('/reserve', { resource: lasting, lease: 'none' });
    const { cookie } = await release(ann, pool);
    const { undo } = await release(ann, lasting, cookie);
    expect([(await undo()).status, (await undo(pool)).status]).toEqual([303, 303]);
    expect((await active(pool))[0]?.slots).toHaveLength(3);
    expect(await active(lasting)).toMatchObject([{ expiresAt: null }]);
  });

  test('is offered on the next page too, and at Mine, as long as nobody has it', async () => {
    const ann = await person();
    const resource = randomUUID();
    await ann.post('/reserve', { resource, lease: '1800' });
    const { cookie, undo } = await release(ann, resource);
    const headers = { ...ann.headers, Cookie: `${ann.headers.Cookie}; ${cookie}` };
    const page = async (path: string) => (await ask(`${holdfast.url}/dashboard${path}`, { headers })).text;
    const offers = (text: string) => text.split('action="/dashboard/undo"').length - 1;
    expect([offers(await page('')), offers(await page('/mine'))]).toEqual([1, 2]);
    const { releaseToken } = await hold(resource);
    expect([offers(await page('')), offers(await page('/mine'))]).toEqual([0, 0]);
    await holdfast.unreserve({ resource, requester: 'ci-42', releaseToken });
    expect((await undo()).status).toBe(303);
    expect(offers(await page('/mine'))).toBe(0);
  });

  test('is offered by name for each of those that were released together', async () => {
    const ann = await person();
    const [one, other, foreign] = [randomUUID(), randomUUID(), randomUUID()];
    for (const resource of [one, other]) await ann.post('/reserve', { resource, lease: '1800' });
    await hold(foreign);
    const body = new URLSearchParams();
    for (const resource of [one, other]) body.append('one', JSON.stringify([resource, ann.requester]));
    body.append('one', JSON.stringify([foreign, 'ci-42']));
    const send = (cookie: string, path: string, fields: URLSearchParams) =>
      ask(`${holdfast.url}/dashboard${path}`, {
        method: 'POST',
        headers: { ...ann.headers, Cookie: `${ann.headers.Cookie}; ${cookie}` },
        body: fields,
      });
    // Others say why they stay.
    const { cookies, status } = await send('', '/reservations/release', body);
    expect(status).toBe(409);
    const cookie = cookies.map((text) => text.split(';')[0]).join('; ');
    const headers = { ...ann.headers, Cookie: `${ann.headers.Cookie}; ${cookie}` };
    const { text } = await ask(`${holdfast.url}/dashboard?done=releasedMany`, { headers });
    const offered = [...text.matchAll(/<\/svg> Undo ([^<]*)<\/button>/g)].map(([, name]) => name);
    expect(offered).toEqual([one, other]);
    for (const resource of [one, other])
      expect((await send(cookie, '/undo', new URLSearchParams({ resource }))).status).toBe(303);
  });

  test('says so if somebody has it meanwhile, and changes nothing', async () => {
    const ann = await person();
    const resource = randomUUID();
    await ann.post('/reserve', { resource, lease: '1800' });
    const { undo } = await release(ann, resource);
    await hold(resource);
    const { status, text } = await undo();
    expect([status, text]).toEqual([
      409,
      expect.stringContaining(`Not taken back: “${resource}” is held by ci-42 until`),
    ]);
    expect(await active(resource)).toMatchObject([{ requester: 'ci-42' }]);
  });

  test('is not offered if somebody waits, since it is theirs', async () => {
    const ann = await person();
    const resource = randomUUID();
    await ann.post('/reserve', { resource, lease: '1800' });
    await holdfast.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
      { resource, requester: 'ci-43', ttlSeconds: 60, waitSeconds: 60 },
    ]);
    const { text, undo } = await release(ann, resource);
    const page = await text();
    expect(page).toContain('It goes to the next of 1 waiting.');
    expect(page).not.toContain('action="/dashboard/undo"');
    expect((await undo()).status).toBe(409);
  });

  test('takes nothing that the browser has not released', async () => {
    const [ann, bob] = [await person(), await person()];
    const resource = randomUUID();
    expect(await ann.post('/undo', { resource })).toMatchObject({
      status: 409,
      text: expect.stringContaining('it is too late for that'),
    });
    await ann.post('/reserve', { resource, lease: '1800' });
    const { cookie } = await release(ann, resource);
    const headers = { ...bob.headers, Cookie: `${bob.headers.Cookie}; ${cookie}` };
    const body = new URLSearchParams({ resource });
    expect((await ask(`${holdfast.url}/dashboard/undo`, { method: 'POST', headers, body })).status).toBe(409);
    expect(await active(resource)).toEqual([]);
  });

  test('is for the person who released it, in this tenant: others at the same browser do not see it', async () => {
    const email = 'ann@id.example';
    const { cookie: elsewhere } = await signIn(holdfast.redis, other, { role: 'member', email });
    const [ann, bob] = [await person('member', email), await person()];
    const resource = randomUUID();
    await ann.post('/reserve', { resource, lease: '1800' });
    const { cookie, undo } = await release(ann, resource);
    for (const session of [bob.headers.Cookie, elsewhere]) {
      const headers = { Cookie: `${session}; ${cookie}`, Origin: holdfast.url };
      expect((await ask(`${holdfast.url}/dashboard`, { headers })).text).not.toContain(resource);
      const body = new URLSearchParams({ resource });
      expect((await ask(`${holdfast.url}/dashboard/undo`, { method: 'POST', headers, body })).status).toBe(409);
    }
    expect((await undo()).status).toBe(303);
  });
});
