/** The README stays short, and begins with what people and tools look for. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { blocksOf } from './blocks.ts';

const README = readFileSync('README.md', 'utf8');

test('has at most 150 lines', () => {
  expect(README.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});

test('begins with the two commands that run it and test it', () => {
  const [first] = blocksOf(README);
  expect(first?.content.split('\n').map((line) => line.replace(/ +#.*/, ''))).toEqual([
    'npm ci && npm start',
    'npm ci && npm test',
    '',
  ]);
});

test('shows the overview before anything else', () => {
  expect(README.indexOf('docs/pictures/overview.svg')).toBeLessThan(README.indexOf('## '));
});
