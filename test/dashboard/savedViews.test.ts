/**
 * Views of the Board that a person saves in their browser, and the table, which a person sorts
 * (docs/specification.md#dashboard-and-sign-in).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../support/ask.ts';
import { type Instance, startInstance } from '../support/service.ts';
import { signIn } from '../support/tenancy.ts';

let holdfast: Instance;
beforeAll(async () => {
  holdfast = await startInstance();
  await holdfast.register(
    { name: 'iphone-1', labels: { os: 'ios' } },
    { name: 'iphone-2', labels: { os: 'ios' } },
    { name: 'pixel-1', labels: { os: 'android' } },
  );
  await holdfast.reserve({ resource: 'iphone-2', requester: 'ci' });
});
afterAll(() => holdfast.stop());

const plain = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
const linkOf = (html: string, text: string) =>
  new RegExp(`href="([^"]*)"[^>]*>${text} ?<`).exec(html)?.[1]?.replaceAll('&amp;', '&').replace('/dashboard', '');

describe('a view of the Board', () => {
  const post = async (path: string, cookie: string, form: Record<string, string>) =>
    ask(`${holdfast.url}/dashboard${path}`, {
      method: 'POST',
      headers: { Cookie: cookie, Origin: holdfast.url },
      body: new URLSearchParams(form),
    });

  test('is saved under a name in the browser, counted, and forgotten', async () => {
    const { cookie } = await signIn(holdfast.redis, holdfast.tenant, { email: 'ann@id.example' });
    const saved = await post('/views?label=os%3Dios&free=1', cookie, { name: 'Free iPhones' });
    expect([saved.status, saved.to]).toEqual([303, '/dashboard?label=os%3Dios&free=1']);
    const views = saved.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    const see = async (search: string, jar = views) =>
      (await ask(`${holdfast.url}/dashboard${search}`, { headers: { Cookie: `${cookie}; ${jar}` } })).text;
    expect(plain(await see(''))).toContain('Free iPhones 1');
    expect(linkOf(await see('?view=grid'), 'Free iPhones')).toBe('?view=grid&label=os%3Dios&free=1');
    expect(await see('?label=os%3Dios&free=1')).toContain('Forget this view');
    const forgotten = await post('/views/forget?label=os%3Dios&free=1', `${cookie}; ${views}`, {});
    expect(await see('', forgotten.headers.get('set-cookie')?.split(';', 1)[0])).not.toContain('Free iPhones');
    expect((await post('/views', cookie, { name: '' })).status).toBe(400);
    expect(await see('', 'holdfast_views=%7Bnonsense')).toContain('Everything');
  });
});

describe('the table of the Board', () => {
  test('sorts by its headings, without groups, and by groups again', async () => {
    const { cookie } = await signIn(holdfast.redis, holdfast.tenant, { email: 'bob@id.example' });
    const see = async (search: string) =>
      (await ask(`${holdfast.url}/dashboard${search}`, { headers: { Cookie: cookie } })).text;
    const namesOf = (html: string) => [...html.matchAll(/<tr data-name="([^"]*)"/g)].map(([, name]) => name);
    await holdfast.register({ name: 'zoo', group: true }, { name: 'zebra', treePath: 'zoo' });
    await holdfast.reserve({ resource: 'zebra', requester: 'ci' });
    await holdfast.reserve({ resource: 'pixel-1', requester: 'ci' });
    for (const [resource, requester] of [
      ['pixel-1', 'eve'],
      ['zebra', 'eve'],
      ['zebra', 'bob'],
    ])
      await holdfast.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
        { resource, requester, ttlSeconds: 60, waitSeconds: 600 },
      ]);
    const grouped = await see('?view=table');
    expect(namesOf(grouped)).toEqual(['zebra', 'iphone-1', 'iphone-2', 'pixel-1']);
    expect(grouped).toContain('<tr class="group">');
    for (const [heading, sort, names] of [
      ['Resource', 'name', ['iphone-1', 'iphone-2', 'pixel-1', 'zebra']],
      ['Waiting since', 'waiting', ['pixel-1', 'zebra', 'iphone-1', 'iphone-2']],
      ['Held since', 'since', ['iphone-2', 'zebra', 'pixel-1', 'iphone-1']],
    ] as const) {
      expect(linkOf(grouped, heading)).toBe(`?view=table&sort=${sort}`);
      const sorted = await see(`?view=table&sort=${sort}`);
      expect(namesOf(sorted)).toEqual(names);
      expect(sorted).not.toContain('<tr class="group">');
      expect(linkOf(sorted, heading)).toBe('?view=table');
    }
    expect(plain(await see('?view=table'))).toMatch(/zebra .* \d\d:\d\d UTC · 2 wait/);
    expect((await see('?sort=since')).match(/<tr class="group">/g)).toHaveLength(2);
  });
});
