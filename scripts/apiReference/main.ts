/**
 * Writes docs/api: the reference of the API, from the OpenAPI document. Part of `npm run generate`; a test fails if a
 * page is not current.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { DEFAULT_INSTANCE, openapiDocument } from '../../src/http/openapi.ts';
import { type Block, table } from '../../src/http/reference/blocks.ts';
import type { Document } from '../../src/http/reference/document.ts';
import { overview, pagesOf } from '../../src/http/reference/pages.ts';
import { toMarkdown } from './markdown.ts';

const DOCS = new URL('../../docs/api/', import.meta.url);

const ERRORS: readonly Block[] = [
  table(
    ['status', 'codes', 'what to do'],
    [
      ['400', '`MALFORMED_REQUEST`, `UNKNOWN_FIELD`', 'Correct the field that the text names. Nothing was done.'],
      [
        '400',
        '`REFUSED`',
        'The request contradicts the present state or a rule of the tenant. The text says how. Nothing was done.',
      ],
      ['401', '`UNAUTHENTICATED`', 'Send a valid key, token or session.'],
      ['403', '`FORBIDDEN`', 'Use a credential that [may make this call](../permissions.md). Nothing was done.'],
      ['403', '`UPGRADE_REQUIRED`', 'The tier does not have it.'],
      [
        '403',
        '`INVALID_RELEASE_TOKEN`',
        'An item has a wrong or missing release token. The body is the array of results; the other items were carried out.',
      ],
      ['404', '`PATH_NOT_FOUND`', 'Correct the path: the text may suggest one. Percent-encode [names](#base-address).'],
      ['404', '`NOT_REGISTERED`, `NOT_FOUND`', 'There is no such thing.'],
      ['405', '`METHOD_NOT_ALLOWED`', 'Use a method of the header `Allow`.'],
      ['408', '`BODY_TIMEOUT`', 'Send the body faster, or a smaller one.'],
      ['409', '`IDEMPOTENCY_MISMATCH`', 'Another request was sent with this `Idempotency-Key`. Send a new key.'],
      ['409', '`REQUEST_RUNNING`', 'Repeat the request after `Retry-After` seconds.'],
      ['409', '`RESPONSE_NOT_KEPT`', 'Look at the state: the request was carried out, and its response is lost.'],
      ['413', '`BODY_TOO_LARGE`', 'Send fewer items at a time.'],
      ['415', '`UNSUPPORTED_MEDIA_TYPE`', 'Send `Content-Type: application/json`.'],
      [
        '429',
        '`LIMIT_REACHED`',
        'Wait for `Retry-After` seconds. `limitType` says [which limit](../specification.md#limit-types). A text with “can never fit”: send fewer items.',
      ],
      ['500', '`INTERNAL`', 'A fault of the service. Report it with its `X-Request-Id`.'],
      ['503', '`UNAVAILABLE`', 'Repeat the request, [safely](#safe-repeats): it may have been carried out.'],
      ['503', '`OVERLOADED`', 'Repeat the request after `Retry-After` seconds. Nothing was done.'],
      ['503', '`NOT_CONFIGURED`', 'Do not repeat it: the service has no database, or no JWT issuers.'],
    ],
  ),
];

/** The pages, by the names of their files. */
export function referencePages(): ReadonlyMap<string, string> {
  const document = openapiDocument(DEFAULT_INSTANCE) as Document;
  const readme = readFileSync(new URL('readme.template.md', import.meta.url), 'utf8')
    .replace('<!-- errors -->\n', () => toMarkdown(ERRORS))
    .replace('<!-- calls -->\n', () => toMarkdown(overview(document)));
  const pages = pagesOf(document).map(({ slug, blocks }) => [`${slug}.md`, toMarkdown(blocks)] as const);
  return new Map([['README.md', readme], ...pages]);
}

if (process.argv[1] === import.meta.filename) {
  mkdirSync(DOCS, { recursive: true });
  for (const [file, text] of referencePages()) writeFileSync(new URL(file, DOCS), text);
}
