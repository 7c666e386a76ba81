/**
 * The forms that book, change and cancel, as browsers without scripts send them (docs/specification.md#bookings).
 */
import { describe, expect, test } from 'vitest';
import {
  at,
  BO,
  BOOKED_BY_BO,
  book,
  bookings,
  CAT,
  client,
  FULL,
  fieldsOf,
  HOUR,
  linksTo,
  OPERATOR,
  one,
  plain,
  RIG,
  see,
  send,
  typed,
  useBookingPages,
} from '../support/bookingPages.ts';
import { until } from '../support/until.ts';

useBookingPages();

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

  test('says what is booked as a link to the week that it is in', async () => {
    const { to } = await book(BOOKED_BY_BO, 20 * 24, 20 * 24 + 1);
    const [link = ''] = linksTo((await see(to?.replace('/dashboard', '') ?? '')).text, '/resources/one?');
    expect(link).toBe(`/resources/one?name=pixel-8&at=${Date.parse(at(20 * 24))}`);
    expect(plain((await see(link)).text)).toMatch(/You demo Change/);
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

  test('says what the person has or has booked then already, and books it at the next press', async () => {
    await client.reserve({ resource: 'pixel-8', requester: 'person:bo@lab.example', ttlSeconds: 4 * 3600 });
    const shown = await book(BOOKED_BY_BO, 1, 2);
    expect([shown.status, await bookings()]).toEqual([200, []]);
    expect(plain(shown.text)).toMatch(/You have pixel-8 already, until .* UTC\. Nothing is booked yet\./);
    expect((await send('/book', fieldsOf(shown.text))).status).toBe(303);
    expect((await book(BOOKED_BY_BO, 6, 7)).status).toBe(303);
    expect((await book(RIG, 2, 4)).status).toBe(303);
    const twice = await book({ ...RIG, note: 'twice' }, 3, 5);
    expect(plain(twice.text)).toMatch(/You have booked rigs_0 already, .* Book it all the same/);
    // It was warned of other times.
    expect((await send('/book', { ...fieldsOf(twice.text), start: typed(2) })).status).toBe(200);
    expect((await send('/book', fieldsOf(twice.text))).status).toBe(303);
    expect(await bookings()).toHaveLength(4);
  });

  test('suggests a full minute after a lease that ends within one', async () => {
    await client.reserve({ resource: 'pixel-8', requester: 'job', ttlSeconds: 4 * 3600 });
    const { status, text } = await book({ resource: 'pixel-8' }, 2, 4);
    const [, at = ''] = /name="at" value="(\d+)"/.exec(text) ?? [];
    expect([status, Number(at) % 60_000]).toEqual([409, 0]);
    expect((await send('/book', { ...fieldsOf(text), resource: 'pixel-8', at })).status).toBe(303);
  });

  test('shows which resource with the wanted labels it will be, and then books it', async () => {
    const match = 'os=android, site=berlin';
    const shown = await book({ match, note: 'demo' }, 2, 4);
    expect([shown.status, plain(shown.text), await bookings()]).toEqual([
      200,
      expect.stringContaining('You get pixel-7 , or choose another that is free then: pixel-7 pixel-8 Cancel Book'),
      [],
    ]);
    expect((await send('/book', fieldsOf(shown.text))).status).toBe(303);
    expect(await bookings()).toMatchObject([{ slot: 'pixel-7', start: at(2), end: at(4), note: 'demo' }]);
    // It is taken by now.
    const again = await send('/book', fieldsOf(shown.text), CAT);
    expect(plain(again.text)).toContain('You get pixel-8 . Nothing else that fits is free then. Taken then: pixel-7.');
    expect((await send('/book', fieldsOf(again.text), CAT)).status).toBe(303);
    const { status, text } = await book({ match }, 2, 4, OPERATOR);
    const [, suggested = ''] = /name="at" value="(\d+)"/.exec(text) ?? [];
    expect([status, suggested]).toEqual([409, String(FULL + 4 * HOUR)]);
    const later = await book({ match, at: suggested }, 2, 4, OPERATOR);
    expect([fieldsOf(later.text).start, plain(later.text)]).toEqual([typed(4), expect.stringContaining('You get')]);
    expect((await send('/book', fieldsOf(later.text), OPERATOR)).status).toBe(303);
  });

  test.each(['Berlin android', 'android · berlin', 'berlin, os=android'])(
    'knows the keys of labels: %s',
    async (match) => {
      expect(plain((await book({ match }, 2, 4)).text)).toContain('You get pixel-7');
      const { status, text } = await book({ match: `${match}, mars` }, 2, 4);
      expect([status, fieldsOf(text).match]).toEqual([400, expect.stringContaining('mars')]);
    },
  );

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

  test('books in the name of another person for operators alone, and says so', async () => {
    expect((await see('/book?resource=pixel-8')).text).not.toContain('name="requester"');
    expect((await book({ ...BOOKED_BY_BO, requester: 'cat@lab.example' }, 2, 4)).status).toBe(403);
    expect((await see('/book?resource=pixel-8', OPERATOR)).text).toContain('name="requester"');
    const { to } = await book({ ...BOOKED_BY_BO, requester: 'cat@lab.example' }, 2, 4, OPERATOR);
    expect(plain((await see((to ?? '').replace('/dashboard', ''), OPERATOR)).text)).toMatch(
      /pixel-8 is booked for cat@lab.example from .* to /,
    );
    await book({ ...BOOKED_BY_BO, requester: 'ci-41' }, 4, 6, OPERATOR);
    expect((await bookings()).map(({ requester }) => requester)).toEqual(['person:cat@lab.example', 'ci-41']);
    expect(plain((await see('/mine', CAT)).text)).toContain('What you have booked 1');
  });

  test('takes a name that is typed, and keeps it in its field', async () => {
    expect((await book({ name: ' pixel-8 ' }, 2, 4)).status).toBe(303);
    const { status, text } = await book({ name: 'pixel-8' }, 3, 5, CAT);
    expect([status, fieldsOf(text).name]).toEqual([409, 'pixel-8']);
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

describe('the form that reserves', () => {
  test('suggests the moment from which it is booked if that is soon, offers no later one, and takes it to then', async () => {
    const soon = Math.ceil(Date.now() / 60_000 + 12) * 60_000;
    const [startExact, endExact] = [soon, soon + HOUR].map((ms) => new Date(ms).toISOString());
    await send('/book', { resource: 'pixel-8', startExact: startExact ?? '', endExact: endExact ?? '' }, CAT);
    const { text } = await see('/reserve?resource=pixel-8');
    const choices = [...text.matchAll(/name="lease" value="([^"]*)"( checked)?/g)].map(([, value, on]) => [value, on]);
    expect(choices.filter(([value]) => value !== 'other' && value !== 'none')).toEqual([[`@${soon}`, ' checked']]);
    const { to } = await send('/reserve', { resource: 'pixel-8', lease: `@${soon}` });
    expect(new URL(to ?? '', one.url).searchParams.get('until')).toBe(startExact);
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

  test('is moved to another resource with the same labels: that is booked first, then the one before ends', async () => {
    await book(BOOKED_BY_BO, 2, 4);
    const [change = ''] = linksTo((await see('/mine')).text, '/booking/change');
    const [another = ''] = linksTo((await see(change)).text, '/book?');
    const { text } = await see(another);
    expect(plain(text)).toContain('Book another instead of pixel-8');
    const shown = (await send('/book', fieldsOf(text))).text;
    expect(plain(shown)).toContain('Book, and cancel pixel-8');
    const { to } = await send('/book', fieldsOf(shown));
    expect(to).toMatch(/done=replaced.*what=pixel-7/);
    expect(await bookings()).toMatchObject([{ slot: 'pixel-7', start: at(2), end: at(4), note: 'demo' }]);
  });

  test('by labels is not of what is out of service, if something else is free then', async () => {
    const match = 'os=android, site=berlin';
    await client.setCondition({ resource: 'pixel-7', condition: 'out', reason: 'display dark' });
    const shown = await book({ match }, 2, 4);
    expect(plain(shown.text)).toMatch(/You get pixel-8 , .* pixel-8 pixel-7 out of service now /);
    expect((await send('/book', fieldsOf(shown.text))).status).toBe(303);
    expect(await bookings()).toMatchObject([{ slot: 'pixel-8' }]);
    await client.setCondition({ resource: 'pixel-7', condition: 'ready' });
  });

  test('is not moved if nothing else is free', async () => {
    await book(BOOKED_BY_BO, 2, 4);
    await book({ resource: 'pixel-7' }, 2, 4, CAT);
    const [{ booking = '' } = {}] = await bookings();
    const fields = { match: 'os=android, site=berlin', instead: booking, insteadOf: 'pixel-8' };
    expect((await book(fields, 2, 4)).status).toBe(409);
    expect((await bookings()).map(({ slot }) => slot).sort()).toEqual(['pixel-7', 'pixel-8']);
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
    // It stands under both days if it goes over midnight.
    expect(new Set(linksTo(shown.text, '/booking/change')).size).toBe(1);
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
