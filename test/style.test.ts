/**
 * Checks limits on the length of files, functions and comment lines that Biome has no rule for. Biome checks the length
 * of TypeScript files and functions (biome.json).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const MAX_FILE_LINES = 300;
/** Longer, since its parts need each other. */
const LONG_FILES: readonly string[] = ['queues'].map((name) => `lua/waiting/${name}.lua`);
const MAX_FUNCTION_LINES = 60;
const MAX_COMMENT_COLUMNS = 120;

const read = (folder: string, names = /\.(ts|tsx|lua)$/) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => names.test(path) && path !== 'generated.ts')
    .map((path) => join(folder, path))
    .map((path) => ({ path, lines: readFileSync(path, 'utf8').replace(/\n$/, '').split('\n') }));

const LUA = read('lua');
const SOURCES = [
  ...LUA,
  ...['src', 'packages/client/src', 'integrations', 'test', 'scripts', 'bench'].flatMap((folder) => read(folder)),
];

/** The functions of a Lua file that are too long, as `path:line: length`. */
function longFunctions({ path, lines }: { path: string; lines: readonly string[] }): string[] {
  return lines.flatMap((line, start) => {
    const [match, indent = ''] = /^(\s*)(?:local )?function\b/.exec(line) ?? [];
    if (match === undefined || /\bend\b/.test(line)) return [];
    const length = lines.slice(start).indexOf(`${indent}end`) + 1;
    return length > MAX_FUNCTION_LINES ? [`${path}:${start + 1}: ${length} lines`] : [];
  });
}

const GO = read('packages/go', /\.go$/);

test('there are sources to check', () => {
  expect(GO.length).toBeGreaterThan(30);
  expect(LUA.length).toBeGreaterThan(30);
  expect(SOURCES.length).toBeGreaterThan(300);
});

describe('Lua', () => {
  test(`files have at most ${MAX_FILE_LINES} lines`, () => {
    expect(
      LUA.flatMap(({ path, lines }) => (lines.length > MAX_FILE_LINES && !LONG_FILES.includes(path) ? [path] : [])),
    ).toEqual([]);
  });

  test(`functions have at most ${MAX_FUNCTION_LINES} lines`, () => {
    expect(LUA.flatMap(longFunctions)).toEqual([]);
  });
});

describe('Go', () => {
  test(`files have at most ${MAX_FILE_LINES} lines`, () => {
    expect(GO.flatMap(({ path, lines }) => (lines.length > MAX_FILE_LINES ? [path] : []))).toEqual([]);
  });

  test(`functions have at most ${MAX_FUNCTION_LINES} lines, and lines 120 columns with tabs of 4`, () => {
    const long = GO.flatMap(({ path, lines }) =>
      lines.flatMap((line, i) => {
        const length = /^func .*\{$/.test(line) ? lines.slice(i).indexOf('}') + 1 : 0;
        const isWide = line.replaceAll('\t', '    ').length > 120;
        return length > MAX_FUNCTION_LINES || isWide ? [`${path}:${i + 1}`] : [];
      }),
    );
    expect(long).toEqual([]);
  });
});

test(`comment lines have at most ${MAX_COMMENT_COLUMNS} columns`, () => {
  const wide = SOURCES.flatMap(({ path, lines }) =>
    lines.flatMap((line, i) =>
      line.length > MAX_COMMENT_COLUMNS && /^\s*(\/\/|\/?\*|--)/.test(line) ? [`${path}:${i + 1}`] : [],
    ),
  );
  expect(wide).toEqual([]);
});

test('Lua files are ASCII: V8 keeps a text with one other character in twice the memory', () => {
  expect(LUA.filter(({ lines }) => /[^ -~]/.test(lines.join(''))).map(({ path }) => path)).toEqual([]);
});
