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

/** Scripts that one page alone loads, and the service worker. */
const OF_ONE_PAGE = ['live.js', 'push.js', 'scan.js', 'worker.js'];

test('scripts and styles of a page have at most 25 kB as a build serves them, compressed', async () => {
  const { outputFiles } = await minifyAssets('/assets');
  const named = (names: readonly string[]) => (path: string) => names.some((name) => path.endsWith(name));
  const textsOf = (isOne: (path: string) => boolean) =>
    outputFiles.filter(({ path }) => isOne(path)).map(({ text }) => text);
  const scripts = textsOf((path) => path.endsWith('.js') && !named(OF_ONE_PAGE)(path)).map(gzipped);
  const largest = Math.max(...textsOf(named(OF_ONE_PAGE)).map(gzipped));
  const styles = gzipped(textsOf(named(['.css'])).join(''));
  expect(scripts.reduce((sum, size) => sum + size, styles + largest)).toBeLessThanOrEqual(25_000);
});
