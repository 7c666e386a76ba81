/** docs/clients.md has all names of the three clients, and no other. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (file: string) => readFileSync(file, 'utf8');
const page = read('docs/clients.md');

/** The names in the columns of the three languages, which are the last ones of a table. */
function columnsOf(title: string): readonly string[][] {
  const [, table = ''] = page.split(`## ${title}\n`);
  const rows = (table.split('\n## ')[0] ?? '').split('\n').filter((line) => /^\| .*[`–]/.test(line));
  const cells = rows.map((line) => line.split('|').slice(1, -1).slice(-3));
  return [0, 1, 2].map((column) => cells.flatMap((row) => names(row[column] ?? '', /`(\w+)[`(]/g)));
}

const names = (text: string, pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))];
const sorted = (columns: readonly string[][]) => columns.map((column) => column.toSorted());

const GO = 'packages/go/holdfast';
const go = readdirSync(GO)
  .filter((file) => /^(?!.*_test).*\.go$/.test(file))
  .map((file) => read(join(GO, file)))
  .join('\n');
const between = (text: string, start: string, end: string) => text.split(start)[1]?.split(end)[0] ?? '';
const python = (file: string) => read(`packages/python/src/holdfast/${file}.py`);
const SPECIAL = ['String', 'GoString', 'Format'];

test('calls', () => {
  const classes = ['client', 'lists'].map((file) => read(`packages/client/src/${file}.ts`).split('\nexport class ')[1]);
  const client = classes.join('\n');
  const typescript = [
    ...names(client, /^ {2}(?:async |get )?([a-z]\w*)[<(]/gm).filter((name) => name !== 'constructor'),
    ...names(read('packages/client/src/holdfast.ts'), /^ {2}static (\w+)/gm),
  ];
  const methods = names(
    `${python('_sync')}${python('_client')}${python('_sync_calls').split('\nclass Calls')[1]}`,
    /^ {4}def ([a-z]\w*)/gm,
  );
  const exported = names(go, /^func \(c \*Client\) ([A-Z]\w*)/gm).filter((name) => !SPECIAL.includes(name));
  expect(sorted(columnsOf('Calls'))).toEqual(sorted([typescript, methods, [...exported, 'FromEnv']]));
});

test('options', () => {
  const options = between(read('packages/client/src/types.ts'), 'interface ReserveOptions {', '\n}');
  const parameters = between(python('_sync'), 'def reserve(', '-> Hold:');
  const fields = between(go, 'type Request struct {', '\n}');
  expect(sorted(columnsOf('Options'))).toEqual(
    sorted([
      names(options, /readonly (\w+)\?/g),
      names(parameters, /^ {8}(?!self)(\w+):/gm),
      names(fields, /^\t([A-Z]\w*) /gm),
    ]),
  );
});

test('errors', () => {
  const typescript = names(read('packages/client/src/errors.ts'), /^export class (\w+)/gm);
  const exported = names(go, /^(?:\t|var )?(Err[A-Z]\w*) +=/gm);
  expect(sorted(columnsOf('Errors'))).toEqual(
    sorted([typescript, names(python('errors'), /^class (\w+)/gm), [...exported, ...names(go, /^type (Error) /gm)]]),
  );
});
