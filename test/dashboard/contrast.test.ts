/**
 * The colours of styles/tokens.css are legible, light and dark: WCAG AA.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const tokens = readFileSync(new URL('../../src/dashboard/assets/styles/tokens.css', import.meta.url), 'utf8');
const pairs = [...tokens.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g)];
const LOOKS = {
  light: new Map(pairs.map(([, name, light]) => [name, light])),
  dark: new Map(pairs.map(([, name, , dark]) => [name, dark])),
};

/** Relative luminance, as WCAG defines it. */
function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [dim = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dim + 0.05);
}

const GROUNDS = ['ground', 'surface', 'sunken', 'hover'];
const TEXTS: readonly (readonly [text: string, on: readonly string[]])[] = [
  ['text', [...GROUNDS, 'accent-weak', 'wait-weak', 'bad-weak', 'free-weak', 'busy-bar', 'past-bar']],
  ['second', [...GROUNDS, 'past-bar']],
  ['quiet', [...GROUNDS, 'accent-weak']],
  ['accent-text', [...GROUNDS, 'accent-weak']],
  ['on-accent', ['accent']],
  ['free', [...GROUNDS, 'free-weak']],
  ['busy', GROUNDS],
  ['wait', [...GROUNDS, 'wait-weak']],
  ['bad', [...GROUNDS, 'bad-weak']],
];
/** Shapes that stand for something: lines around fields, and the marks of states. */
const SHAPES = ['strong', 'accent', 'free', 'busy', 'wait', 'bad'];

describe.each(['light', 'dark'] as const)('%s', (look) => {
  const color = (name: string) => LOOKS[look].get(name) ?? '';

  test.each(TEXTS)('text in --%s has at least 4.5 : 1', (text, grounds) => {
    for (const ground of grounds) expect([ground, contrast(color(text), color(ground)) >= 4.5]).toEqual([ground, true]);
  });

  test.each(SHAPES)('a shape in --%s has at least 3 : 1', (shape) => {
    for (const ground of ['ground', 'surface']) expect(contrast(color(shape), color(ground))).toBeGreaterThanOrEqual(3);
  });
});
