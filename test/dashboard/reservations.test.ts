/**
 * The table of the Board, as browsers without scripts see it: its rows, and the release of many
 * (docs/specification.md#dashboard-and-sign-in).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SessionUser } from '../../src/engine/tenant/signIns.ts';
import { ask } from '../support/ask.ts';
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

/** The resources of the table that somebody holds, in its order. */
const shown = (html: string) =>
  [...html.matchAll(/<tr data-name="([^"]+)".*?<\/tr>/gs)].flatMap(([row, name = '']) =>
    row.includes('state busy') ? [name] : [],
  );
const list = async (at = one) => shown((await visit('/dashboard?view=table', undefined, at)).text);

describe('the old list of reservations', () => {
  test.each([
    ['', '/dashboard?view=table'],
    ['?q=phone&sort=ends', '/dashboard?view=table&q=phone'],
    ['?requester=ann', '/dashboard?view=table&q=ann'],
    ['?label=os%3Dandroid', '/dashboard?view=table&label=os%3Dandroid'],
  ])('“%s” leads to the table of the Board', async (search, to) => {
    const { status, to: led } = await visit(AT + search);
    expect([status, led]).toEqual([308, to]);
  });
});

describe('the table of the Board', () => {
  test('has since when, the key, and a row for each held slot of a pool', async () => {
    await one.register({ name: 'pool', capacity: 3 });
    await one.reserve(
      { resource: 'pool', requester: 'ann', count: 2, note: 'both' },
      { resource: 'desk', requester: 'bob' },
    );
    const { text } = await visit('/dashboard?view=table');
    const slots = [...text.matchAll(/<tr id="[^"]*" class="slot">(.*?)<\/tr>/gs)].map(([, slot = '']) => slot);
    expect(slots).toEqual([expect.stringMatching(/pool_0.*ann.*both.*worker/s), expect.stringMatching(/pool_1.*ann/s)]);
    expect(text).toMatch(/data-name="desk".*?no end.*?<time.*?worker/s);
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
    const question = await send('selected?view=table', selected, OPERATOR);
    expect(question.text).toContain('Release 2 reservations?');
    expect(question.text).toContain('Others hold them');
    expect(await list()).toEqual(['a', 'b', 'c']);
    const released = await send('release?view=table', selected, OPERATOR);
    expect([released.status, released.to]).toEqual([303, '/dashboard?view=table&done=releasedMany']);
    expect(await list(other)).toEqual(['c']);
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

  test('of others are not released by a member, who can select for it only what is theirs', async () => {
    await one.reserve({ resource: 'mine', requester: own }, { resource: 'theirs', requester: 'ci' });
    const { text } = await visit('/dashboard?view=table&select=page', MEMBER);
    const boxes = [...text.matchAll(/<input type="checkbox"[^>]*name="one"[^>]*>/g)].map(([box]) => box);
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
    expect(await list()).toEqual(['theirs']);
  });

  test('are not selected by a viewer; and none selected, or a form that is malformed, is a 400', async () => {
    await one.reserve({ resource: 'a', requester: 'ci' });
    expect((await visit('/dashboard?view=table', { role: 'viewer' })).text).not.toContain('type="checkbox"');
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
    expect(await list()).toEqual(['a']);
  });
});
