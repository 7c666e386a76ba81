/**
 * What the pages load besides their HTML.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { iconsModule } from '../../scripts/icons.ts';
import { contents } from '../../src/dashboard/assets.ts';

const ASSETS = new URL('../../src/dashboard/assets/', import.meta.url);
const textOf = (name: string) => readFileSync(new URL(name, ASSETS), 'utf8');
const gzipped = (text: string) => gzipSync(text, { level: 9 }).length;

test('idiomorph.js is the published file, as a module', () => {
  const published = readFileSync(createRequire(import.meta.url).resolve('idiomorph/dist/idiomorph.min.js'), 'utf8');
  expect(textOf('idiomorph.js')).toBe(`// @ts-nocheck\n${published.trimEnd()}\nexport{Idiomorph};\n`);
});

test('icons.ts has the drawings of Lucide that scripts/icons.ts names', () => {
  expect(readFileSync(new URL('../icons.ts', ASSETS), 'utf8')).toBe(iconsModule());
});

test('scripts and styles have at most 25 kB, compressed', () => {
  const sizes = contents.filter(({ name }) => /\.(js|css)$/.test(name)).map(({ content }) => gzipped(content));
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(25_000);
});

test('browsers load no comments of developers', () => {
  for (const { name, content } of contents) expect([name, content.match(/^ *(\/\*|\/\/).*/gm)]).toEqual([name, null]);
});
