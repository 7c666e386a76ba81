/** `holdfast book`, `bookings` and `unbook` (docs/command-line.md#book). */
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readArguments } from '../../../packages/client/src/cli/arguments.ts';
import { book as command, repeatOf } from '../../../packages/client/src/cli/commands/book.ts';
import { json, run, service, useService } from '../../support/commandLine.ts';

useService();

beforeAll(() => service.register({ name: 'pixel-8', bookable: true }, { name: 'bench', bookable: true }));

const Booked = z.array(z.looseObject({ booking: z.uuid(), slot: z.string(), start: z.string(), end: z.string() }));
const TOKYO = { env: { TZ: 'Asia/Tokyo' } };
const book = (...args: readonly string[]) => run(['book', 'pixel-8', ...args], TOKYO);
/** The same day for all commands, also if one of them runs after midnight. */
const DAY = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
const TIMES = ['--from', `${DAY} 9:00`, '--to', '11:00'] as const;

describe('book', () => {
  test('books from and to times of the machine, is listed, and is cancelled', async () => {
    const { code, stdout } = await book(...TIMES, '--requester', 'ann', '--note', 'demo', '--json');
    expect(code).toBe(0);
    const [booked] = Booked.parse(JSON.parse(stdout));
    expect(booked?.start.slice(11)).toBe('00:00:00.000Z');
    expect(booked?.end.slice(11)).toBe('02:00:00.000Z');
    const listed = await run(['bookings', '--requester', 'ann'], TOKYO);
    expect(listed.stdout).toMatch(/pixel-8 +ann +\w{3} \S+ 09:00 +\w{3} \S+ 11:00 +booked +\S+ +demo/);
    const taken = await book('--from', `${DAY} 10:00`, '--to', '12:00', '--requester', 'bo');
    expect(taken).toMatchObject({
      code: 75,
      stderr: expect.stringMatching(/pixel-8: CONFLICT: booked by ann from \S+ until \S+$/m),
    });
    const id = booked?.booking ?? '';
    expect(await json('unbook', id)).toEqual([{ booking: id, cancelled: true }]);
    expect(await json('unbook', id)).toEqual([{ booking: id, cancelled: false }]);
    expect((await run(['bookings'])).stderr).toContain('nothing is booked');
  });

  test('asks from when to when, and who', async () => {
    expect(await book('--from', 'tomorrow 9:00')).toMatchObject({ code: 64, stderr: expect.stringContaining('--to') });
    expect(await book(...TIMES)).toMatchObject({ code: 64, stderr: expect.stringContaining('--requester') });
  });

  test('books several resources, all or none, or those that do not conflict', async () => {
    const both = ['bench', ...TIMES, '--requester', 'bo'];
    expect(await run(['book', 'bench', ...TIMES, '--requester', 'ann'], TOKYO)).toMatchObject({ code: 0 });
    expect(await book(...both)).toMatchObject({ code: 75, stderr: expect.stringContaining('bench: CONFLICT: booked') });
    expect((await run(['bookings', '--requester', 'bo'])).stderr).toContain('nothing is booked');
    const { code, stdout, stderr } = await book(...both, '--skip-conflicts');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^SLOT.*\npixel-8 .*\n$/) });
    expect(stderr).toMatch(/left out: bench on \w{3} \S+ 09:00: CONFLICT: booked by ann from/);
  });

  test('books a series in the zone of the machine, which is listed and cancelled', async () => {
    const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000);
    const toMonday = (8 - dayIn(7).getUTCDay()) % 7;
    const [monday, until] = [7, 16].map((days) =>
      dayIn(days + toMonday)
        .toISOString()
        .slice(0, 10),
    );
    const repeat = ['--every', 'week', '--on', 'mon,Wednesday', '--until', until ?? ''];
    const times = ['--from', `${monday} 9:00`, '--to', '11:00', ...repeat];
    const { stdout, stderr } = await book(...times, '--requester', 'cy', '--json');
    const made = Booked.parse(JSON.parse(stdout));
    expect(made.map(({ start }) => new Date(start).toISOString().slice(11, 16))).toEqual(Array(4).fill('00:00'));
    expect(made.map(({ start }) => new Date(start).getUTCDay())).toEqual([1, 3, 1, 3]);
    const series = /unbook --series (\S+)/.exec(stderr)?.[1] ?? '';
    const listed = await run(['bookings', '--requester', 'cy']);
    expect(listed.stdout).toMatch(/NOTE +SERIES\n/);
    expect(listed.stdout.split(series)).toHaveLength(5);
    expect(await json('unbook', '--series', series)).toEqual([{ series, cancelled: 4 }]);
    expect((await run(['unbook', '--series', series])).stdout).toMatch(/CANCELLED\n\S+ +0\n$/);
  });

  test.each([
    [['--on', 'mon'], '--every day'],
    [['--every', 'month'], '--every day'],
    [['--every', 'day'], '--until'],
    [['--every', 'week', '--on', 'noday', '--until', '2050-01-01'], 'mon,wed'],
  ])('asks how a series repeats, and until when (%#)', (args, text) => {
    expect(() => repeatOf(readArguments(command, ['pixel-8', ...args]))).toThrow(text);
  });
});

describe('unbook', () => {
  test('prints what it has cancelled before it fails', async () => {
    const { stdout } = await book('--from', 'tomorrow 20:00', '--to', '21:00', '--requester', 'di', '--json');
    const id = Booked.parse(JSON.parse(stdout))[0]?.booking ?? '';
    const { code, stdout: printed } = await run(['unbook', id, 'no-id']);
    expect(code).toBe(65);
    expect(printed).toMatch(new RegExp(`${id} +cancelled`));
  });
});
