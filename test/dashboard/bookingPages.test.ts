/**
 * Pages that show bookings: the Board, the days of a resource, Mine and the palette
 * (docs/specification.md#dashboard-and-sign-in).
 */
import { describe, expect, test } from 'vitest';
import {
  at,
  BOOKED_BY_BO,
  book,
  CAT,
  client,
  FULL,
  fieldsOf,
  HOUR,
  linksTo,
  OPERATOR,
  plain,
  RIG,
  see,
  send,
  typed,
  useBookingPages,
} from '../support/bookingPages.ts';

useBookingPages();

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

  test('the Board: seven days, and the seven after these', async () => {
    await book({ resource: 'pixel-8', note: 'soon' }, 72, 74);
    await book({ resource: 'pixel-8', note: 'later' }, 240, 242);
    const shown = async (span: string) => {
      const { text } = await see(`?span=${span}`);
      const bars = [...text.matchAll(/class="bar booked[^>]*><title>([^<]*)/g)].map(([, title]) => title?.slice(-5));
      return [bars, /aria-label="Time, by the (\w+)"/.exec(text)?.[1]];
    };
    expect(await shown('today')).toEqual([[], 'hour']);
    expect(await shown('week')).toEqual([[' soon'], 'day']);
    expect(await shown('next')).toEqual([['later'], 'day']);
  });

  test('the page of a resource: its days with who has booked, and links that book a free time', async () => {
    await book(BOOKED_BY_BO, 2, 4);
    const { text } = await see('/resources/one?name=pixel-8', CAT);
    expect(plain(text)).toMatch(/Book a time pixel-8.*Bookings times of UTC.*bo@lab.example.*demo/);
    const [, week = ''] = /<table class="lanes week"(.*?)<\/table>/s.exec(text) ?? [];
    const bars = [...week.matchAll(/class="bar (free|booked)[ "][^>]*width="([\d.]+)%"/g)];
    // Two hours of a day, which may have a midnight in them.
    expect(bars.reduce((sum, [, kind, width]) => sum + (kind === 'booked' ? Number(width) : 0), 0)).toBeCloseTo(
      8.33,
      1,
    );
    expect(week).toMatch(/<a [^>]*><title>Free \d\d:\d\d–24:00 on [^<]*: book it</);
    const free = linksTo(text, '/book?').filter((to) => to.includes('from='));
    // A day that is free from midnight on is offered from the morning on.
    const end = FULL + 4 * HOUR;
    const from = String(new Date(end).getUTCHours() === 0 ? end + 9 * HOUR : end);
    expect(free).toContain(
      `/book?${new URLSearchParams({ resource: 'pixel-8', from, back: '/dashboard/resources/one?name=pixel-8' })}`,
    );
    expect(linksTo((await see('/resources/one?name=desk')).text, '/book?')).toEqual([]);
    expect(plain((await see('/resources/one?name=pixel-8&week=1', CAT)).text)).toContain('Week before');
  });

  test.each([
    ['without an end', {}, /Held now You, no end/, 0],
    ['for an hour', { ttlSeconds: 3600 }, /Held now You, until .{5,20} UTC/, 7],
  ])('the page of a resource: what is held now, %s, is not free, also by oneself', async (_, lease, said, days) => {
    await client.reserve({ resource: 'pixel-8', requester: 'person:bo@lab.example', ...lease });
    const { text } = await see('/resources/one?name=pixel-8');
    const [, week = ''] = /<table class="lanes week"(.*?)<\/table>/s.exec(text) ?? [];
    expect(plain(week)).toMatch(said);
    // In the last hour of a day, today has no free time any more.
    expect(Math.abs(linksTo(week, '/book?').length - days)).toBeLessThanOrEqual(days === 0 ? 0 : 1);
  });

  test('Mine: what the person has booked, in order', async () => {
    await book({ resource: 'pixel-8', note: 'second' }, 4, 5);
    await book({ resource: 'pixel-7', note: 'first' }, 2, 3);
    await book(RIG, 2, 3, CAT);
    expect(plain((await see('/mine')).text)).toMatch(/What you have booked 2 .*first.*begins in.*second/);
  });

  test('Mine: that what is booked is out of service, and why', async () => {
    await book({ resource: 'pixel-8', note: 'demo' }, 2, 3);
    await book({ resource: 'pixel-7', note: 'other' }, 4, 5);
    await client.setCondition({ resource: 'pixel-8', condition: 'out', reason: 'display dark' });
    expect(plain((await see('/mine')).text)).toMatch(
      /pixel-8 demo Out of service display dark .* pixel-7 other \w{3} /,
    );
    await client.setCondition({ resource: 'pixel-8', condition: 'ready' });
    expect(plain((await see('/mine')).text)).not.toContain('display dark');
  });

  test('Board, Mine: what the person booked for the next days and goes out of service, with another in place', async () => {
    // By a program, in the name that programs have for the person.
    const first = { resource: 'pixel-8', requester: 'bo@lab.example', start: at(1), end: at(2), note: 'demo' };
    await client.request('POST', '/api/v1/Booking', { bookings: [first] });
    await book({ ...BOOKED_BY_BO, every: 'day', until: at(48).slice(0, 10) }, 2, 3);
    await book(RIG, 24 * 8, 24 * 8 + 1);
    await client.setCondition({ resource: 'rigs_0', condition: 'out', reason: 'too far ahead' });
    await client.setCondition({ resource: 'pixel-8', condition: 'out', reason: 'display dark' });
    const line =
      /pixel-8 , which you booked for .{5,25} UTC , is out of service : display dark. You have \d more bookings? of it in the next 7 days/;
    for (const path of ['', '/mine']) {
      const { text } = await see(path);
      expect(plain(text)).toMatch(line);
      expect(plain(text)).toContain('Mine 1 booking to look at');
      const [troubles = ''] = /data-live="troubles".*?(?=<div data-live|<div class="stack")/s.exec(text) ?? [];
      expect(troubles).not.toContain('too far ahead');
      expect(linksTo(troubles, '/booking/cancel?')).toHaveLength(1);
      const [another = ''] = linksTo(troubles, '/book?');
      const form = fieldsOf((await see(another)).text);
      expect(form).toMatchObject({ match: 'os=android, site=berlin', start: typed(1), end: typed(2), note: 'demo' });
    }
    expect(plain((await see('/activity')).text)).toContain('Mine 1 booking to look at');
    expect(plain((await see('', CAT)).text)).not.toMatch(/which you booked|booking to look/);
    for (const resource of ['rigs_0', 'pixel-8']) await client.setCondition({ resource, condition: 'ready' });
    expect(plain((await see('')).text)).not.toMatch(/which you booked|booking to look/);
  });

  test('Mine: the later ones of a series are folded below its first one', async () => {
    await book({ resource: 'pixel-8', note: 'daily', every: 'day', until: at(72).slice(0, 10) }, 2, 3);
    await book({ resource: 'pixel-7', note: 'between' }, 30, 31);
    const { text } = await see('/mine');
    const [series = ''] = /<li(?:(?!<li).)*daily.*?<\/details>/s.exec(text) ?? [];
    expect(plain(series)).toMatch(/daily .* [23] more, the last on .*daily.*daily/);
    expect(plain(series)).not.toContain('between');
    expect(plain(text)).toContain('between');
  });

  test('Out of service: how often it is booked, by whom first, and that bookings stay', async () => {
    await book({ resource: 'pixel-8' }, 2, 3);
    await book({ resource: 'pixel-8' }, 4, 5);
    await book(RIG, 2, 3);
    const said = async (resource: string) =>
      plain((await see(`/condition/out?resource=${resource}`, OPERATOR)).text).match(/It is booked .* end\./)?.[0];
    expect(await said('pixel-8')).toMatch(
      /^It is booked 2 times, first by bo@lab.example, .* Bookings stay\. .* waits until/,
    );
    expect(await said('rigs')).toMatch(/^It is booked once: bo@lab.example, .* gets another slot if one is free/);
    expect(await said('pixel-7')).toBeUndefined();
  });

  test('the palette offers to book what can be booked', async () => {
    const { text } = await see('/find?q=book+pixel-8');
    expect(linksTo(text, '/book?')).toEqual(['/book?resource=pixel-8']);
    expect(linksTo((await see('/find?q=desk')).text, '/book?')).toEqual([]);
  });

  test('Reserve: until when something is free, and why that is the latest end', async () => {
    await book(BOOKED_BY_BO, 2, 4, CAT);
    expect(plain((await see('/reserve?q=pixel')).text)).toMatch(/pixel-7 free pixel-8 free until .{5,20} UTC/);
    expect(plain((await see('/reserve?resource=pixel-8')).text)).toMatch(/latest .*It is booked from .{5,20} UTC on\./);
  });

  test('Book another: of its group, in service, with the labels that others have; single things before pools', async () => {
    const ios = (name: string, site: string) => ({
      ...{ name, bookable: true, treePath: 'shelf', labels: { os: 'ios', site } },
    });
    await client.register({ name: 'shelf', group: true }, ios('s1', 'lisbon'), ios('s2', 'oslo'), ios('s3', 'oslo'));
    const { treePath: _, ...far } = ios('far', 'lisbon');
    await client.register({ ...ios('s0', 'oslo'), capacity: 3 }, far);
    await client.setCondition({ resource: 's2', condition: 'out', reason: 'fell' });
    await book({ resource: 's1' }, 2, 4);
    const [change = ''] = linksTo((await see('/mine')).text, '/booking/change');
    const [another = ''] = linksTo((await see(change)).text, '/book?');
    const { text } = await see(another);
    expect(fieldsOf(text).match).toBe('os=ios');
    expect(text).toMatch(/<option value="shelf" selected/);
    const offer = await send('/book', { ...fieldsOf(text), group: 'shelf' });
    expect(plain(offer.text)).toMatch(/You get s3 , or choose another that is free then: s3 shelf s0 shelf Cancel/);
  });
});
