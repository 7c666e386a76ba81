/**
 * The documentation as a static site: `npm run docs` builds it in docs/.vitepress/dist. Its pages are the Markdown
 * files of the repository as they are, and its addresses are their paths. The reference of the API is written by the
 * renderer of /docs, from the OpenAPI document.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { defineConfig, type MarkdownRenderer } from 'vitepress';
import { repository } from '../../scripts/repository.ts';
import { DEFAULT_INSTANCE, openapiDocument } from '../../src/http/openapi/openapi.ts';
import type { Document } from '../../src/http/reference/document.ts';
import { anchorOf, STYLE } from '../../src/http/reference/html.ts';
import { siteOf } from '../../src/http/reference/site.ts';

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
  buildEnd: ({ outDir }) => writeReference(join(outDir, 'docs')),
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
    sidebar: [
      {
        text: 'Start',
        items: [
          { text: 'What Holdfast is', link: '/' },
          { text: 'Getting started', link: '/docs/getting-started' },
          { text: 'Questions and answers', link: '/docs/faq' },
          { text: 'Troubleshooting', link: '/docs/troubleshooting' },
        ],
      },
      {
        text: 'Concepts',
        items: [
          { text: 'Overview and glossary', link: '/docs/concepts/' },
          { text: 'Reservation', link: '/docs/concepts/reservation' },
          { text: 'Lease', link: '/docs/concepts/lease' },
          { text: 'Fencing token', link: '/docs/concepts/fencing' },
          { text: 'Pool', link: '/docs/concepts/pool' },
          { text: 'Tree', link: '/docs/concepts/tree' },
          { text: 'Blocker', link: '/docs/concepts/blocker' },
          { text: 'Queue', link: '/docs/concepts/queue' },
          { text: 'Session', link: '/docs/concepts/session' },
          { text: 'Event', link: '/docs/concepts/event' },
        ],
      },
      {
        text: 'Guides',
        items: [
          { text: 'All guides', link: '/docs/guides/' },
          { text: 'Replace redlock', link: '/docs/guides/replace-redlock' },
          { text: 'Share test devices', link: '/docs/guides/share-test-devices' },
          { text: 'Move from Jenkins', link: '/docs/guides/move-from-jenkins' },
          { text: 'Move from Boskos', link: '/docs/guides/move-from-boskos' },
          { text: 'Protect a deployment', link: '/docs/guides/protect-a-deployment' },
          { text: 'CI without secrets', link: '/docs/guides/ci' },
          { text: 'Elect a leader', link: '/docs/guides/leader-election' },
          { text: 'Limit the rate of jobs', link: '/docs/guides/limit-job-rates' },
          { text: 'Mirror state', link: '/docs/guides/mirror-state' },
          { text: 'React to changes with a webhook', link: '/docs/guides/webhooks' },
          { text: 'Tell Slack who has staging', link: '/docs/guides/tell-slack' },
          { text: 'Test your code', link: '/docs/guides/test-your-code' },
          { text: 'Let end users reserve', link: '/docs/guides/end-users' },
          { text: 'Reserve from Slack', link: '/docs/guides/reserve-from-slack' },
          { text: 'Any language', link: '/docs/guides/any-language' },
          { text: 'Coding agents', link: '/docs/guides/agents' },
          { text: 'Manage a tenant by program', link: '/docs/guides/automation' },
        ],
      },
      {
        text: 'Reference',
        items: [
          { text: 'API', link: '/docs/api', target: '_self' },
          { text: 'Client for TypeScript', link: '/packages/client/' },
          { text: 'Client for Python', link: '/packages/python/' },
          { text: 'Client for Go', link: '/packages/go/holdfast/' },
          { text: 'Command line', link: '/docs/command-line' },
          { text: 'Configuration', link: '/docs/configuration' },
          { text: 'Dashboard', link: '/docs/dashboard' },
          { text: 'Specification', link: '/docs/specification' },
        ],
      },
      {
        text: 'Operations',
        items: [
          { text: 'Overview', link: '/docs/operations/' },
          { text: 'Deploy', link: '/docs/operations/deploy' },
          { text: 'Kubernetes', link: '/docs/operations/kubernetes' },
          { text: 'Redis', link: '/docs/operations/redis' },
          { text: 'Database', link: '/docs/operations/database' },
          { text: 'Sign-in', link: '/docs/operations/sign-in' },
          { text: 'Sizing', link: '/docs/operations/sizing' },
          { text: 'Upgrade', link: '/docs/operations/upgrade' },
          { text: 'Backup and restore', link: '/docs/operations/backup' },
          { text: 'Overload', link: '/docs/operations/overload' },
          { text: 'Monitoring', link: '/docs/operations/monitoring' },
          {
            text: 'Runbook',
            link: '/docs/operations/runbook/',
            collapsed: true,
            items: [
              { text: 'HoldfastGone', link: '/docs/operations/runbook/HoldfastGone' },
              { text: 'HoldfastRedisDown', link: '/docs/operations/runbook/HoldfastRedisDown' },
              { text: 'HoldfastRedisMemory', link: '/docs/operations/runbook/HoldfastRedisMemory' },
              { text: 'HoldfastDatabaseDown', link: '/docs/operations/runbook/HoldfastDatabaseDown' },
              { text: 'HoldfastErrors', link: '/docs/operations/runbook/HoldfastErrors' },
              { text: 'HoldfastSlow', link: '/docs/operations/runbook/HoldfastSlow' },
              { text: 'HoldfastOverloaded', link: '/docs/operations/runbook/HoldfastOverloaded' },
              { text: 'HoldfastScriptsSlow', link: '/docs/operations/runbook/HoldfastScriptsSlow' },
              { text: 'HoldfastSweepLate', link: '/docs/operations/runbook/HoldfastSweepLate' },
              { text: 'HoldfastQueueStuck', link: '/docs/operations/runbook/HoldfastQueueStuck' },
              { text: 'HoldfastJobsFail', link: '/docs/operations/runbook/HoldfastJobsFail' },
              { text: 'HoldfastHistoryLate', link: '/docs/operations/runbook/HoldfastHistoryLate' },
              { text: 'HoldfastNoticesLate', link: '/docs/operations/runbook/HoldfastNoticesLate' },
              { text: 'HoldfastAuditLost', link: '/docs/operations/runbook/HoldfastAuditLost' },
              { text: 'HoldfastStreamsLost', link: '/docs/operations/runbook/HoldfastStreamsLost' },
              { text: 'HoldfastSlowReaders', link: '/docs/operations/runbook/HoldfastSlowReaders' },
              { text: 'HoldfastTenantsLimited', link: '/docs/operations/runbook/HoldfastTenantsLimited' },
              { text: 'HoldfastTenantFull', link: '/docs/operations/runbook/HoldfastTenantFull' },
              { text: 'HoldfastKeysGuessed', link: '/docs/operations/runbook/HoldfastKeysGuessed' },
              { text: 'HoldfastIssuersUnreachable', link: '/docs/operations/runbook/HoldfastIssuersUnreachable' },
              { text: 'HoldfastEventLoopLate', link: '/docs/operations/runbook/HoldfastEventLoopLate' },
            ],
          },
        ],
      },
      {
        text: 'More',
        items: [
          { text: 'Security', link: '/docs/security' },
          { text: 'Faults', link: '/docs/faults' },
          {
            text: 'Performance',
            link: '/docs/performance',
            collapsed: true,
            items: [
              { text: 'Results of 26 November 2026', link: '/docs/performance/2026-11-26' },
              { text: 'Results of 23 November 2026', link: '/docs/performance/2026-11-23' },
              { text: 'How cost grows', link: '/docs/performance/2026-11-21' },
              { text: 'Decisions about speed', link: '/docs/decisions/speed' },
            ],
          },
          { text: 'Changes', link: '/CHANGELOG' },
          { text: 'Contribute', link: '/CONTRIBUTING' },
          { text: 'Report a vulnerability', link: '/SECURITY' },
          { text: 'Code of conduct', link: '/CODE_OF_CONDUCT' },
        ],
      },
    ],
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
