/**
 * The documentation as a static site: `npm run docs` builds it in docs/.vitepress/dist. Its pages are the Markdown
 * files of the repository as they are, and its addresses are their paths. The reference of the API is written by the
 * renderer of /docs, from the OpenAPI document.
 */
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { defineConfig, type MarkdownRenderer } from 'vitepress';
import { llmsPages, llmsText } from '../../scripts/llms.ts';
import { repository } from '../../scripts/repository.ts';
import { DEFAULT_INSTANCE, openapiDocument } from '../../src/http/openapi/openapi.ts';
import type { Document } from '../../src/http/reference/document.ts';
import { anchorOf, STYLE } from '../../src/http/reference/html.ts';
import { siteOf } from '../../src/http/reference/site.ts';
import { SIDEBAR } from './sidebar.ts';

const ROOT = join(import.meta.dirname, '../..');
const SOURCES = `https://github.com/${repository()}/blob/main/`;

export default defineConfig({
  title: 'Holdfast',
  description: 'A lock and reservation service: locks, leases, pools, trees and fair queues over HTTP',
  srcDir: '..',
  srcExclude: ['node_modules/**', 'THIRD_PARTY.md', '**/dist/**', 'scripts/**'],
  rewrites: { 'README.md': 'index.md', ':folder(.*)/README.md': ':folder/index.md' },
  cleanUrls: true,
  lastUpdated: false,
  ignoreDeadLinks: [/^\/docs\/api$/],
  buildEnd: ({ outDir }) => {
    writeReference(join(outDir, 'docs'));
    writeForModels(outDir);
  },
  markdown: { anchor: { slugify: anchorOf }, config: addRules },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Start', link: '/docs/getting-started' },
      { text: 'Guides', link: '/docs/guides/' },
      { text: 'API', link: '/docs/api', target: '_self' },
      { text: 'Operations', link: '/docs/operations/' },
    ],
    sidebar: SIDEBAR,
  },
});

/** Writes the pages that an instance with a database shows at /docs. */
function writeReference(folder: string): void {
  const document = openapiDocument(DEFAULT_INSTANCE);
  const site = { document: document as Document, keysPage: null, folder: 'api', hasDocuments: true };
  mkdirSync(join(folder, 'api'), { recursive: true });
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
  for (const [slug, html] of siteOf(site)) write(slug === '' ? 'api.html' : `api/${slug}.html`, html);
  write('api/reference.css', STYLE);
  write('api/origin.js', '');
  write('openapi.json', JSON.stringify(document));
}

/** Writes llms.txt, and the pages that it lists as Markdown beside it. */
function writeForModels(folder: string): void {
  writeFileSync(join(folder, 'llms.txt'), llmsText());
  for (const page of llmsPages()) cpSync(join(ROOT, page), join(folder, page));
}

function addRules(markdown: MarkdownRenderer): void {
  linkSources(markdown);
  groupTabs(markdown);
}

/**
 * Links to openapi.json lead to the reference, those to other files that are no pages to the repository. README.md of a
 * folder is the folder's page.
 */
function linkSources(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('sources', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const [path = '', anchor] = (token.attrGet('href') ?? '').split('#');
      if (token.type !== 'link_open' || path === '' || /^\w+:/.test(path)) continue;
      const file = relative(ROOT, join(dirname(env.realPath ?? env.path), path));
      if (file === 'docs/openapi.json') {
        token.attrs = [
          ['href', '/docs/api'],
          ['target', '_self'],
        ];
        continue;
      }
      if (path.endsWith('.md') && file !== 'THIRD_PARTY.md') {
        const page = path.replace(/(^|\/)README\.md$/, '$1index.md');
        token.attrSet('href', anchor === undefined ? page : `${page}#${anchor}`);
      } else if (existsSync(join(ROOT, file))) {
        token.attrSet('href', SOURCES + file);
      }
    }
  });
}

/** Blocks of code with a title that follow each other become tabs: a code group, as `::: code-group` makes it. */
function groupTabs(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('tabs', (state) => {
    const isTab = (token?: { type: string; info: string }) => token?.type === 'fence' && /\[.+\]/.test(token.info);
    const edge = (which: 'open' | 'close', nesting: 1 | -1) =>
      new state.Token(`container_code-group_${which}`, 'div', nesting);
    state.tokens = state.tokens.flatMap((token, i, tokens) => [
      ...(isTab(token) && !isTab(tokens[i - 1]) ? [edge('open', 1)] : []),
      token,
      ...(isTab(token) && !isTab(tokens[i + 1]) ? [edge('close', -1)] : []),
    ]);
  });
}
