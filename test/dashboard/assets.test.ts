/**
 * What the pages load besides their HTML.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { iconsModule } from '../../scripts/icons.ts';

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
  const files = readdirSync(ASSETS, { recursive: true, encoding: 'utf8' });
  const scripts = files.filter((name) => name.endsWith('.js')).map((name) => gzipped(textOf(name)));
  const styles = gzipped(
    files
      .filter((name) => name.endsWith('.css'))
      .map(textOf)
      .join('\n'),
  );
  expect(scripts.reduce((sum, size) => sum + size, styles)).toBeLessThanOrEqual(25_000);
});
