/**
 * The page of reservations, as browsers without scripts see it: its order, its filters, its pages, and the release of
 * many (docs/specification.md#dashboard-and-sign-in).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ReserveResult } from '../../src/contract/reservations.ts';
import type { SessionUser } from '../../src/engine/tenant/signIns.ts';
import { ask } from '../support/ask.ts';
import { createClient } from '../support/client.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { signIn } from '../support/tenancy.ts';

const AT = '/dashboard/reservations';
const tenant = makeTenant();
const keys = [makeConfiguredKey(tenant, 'worker'), makeConfiguredKey(tenant, 'nightly')];

let one: Instance;
let other: Instance;
beforeAll(async () => {
  [one, other] = await Promise.all([startInstance({ keys }), startInstance({ keys })]);
});
afterAll(() => Promise.all([one.stop(), other.stop()]));
beforeEach(async () => {
  await one.reset();
});

const cookieOf = async (user: Partial<SessionUser>) => (await signIn(one.redis, tenant, user)).cookie;
const visit = async (path: string, user: Partial<SessionUser> = { role: 'operator' }, at = one) =>
  ask(`${at.url}${path}`, { headers: { Cookie: await cookieOf(user) } });
/** Sends a form in which reservations are selected. */
const send = async (path: string, holds: readonly (readonly [string, string])[], user: Partial<SessionUser>) =>
  ask(`${one.url}${AT}/${path}`, {
    method: 'POST',
    headers: { Cookie: await cookieOf(user), Origin: one.url },
    body: new URLSearchParams(holds.map((hold): [string, string] => ['one', JSON.stringify(hold)])),
  });

/** The resources of the table of reservations, in its order. */
const shown = (html: string) =>
  [...html.matchAll(/<th scope="row"><a href="[^"]*resources\/one\?name=([^"&]+)"/g)].map(([, name = '']) =>
    decodeURIComponent(name),
  );
const list = async (query: string, at = one) => shown((await visit(`${AT}?${query}`, undefined, at)).text);
/** The addresses that a page leads to, by the text of the link. */
const linkOf = (html: string, text: string) =>
  new RegExp(`<a [^>]*?href="([^"]+)"[^>]*>${text}`).exec(html)?.[1]?.replaceAll('&amp;', '&') ?? 'none';

describe('the order', () => {
  const reserve = async () => {
    await one.reserve({ resource: 'b', requester: 'zoe', ttlSeconds: 300 });
    await one.reserve({ resource: 'c', requester: 'amy' });
    await one.reserve({ resource: 'a', requester: 'max', ttlSeconds: 100 });
  };

  test.each([
    ['', ['a', 'c', 'b']],
    ['sort=created&order=asc', ['b', 'c', 'a']],
    ['sort=resource', ['a', 'b', 'c']],
    ['sort=resource&order=desc', ['c', 'b', 'a']],
    ['sort=requester', ['c', 'a', 'b']],
    ['sort=ends', ['a', 'b', 'c']],
    ['sort=ends&order=desc', ['b', 'a', 'c']],
    ['sort=nothing&order=up', ['a', 'c', 'b']],
  ])('“%s” is %j; what never ends comes last', async (query, expected) => {
    await reserve();
    expect(await list(query)).toEqual(expected);
  });

  test('is said by the head of its column, which leads to the reverse; others keep the filters', async () => {
    await reserve();
    const { text } = await visit(`${AT}?sort=resource&type=UserDefined`);
    expect(text).toContain('aria-sort="ascending"');
    expect(linkOf(text, 'Resource<')).toBe(`${AT}?type=UserDefined&sort=resource&order=desc`);
    expect(linkOf(text, 'Ends<')).toBe(`${AT}?type=UserDefined&sort=ends&order=asc`);
  });
});

describe('a filter', () => {
  const reserve = async () => {
    await one.register(
      { name: 'phone', capacity: 3, labels: { os: 'android' } },
      { name: 'Desk', treePath: 'House', labels: { os: 'none' } },
    );
    await one.reserve(
      { resource: 'phone', requester: 'ann', ttlSeconds: 3600, resourceType: 'phone' },
      { resource: 'phone_2', requester: 'ci', ttlSeconds: 60, resourceType: 'phone' },
      { resource: 'House>Desk', requester: 'bob', note: 'quarterly Review' },
    );
    await createClient(one.url, keys[1]?.key ?? '').reserve({ resource: 'deploy', requester: 'ann' });
  };

  test.each([
    ['type=phone', ['phone', 'phone_2']],
    ['key=nightly', ['deploy']],
    ['requester=ann', ['deploy', 'phone']],
    ['requester=an', []],
    ['label=os=android', ['phone', 'phone_2']],
    ['label=os=none', ['House>Desk']],
    ['label=os=windows', []],
    ['end=none', ['House>Desk', 'deploy']],
    ['end=soon', ['phone_2']],
    ['q=PHONE', ['phone', 'phone_2']],
    ['q=review', ['House>Desk']],
    ['end=none&requester=ann', ['deploy']],
  ])('by %s finds %j', async (query, expected) => {
    await reserve();
    expect(await list(`${query}&sort=resource`)).toEqual(expected);
    expect(await list(`${query}&sort=resource`, other)).toEqual(expected);
  });

  test('offers the types and keys that there are, and counts what it found', async () => {
    await reserve();
    const { text } = await visit(`${AT}?type=phone`);
    expect(text).toContain('4 held, 2 found');
    expect(text).toContain('<option value="phone" selected="">phone</option>');
    expect(text).toContain('<option value="nightly">nightly</option>');
  });

  test('that finds nothing leads to all', async () => {
    await reserve();
    expect(linkOf((await visit(`${AT}?type=x&sort=ends`)).text, 'Show all reservations')).toBe(`${AT}?sort=ends`);
  });
});

describe('an empty page', () => {
  test('says what to do next, and has nothing to release', async () => {
    const { text } = await visit(AT);
    expect(text).toContain('Nothing is reserved.');
    expect(linkOf(text, 'Reserve something')).toBe('/dashboard/reserve');
    expect(text).not.toContain('Release everything');
    expect((await visit(AT, { role: 'viewer' })).text).not.toContain('Reserve something');
  });
});

describe('a page', () => {
  test('has 30 reservations, and 30 of those who wait; each list has its own pages', async () => {
    const names = Array.from({ length: 65 }, (_, i) => `r${String(i).padStart(2, '0')}`);
    await one.reserve(...names.map((resource) => ({ resource, requester: 'q' })));
    await one.request<ReserveResult[]>(
      'POST',
      '/api/v1/Reservation/reserve?pollSeconds=0',
      names.slice(0, 40).map((resource) => ({ resource, requester: 'w', ttlSeconds: 60, waitSeconds: 600 })),
    );
    const { text } = await visit(`${AT}?sort=resource&page=2`);
    expect(shown(text)).toEqual(names.slice(30, 60));
    expect(text).toContain('Page 2 of 3');
    expect(text).toContain('Page 1 of 2');
    const third = `${AT}?sort=resource&page=3`;
    expect(linkOf(text, 'Next')).toBe(third);
    expect(shown((await visit(third)).text)).toEqual(names.slice(60));
    const waiting = (await visit(`${AT}?waiting=2`)).text;
    // Each is the first for its own resource.
    const places = [...waiting.matchAll(/<td data-label="Place">(\d+)/g)].map(([, place]) => Number(place));
    expect(places).toEqual(Array(10).fill(1));
    expect((await visit(`${AT}?page=9`)).text).toContain('There is no such page.');
  });
});

describe('many reservations', () => {
  const OPERATOR = { role: 'operator', email: 'op@lab.example' } as const;
  const MEMBER = { role: 'member', email: 'ann@lab.example' } as const;
  const own = 'ann@lab.example';

  test('are released after a question that says how many and whose, and leave the others', async () => {
    await one.reserve(...['a', 'b', 'c'].map((resource) => ({ resource, requester: 'ci' })));
    const selected = [
      ['a', 'ci'],
      ['b', 'ci'],
    ] as const;
    const question = await send('selected?sort=resource', selected, OPERATOR);
    expect(question.text).toContain('Release 2 reservations?');
    expect(question.text).toContain('Others hold them');
    expect(await list('sort=resource')).toEqual(['a', 'b', 'c']);
    const released = await send('release?sort=resource', selected, OPERATOR);
    expect([released.status, released.to]).toEqual([303, `${AT}?sort=resource&done=releasedMany`]);
    expect(await list('sort=resource', other)).toEqual(['c']);
  });

  test('that could not all be released are named with the reason; the others are released', async () => {
    await one.reserve({ resource: 'a', requester: 'ci' }, { resource: 'b', requester: 'someone-else' });
    const { status, text } = await send(
      'release',
      [
        ['a', 'ci'],
        ['b', 'ci'],
        ['gone', 'ci'],
      ],
      OPERATOR,
    );
    expect(status).toBe(409);
    expect(text).toContain('1 of 3 released.');
    expect(text).toContain('“b” of ci: somebody else holds it by now.');
    expect(text).toContain('“gone” of ci: it is free already.');
    expect(shown(text)).toEqual(['b']);
  });

  test('of others are not released by a member, who can select only what is theirs', async () => {
    await one.reserve({ resource: 'mine', requester: own }, { resource: 'theirs', requester: 'ci' });
    const { text } = await visit(`${AT}?select=page`, MEMBER);
    const boxes = [...text.matchAll(/<input type="checkbox"[^>]*>/g)].map(([box]) => box);
    expect(boxes).toEqual([expect.stringContaining('aria-label="Select mine of ann@lab.example"')]);
    expect(boxes[0]).toContain('checked');
    const refused = await send(
      'release',
      [
        ['mine', own],
        ['theirs', 'ci'],
      ],
      MEMBER,
    );
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('“theirs” of ci: only its holder and operators may release it.');
    expect(await list('')).toEqual(['theirs']);
  });

  test('are not selected by a viewer; and none selected, or a form that is malformed, is a 400', async () => {
    await one.reserve({ resource: 'a', requester: 'ci' });
    expect((await visit(AT, { role: 'viewer' })).text).not.toContain('type="checkbox"');
    for (const path of ['selected', 'release']) {
      expect((await send(path, [['a', 'ci']], { role: 'viewer' })).status).toBe(403);
      const none = await send(path, [], OPERATOR);
      expect([none.status, none.text]).toEqual([400, expect.stringContaining('Select the reservations to release')]);
      const malformed = await ask(`${one.url}${AT}/${path}`, {
        method: 'POST',
        headers: { Cookie: await cookieOf(OPERATOR), Origin: one.url },
        body: new URLSearchParams({ one: '["a"' }),
      });
      expect(malformed.status).toBe(400);
    }
    expect(await list('')).toEqual(['a']);
  });
});
