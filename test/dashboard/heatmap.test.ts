/** What the picture of a week says in words (docs/specification.md#dashboard-and-sign-in). */
import { expect, test } from 'vitest';
import { busiest } from '../../src/dashboard/components/heatmap.tsx';

/** A Monday. */
const MONDAY = Date.UTC(2026, 0, 26);
/** @param shareAt of an hour of a day, from Monday on */
const weekOf = (shareAt: (day: number, hour: number) => number) =>
  Array.from({ length: 168 }, (_, i) => ({
    startMs: MONDAY + i * 3_600_000,
    share: shareAt(Math.floor(i / 24), i % 24),
  }));

test('the weekday and the four hours in which most was in use are said in words, by the clocks of a zone', () => {
  const week = weekOf((day, hour) => (hour >= 22 || hour < 2 ? 0.5 : day === 2 ? 0.25 : 0));
  expect(busiest(week)).toBe('most on Wed (29 %), and from 22:00 to 2:00 (50 %)');
  expect(busiest(week, 'Asia/Tokyo')).toMatch(/, and from 7:00 to 11:00 \(50 %\)$/);
  expect(busiest(weekOf(() => 0))).toBe('never');
});
