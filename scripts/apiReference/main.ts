/**
 * Writes docs/api: the reference of the API, from the OpenAPI document. Part of `npm run generate`; a test fails if a
 * page is not current.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { DEFAULT_INSTANCE, openapiDocument } from '../../src/http/openapi.ts';
import type { Document } from '../../src/http/reference/document.ts';
import { errorBlocks } from '../../src/http/reference/errors.ts';
import { examples } from '../../src/http/reference/examples.ts';
import { overview, pagesOf } from '../../src/http/reference/pages.ts';
import { DOCUMENTED_ORIGIN } from '../../src/http/reference/requests.ts';
import { toMarkdown } from './markdown.ts';

const DOCS = new URL('../../docs/api/', import.meta.url);

/** The pages, by the names of their files. */
export function referencePages(): ReadonlyMap<string, string> {
  const document = openapiDocument(DEFAULT_INSTANCE) as Document;
  const readme = readFileSync(new URL('readme.template.md', import.meta.url), 'utf8')
    .replace('<!-- errors -->\n', () => toMarkdown(errorBlocks(examples)))
    .replace('<!-- calls -->\n', () => toMarkdown(overview(document)));
  const pages = pagesOf(document, examples, DOCUMENTED_ORIGIN).map(
    ({ slug, blocks }) => [`${slug}.md`, toMarkdown(blocks)] as const,
  );
  return new Map([['README.md', readme], ...pages]);
}

if (process.argv[1] === import.meta.filename) {
  mkdirSync(DOCS, { recursive: true });
  for (const [file, text] of referencePages()) writeFileSync(new URL(file, DOCS), text);
}
