/**
 * The reference as pages: GET /docs and below on an instance, /docs/api and below on the site of the documentation.
 * Examples name the address of the instance, so that they can be pasted.
 */

import type { Document } from './document.ts';
import { errorBlocks } from './errors.ts';
import { examples } from './examples.ts';
import { type Address, type Block, code, escapeHtml, heading, list, table, text, toHtml } from './html.ts';
import { overview, pagesOf, type Titled, titlesOf } from './pages.ts';
import { curlOf, DOCUMENTED_ORIGIN, responseOf } from './requests.ts';

/** The part of an instance's configuration that the pages show. */
export interface Site {
  readonly document: Document;
  /** Where people find keys; null: nowhere. */
  readonly keysPage: string | null;
  /** The last part of the address of the overview, with the other pages below it. */
  readonly folder: string;
  /** True if the other documents of this repository are beside the pages. */
  readonly hasDocuments: boolean;
}

/** The pages by their names; that of the overview is empty. They name DOCUMENTED_ORIGIN. */
export function siteOf(site: Site): ReadonlyMap<string, string> {
  const { document, folder } = site;
  const titles = titlesOf(document);
  const pages = pagesOf(document, examples, DOCUMENTED_ORIGIN);
  const { session } = document.components.securitySchemes;
  const write = (blocks: readonly Block[], address: Address) =>
    toHtml(blocks, address).replaceAll('holdfast_session=', `${session?.name ?? 'holdfast_session'}=`);
  const first = [...introduction(site), ...overviewOf(document), ...errors()];
  const groups = pages.map(({ slug, title, blocks }) => {
    const html = write(blocks, addressFrom(slug, site));
    return [slug, pageOf(`${title} – Holdfast API`, html, { titles, slug, folder })] as const;
  });
  const top = pageOf('Holdfast API', write(first, addressFrom('', site)), { titles, slug: '', folder });
  return new Map([['', top], ...groups]);
}

/** @returns the address of a page, seen from another one */
const pathFrom = (from: string, to: string, folder: string): string =>
  to === '' ? `${from === '' ? '' : '../'}${folder}` : `${from === '' ? `${folder}/` : ''}${to}`;

const addressFrom =
  (from: string, { folder, hasDocuments }: Site): Address =>
  (href) => {
    if (href.startsWith('#') || href.startsWith('/')) return href;
    const [, up, file = '', anchor = ''] = /^(\.\.\/)?([a-z]+|README)\.md(#.*)?$/.exec(href) ?? [];
    if (up !== undefined) return hasDocuments ? `${from === '' ? '' : '../'}${file}${anchor}` : null;
    return file === '' ? null : `${pathFrom(from, file === 'README' ? '' : file, folder)}${anchor}`;
  };

function introduction({ keysPage, hasDocuments }: Site): Block[] {
  const [taken] = examples.reserve ?? [];
  const [asked] = examples.check ?? [];
  const [released] = examples.unreserve?.filter(({ title }) => title === 'Release a lock') ?? [];
  if (!taken || !asked || !released) throw new Error('an example of the introduction is missing');
  const lock = { resource: 'printer', requester: 'worker-1' };
  const release = { ...released, body: [{ ...lock, releaseToken: 'RELEASE_TOKEN' }] };
  const where =
    keysPage === null
      ? 'the one that was printed at the start or one of `API_KEYS`'
      : `from the [keys page of the dashboard](${keysPage})`;
  return [
    heading(1, 'Holdfast API'),
    text(
      'Reserve a resource, see who holds it, and release it: three calls to begin with. All examples can be pasted.',
    ),
    text(`**1.** Set \`KEY\` to an API key, ${where}. Then take a lock for 60 seconds:`),
    code('sh', `KEY=hf_...\n${curlOf({ ...taken, body: [{ ...lock, ttlSeconds: 60 }] }, DOCUMENTED_ORIGIN)}`),
    code('json', responseOf(taken)),
    text('**2.** Ask who holds it:'),
    code('sh', curlOf({ ...asked, body: [{ resource: 'printer' }] }, DOCUMENTED_ORIGIN)),
    text('**3.** Release it, with the `releaseToken` of the first response in place of `RELEASE_TOKEN`:'),
    code('sh', curlOf(release, DOCUMENTED_ORIGIN)),
    code('json', responseOf(released)),
    list([
      'In all examples, `$KEY` is an API key, `$DERIVED_TOKEN` a derived token, `$TOKEN` a management token, and `$SESSION` the value of the session cookie.',
      'Give each worker a `requester` of its own: the same requester gets the same lock again.',
      ...(hasDocuments ? [] : ['[Try calls out](/docs/try) in this browser, with Swagger UI.']),
      '[openapi.json](/openapi.json) describes the same API for generators of clients.',
    ]),
  ];
}

const overviewOf = (document: Document): Block[] => [heading(2, 'All calls'), ...overview(document)];

function errors(): Block[] {
  return [
    heading(2, 'Errors'),
    text('A 400 is a JSON string that names the item and the field. Any other error has a text and a `code`.'),
    ...errorBlocks(examples),
    heading(2, 'Headers'),
    table(
      ['header', 'meaning'],
      [
        ['`X-Api-Key`, or `Authorization: Bearer`', 'Your API key, or a token.'],
        ['`Idempotency-Key`', 'Of a request: makes it safe to repeat. Use a new UUID for each request.'],
        ['`X-Request-Id`', 'Of a response: names the request in the log.'],
        ['`RateLimit`, `RateLimit-Policy`', 'Of a response: what is left of the quota.'],
        ['`Retry-After`', 'Of a response: the seconds to wait before the next try.'],
      ],
    ),
  ];
}

interface Place {
  readonly titles: readonly Titled[];
  readonly slug: string;
  readonly folder: string;
}

function pageOf(title: string, main: string, { titles, slug, folder }: Place): string {
  const to = (other: string) => pathFrom(slug, other, folder);
  const links = [{ slug: '', title: 'Overview' }, ...titles].map(
    (one) => `<a href="${to(one.slug)}"${one.slug === slug ? ' aria-current="page"' : ''}>${escapeHtml(one.title)}</a>`,
  );
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${to('reference.css')}">
    <script src="${to('origin.js')}" defer></script>
  </head>
  <body>
    <nav aria-label="API">${links.join('\n')}</nav>
    <main>
${relative(main, slug === '')}
    </main>
  </body>
</html>
`;
}

/** Links to other parts of the service, such as /openapi.json, are relative: it may be served below a path. */
const relative = (html: string, isTop: boolean) => html.replaceAll(' href="/', ` href="${isTop ? '' : '../'}`);

/** Examples name the origin in an element of their own, so that the page can replace it. */
export const withOrigin = (page: string, origin: string): string =>
  page.replaceAll(DOCUMENTED_ORIGIN, `<span class="origin">${escapeHtml(origin)}</span>`);
