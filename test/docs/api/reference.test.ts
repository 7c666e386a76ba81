/**
 * docs/api, the reference of the API, and that it describes every operation.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { referencePages } from '../../../scripts/apiReference/main.ts';
import { DEFAULT_INSTANCE, openapiDocument } from '../../../src/http/openapi.ts';
import type { Document } from '../../../src/http/reference/document.ts';
import { RULES } from '../../../src/http/reference/rules.ts';

const DOCS = join(import.meta.dirname, '../../../docs/api');
const document = openapiDocument(DEFAULT_INSTANCE) as Document;
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

test('docs/api is current; if not, run: npm run generate', () => {
  const pages = referencePages();
  for (const [file, text] of pages)
    expect([file, readFileSync(join(DOCS, file), 'utf8') === text]).toEqual([file, true]);
  const written = readdirSync(DOCS).filter((file) => file.endsWith('.md'));
  expect(written.sort()).toEqual([...pages.keys()].sort());
});

test('each operation has a section and is in the list of all calls', () => {
  const pages = [...referencePages()];
  const readme = referencePages().get('README.md');
  for (const { summary } of operations) {
    const sections = pages.filter(([, text]) => text.includes(`\n## ${summary}\n`));
    expect([summary, sections.length]).toEqual([summary, 1]);
    expect(readme).toContain(`[${summary}](`);
  }
});

test('each operation links to its rules', () => {
  expect(Object.keys(RULES).sort()).toEqual(operations.map(({ operationId }) => operationId).sort());
});
