/**
 * What the pages load besides their HTML.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { iconsModule } from '../../scripts/icons.ts';
import { minifyAssets } from '../../scripts/minifyAssets.ts';

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

test('scripts and styles have at most 25.5 kB as a build serves them, compressed', async () => {
  const { outputFiles } = await minifyAssets('/assets');
  const textsOf = (ending: string) => outputFiles.filter(({ path }) => path.endsWith(ending)).map(({ text }) => text);
  const sizes = [...textsOf('.js'), textsOf('.css').join('')].map(gzipped);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(25_500);
});
