/** `holdfast book`, `bookings` and `unbook` (docs/command-line.md#book). */
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { json, run, service, useService } from '../../support/commandLine.ts';

useService();

beforeAll(() => service.register({ name: 'pixel-8', bookable: true }));

const Booked = z.array(z.looseObject({ booking: z.uuid(), slot: z.string(), start: z.string(), end: z.string() }));
const book = (...args: readonly string[]) => run(['book', 'pixel-8', ...args], { env: { TZ: 'Asia/Tokyo' } });
const TIMES = ['--from', 'tomorrow 9:00', '--to', '11:00'] as const;

describe('book', () => {
  test('books from and to times of the machine, is listed, and is cancelled', async () => {
    const { code, stdout } = await book(...TIMES, '--requester', 'ann', '--note', 'demo', '--json');
    expect(code).toBe(0);
    const [booked] = Booked.parse(JSON.parse(stdout));
    expect(booked?.start.slice(11)).toBe('00:00:00.000Z');
    expect(booked?.end.slice(11)).toBe('02:00:00.000Z');
    const listed = await run(['bookings', '--requester', 'ann'], { env: { TZ: 'Asia/Tokyo' } });
    expect(listed.stdout).toMatch(/pixel-8 +ann +\w{3} \S+ 09:00 +\w{3} \S+ 11:00 +booked +\S+ +demo/);
    const taken = await book('--from', 'tomorrow 10:00', '--to', '12:00', '--requester', 'bo');
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
});
