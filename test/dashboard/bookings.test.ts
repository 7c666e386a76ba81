/**
 * Bookings on pages, as browsers without scripts see them: the Board, the days of a resource, Mine, and the forms that
 * book, change and cancel (docs/specification.md#bookings).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SessionUser } from '../../src/engine/tenant/signIns.ts';
import { ask } from '../support/ask.ts';
import { type Client, createClient } from '../support/client.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { signIn } from '../support/tenancy.ts';
import { until } from '../support/until.ts';

const tenant = makeTenant();
const key = makeConfiguredKey(tenant, 'lab');

const HOUR = 3_600_000;
/** The next full hour. */
const FULL = Math.ceil(Date.now() / HOUR) * HOUR;
/** A time of the form, in hours from the next full hour. */
const at = (hours: number) => new Date(FULL + hours * HOUR).toISOString();
const typed = (hours: number) => at(hours).slice(0, 16);

let one: Instance;
let client: Client;
beforeAll(async () => {
  one = await startInstance({ keys: [key] });
  client = createClient(one.url, key.key);
  await client.register(
    { name: 'pixel-8', bookable: true, labels: { os: 'android', site: 'berlin' } },
    { name: 'pixel-7', bookable: true, labels: { os: 'android', site: 'berlin' } },
    { name: 'rigs', bookable: true, capacity: 2 },
    { name: 'desk' },
  );
});
afterAll(() => one.stop());
beforeEach(async () => {
  for (const resource of ['pixel-8', 'pixel-7', 'rigs']) await send('/booking/cancel/all', { resource }, OPERATOR);
  await client.reset();
});

const BO = { role: 'member', email: 'bo@lab.example', subject: 'bo' } as const;
const CAT = { role: 'member', email: 'cat@lab.example', subject: 'cat' } as const;
const OPERATOR = { role: 'operator', email: 'op@lab.example', subject: 'op' } as const;
type User = Partial<SessionUser>;

const cookieOf = async (user: User) => (await signIn(one.redis, tenant, user)).cookie;
const see = async (path: string, user: User = BO) =>
  ask(`${one.url}/dashboard${path}`, { headers: { Cookie: await cookieOf(user) } });
const send = async (path: string, fields: Record<string, string>, user: User = BO) =>
  ask(`${one.url}/dashboard${path}`, {
    method: 'POST',
    headers: { Cookie: await cookieOf(user), Origin: one.url },
    body: new URLSearchParams(fields),
  });
const plain = (html: string) =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&quot;', '"')
    .replace(/\s+/g, ' ')
    .trim();
const linksTo = (html: string, page: string) =>
  [...html.matchAll(/href="([^"]*)"/g)]
    .map(([, to = '']) => to.replaceAll('&amp;', '&').replace('/dashboard', ''))
    .filter((to) => to.startsWith(page));

/** What a browser without scripts sends of the text fields of a page. */
const fieldsOf = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<input(?![^>]*type="(?:checkbox|radio)")[^>]* name="([^"]*)"[^>]*>/g)].map(
      ([field, name = '']) => [name, / value="([^"]*)"/.exec(field)?.[1]?.replaceAll('&amp;', '&') ?? ''],
    ),
  );

/** Books in the form, from one hour to another. */
const book = (fields: Record<string, string>, from: number, to: number, user: User = BO) =>
  send('/book', { start: typed(from), end: typed(to), ...fields }, user);

interface Listed {
  readonly booking: string;
  readonly requester: string;
  readonly start: string;
  readonly end: string;
  readonly note: string | null;
  readonly slot: string;
}
const bookings = async () => (await client.request<Listed[]>('GET', '/api/v1/Booking')).body;
const [BOOKED_BY_BO, RIG] = [{ resource: 'pixel-8', note: 'demo' }, { resource: 'rigs' }];

describe('the form that books', () => {
  test('books for the person who has signed in, and leads back with what, from when and until when', async () => {
    const { status, to } = await book({ ...BOOKED_BY_BO, back: '/dashboard/mine' }, 2, 4);
    expect(status).toBe(303);
    const said = new URL(to ?? '', one.url).searchParams;
    expect(Object.fromEntries(said)).toMatchObject({ done: 'booked', what: 'pixel-8', start: at(2), until: at(4) });
    expect(await bookings()).toMatchObject([
      { requester: 'person:bo@lab.example', slot: 'pixel-8', start: at(2), end: at(4), note: 'demo' },
    ]);
    const { text } = await see(to?.replace('/dashboard', '') ?? '');
    expect(plain(text)).toMatch(/pixel-8 is booked for you from .* to /);
  });

  test('says who is in the way and until when, and books the next time that fits with one press', async () => {
    await book(BOOKED_BY_BO, 2, 4);
    const { status, text } = await book({ resource: 'pixel-8', note: 'mine' }, 3, 5, CAT);
    expect(status).toBe(409);
    expect(plain(text)).toMatch(/“pixel-8” is booked by .*bo@lab.example from .* until .*\(demo\)/);
    const [, suggested = ''] = /name="at" value="(\d+)"/.exec(text) ?? [];
    expect(Number(suggested)).toBe(FULL + 4 * HOUR);
    expect((await book({ resource: 'pixel-8', at: suggested }, 3, 5, CAT)).status).toBe(303);
    expect((await bookings()).map(({ start, end }) => [start, end])).toEqual([
      [at(2), at(4)],
      [at(4), at(6)],
    ]);
  });

  test('suggests a full minute after a lease that ends within one', async () => {
    await client.reserve({ resource: 'pixel-8', requester: 'job', ttlSeconds: 4 * 3600 });
    const { status, text } = await book({ resource: 'pixel-8' }, 2, 4);
    const [, at = ''] = /name="at" value="(\d+)"/.exec(text) ?? [];
    expect([status, Number(at) % 60_000]).toEqual([409, 0]);
    expect((await send('/book', { ...fieldsOf(text), resource: 'pixel-8', at })).status).toBe(303);
  });

  test('books any resource with the wanted labels, and suggests the next time of any of them', async () => {
    const match = 'os=android, site=berlin';
    for (const user of [BO, CAT]) expect((await book({ match }, 2, 4, user)).status).toBe(303);
    expect((await bookings()).map(({ slot }) => slot).sort()).toEqual(['pixel-7', 'pixel-8']);
    const { status, text } = await book({ match }, 2, 4, OPERATOR);
    expect([status, /name="at" value="(\d+)"/.exec(text)?.[1]]).toEqual([409, String(FULL + 4 * HOUR)]);
  });

  test('books a series in one press, and can leave out the times that are taken', async () => {
    await book(BOOKED_BY_BO, 26, 28);
    const series = { resource: 'pixel-8', every: 'day', until: at(24 * 3).slice(0, 10) };
    const refused = await book(series, 2, 4, CAT);
    expect([refused.status, plain(refused.text)]).toEqual([
      409,
      expect.stringMatching(/1 of \d times cannot be booked/),
    ]);
    const left = await book({ ...series, skip: 'true' }, 2, 4, CAT);
    expect([left.status, plain(left.text)]).toEqual([200, expect.stringMatching(/\d booked, 1 left out/)]);
    expect((await bookings()).filter(({ requester }) => requester.includes('cat')).length).toBeGreaterThan(1);
  });

  test('keeps what was typed and names the field if something is wrong', async () => {
    const { status, text } = await book({ resource: 'pixel-8', note: 'keep me' }, 4, 2);
    expect(status).toBe(400);
    expect(text).toMatch(/name="end"[^>]*aria-invalid/);
    expect(text).toContain('value="keep me"');
    const other = await book({ resource: 'desk' }, 2, 4);
    expect([other.status, plain(other.text)]).toEqual([409, expect.stringContaining('It was not booked')]);
  });

  test('is for those who may reserve; asks first what is needed; and is linked from the form that reserves', async () => {
    expect((await see('/book?resource=pixel-8', { role: 'viewer' })).status).toBe(403);
    expect((await see('/book')).text).toContain('Or any with these labels');
    const { text } = await see(`/book?resource=pixel-8&from=${FULL}`);
    expect(text).toContain(`value="${typed(0)}"`);
    expect(linksTo((await see('/reserve?resource=pixel-8')).text, '/book?')).toHaveLength(1);
    expect(linksTo((await see('/reserve?resource=desk')).text, '/book?')).toEqual([]);
  });
});

describe('a booking', () => {
  test('is changed by who has it: the times and the note', async () => {
    await book(BOOKED_BY_BO, 2, 4);
    const [link = ''] = linksTo((await see('/mine')).text, '/booking/change');
    const { text } = await see(link);
    expect(text).toContain(`value="${typed(2)}"`);
    expect(text).toContain('value="demo"');
    const moved = await send('/booking/change', { ...fieldsOf(text), start: typed(3), end: typed(5), note: '' });
    expect([moved.status, moved.to]).toEqual([303, expect.stringContaining('done=moved')]);
    expect(await bookings()).toMatchObject([{ start: at(3), end: at(5), note: null }]);
  });

  test('stays as it is if its new time is taken, and another time is offered', async () => {
    await book(BOOKED_BY_BO, 2, 4);
    await book({ resource: 'pixel-8' }, 4, 6, CAT);
    const [link = ''] = linksTo((await see('/mine')).text, '/booking/change');
    const fields = Object.fromEntries(new URL(link, one.url).searchParams);
    const { status, text } = await send('/booking/change', { ...fields, start: typed(3), end: typed(5) });
    expect([status, plain(text)]).toEqual([409, expect.stringMatching(/It is as it was\. .*cat@lab.example/)]);
    expect(/name="at" value="(\d+)"/.exec(text)?.[1]).toBe(String(FULL + 6 * HOUR));
    expect((await bookings())[0]).toMatchObject({ start: at(2), end: at(4) });
  });

  test('is cancelled after a question; of a series, this one or it and the later ones', async () => {
    await book({ resource: 'pixel-8', every: 'day', until: at(24 * 3).slice(0, 10) }, 2, 4);
    const all = await bookings();
    const [, second = ''] = linksTo((await see('/mine')).text, '/booking/cancel');
    const { text } = await see(second);
    expect(plain(text)).toMatch(/Cancel the booking of pixel-8\?.*This one and all later ones.*This one only/);
    const fields = Object.fromEntries(new URL(second, one.url).searchParams);
    const { to } = await send('/booking/cancel', { ...fields, of: 'series' });
    expect(to).toContain(all.length === 2 ? 'done=unbooked' : 'done=unbookedMany');
    expect(await bookings()).toHaveLength(1);
  });

  test('of somebody else is changed and cancelled by operators alone', async () => {
    await book(BOOKED_BY_BO, 2, 4);
    const [{ booking = '' } = {}] = await bookings();
    const fields = { booking, resource: 'pixel-8' };
    expect(linksTo((await see('/resources/one?name=pixel-8', CAT)).text, '/booking/')).toEqual([]);
    expect((await send('/booking/cancel', fields, CAT)).status).toBe(403);
    const shown = await see('/resources/one?name=pixel-8', OPERATOR);
    expect(linksTo(shown.text, '/booking/change')).toHaveLength(1);
    expect(linksTo(shown.text, '/booking/cancel/all')).toHaveLength(1);
    const moved = await send('/booking/change', { ...fields, start: typed(5), end: typed(6), note: 'later' }, OPERATOR);
    expect(moved.status).toBe(303);
    expect((await send('/booking/cancel', fields, OPERATOR)).to).toContain('done=unbooked');
    expect(await bookings()).toEqual([]);
  });

  test('all of a resource are cancelled by operators alone', async () => {
    await book(RIG, 2, 4);
    await book(RIG, 2, 4, CAT);
    expect((await send('/booking/cancel/all', { resource: 'rigs' }, BO)).status).toBe(403);
    expect(plain((await see('/booking/cancel/all?resource=rigs', OPERATOR)).text)).toContain(
      '2 bookings end, 2 of them',
    );
    expect((await send('/booking/cancel/all', { resource: 'rigs' }, OPERATOR)).to).toContain('done=unbookedMany');
    expect(await bookings()).toEqual([]);
  });

  test('that must be claimed is kept by “I am here”, which Mine shows as soon as it has begun', async () => {
    const startExact = `${new Date(Date.now() + 2000).toISOString().slice(0, 19)}Z`;
    await book({ resource: 'pixel-8', claim: '900', startExact, endExact: at(1) }, 0, 1);
    const isAsked = /pixel-8.*ends at .* unless you are here I am here : pixel-8/;
    await until('it has begun', async () => isAsked.test(plain((await see('/mine')).text)));
    const [{ booking = '' } = {}] = await bookings();
    const here = await send('/booking/here', { booking, resource: 'pixel-8' });
    expect([here.status, here.to]).toEqual([303, expect.stringContaining('done=here&what=pixel-8')]);
    expect(plain((await see('/mine')).text)).not.toContain('I am here');
    expect((await send('/booking/here', { booking, resource: 'pixel-8' }, CAT)).status).toBe(403);
  });

  test('that is over or unknown is a 404', async () => {
    const id = '00000000-0000-4000-8000-000000000000';
    expect((await see(`/booking/change?booking=${id}&resource=pixel-8`)).status).toBe(404);
    expect((await see(`/booking/cancel?booking=${id}&resource=pixel-8`)).status).toBe(404);
  });
});

describe('pages show bookings', () => {
  test('the Board: in the timeline, and until when something is free', async () => {
    await book(BOOKED_BY_BO, 2, 4);
    const { text } = await see('', CAT);
    const [, row = ''] = /<tr data-name="pixel-8"[^>]*>(.*?)<\/tr>/s.exec(text) ?? [];
    expect(row).toMatch(/class="bar booked[^"]*"/);
    expect(plain(row)).toMatch(/Free until /);
    expect(linksTo(row, '/book?')).toEqual(['/book?resource=pixel-8']);
    const [, desk = ''] = /<tr data-name="desk"[^>]*>(.*?)<\/tr>/s.exec(text) ?? [];
    expect([plain(desk), linksTo(desk, '/book?')]).toEqual([expect.not.stringContaining('until'), []]);
    expect(linksTo((await see('?label=os%3Dandroid&label=site%3Dberlin')).text, '/book?match')[0]).toContain(
      'match=os%3Dandroid%2C+site%3Dberlin',
    );
  });

  test('the page of a resource: its days with who has booked, and links that book a free time', async () => {
    await book(BOOKED_BY_BO, 2, 4);
    const { text } = await see('/resources/one?name=pixel-8', CAT);
    expect(plain(text)).toMatch(/Bookings times of UTC.*bo@lab.example.*demo/);
    const free = linksTo(text, '/book?').filter((to) => to.includes('from='));
    expect(free).toContain(
      `/book?${new URLSearchParams({ resource: 'pixel-8', from: String(FULL + 4 * HOUR), back: '/dashboard/resources/one?name=pixel-8' })}`,
    );
    expect(linksTo((await see('/resources/one?name=desk')).text, '/book?')).toEqual([]);
    expect(plain((await see('/resources/one?name=pixel-8&week=1', CAT)).text)).toContain('Week before');
  });

  test('Mine: what the person has booked, in order', async () => {
    await book({ resource: 'pixel-8', note: 'second' }, 4, 5);
    await book({ resource: 'pixel-7', note: 'first' }, 2, 3);
    await book(RIG, 2, 3, CAT);
    expect(plain((await see('/mine')).text)).toMatch(/What you have booked 2 .*first.*begins in.*second/);
  });

  test('the palette offers to book what can be booked', async () => {
    const { text } = await see('/find?q=book+pixel-8');
    expect(linksTo(text, '/book?')).toEqual(['/book?resource=pixel-8']);
    expect(linksTo((await see('/find?q=desk')).text, '/book?')).toEqual([]);
  });
});
