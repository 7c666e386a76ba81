/**
 * The reference of the API on the site of the documentation: it has every operation, and its links lead somewhere.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEFAULT_INSTANCE, openapiDocument } from '../../src/http/openapi/openapi.ts';
import type { Document } from '../../src/http/reference/document.ts';
import { anchorOf, escapeHtml } from '../../src/http/reference/html.ts';
import { RULES } from '../../src/http/reference/rules.ts';
import { siteOf } from '../../src/http/reference/site.ts';

const document = openapiDocument(DEFAULT_INSTANCE) as Document;
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const pages = siteOf({ document, keysPage: null, folder: 'api', hasDocuments: true });
const specification = readFileSync('docs/specification.md', 'utf8');
const sections = new Set([...specification.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => anchorOf(title)));

test('each operation has one section, and is in the list of all calls', () => {
  for (const { summary } of operations) {
    const id = ` id="${anchorOf(summary)}"`;
    expect([summary, [...pages.values()].filter((html) => html.includes(id)).length]).toEqual([summary, 1]);
    expect(pages.get('')?.includes(`#${anchorOf(summary)}">${escapeHtml(summary)}</a>`)).toBe(true);
  }
});

test('each operation leads to its rules in the specification', () => {
  expect(Object.keys(RULES).sort()).toEqual(operations.map(({ operationId }) => operationId).sort());
  const anchors = [...pages.values()].flatMap((html) => [...html.matchAll(/href="[^"]*specification#([^"]*)"/g)]);
  expect(anchors.length).toBeGreaterThan(operations.length);
  expect(anchors.map(([, anchor = '']) => anchor).filter((anchor) => !sections.has(anchor))).toEqual([]);
});

test('its pages lead to each other, to documents beside them and to openapi.json', () => {
  const files = new Map([...pages].map(([slug, html]) => [slug === '' ? '/docs/api' : `/docs/api/${slug}`, html]));
  const broken = [...files].flatMap(([path, html]) =>
    [...html.matchAll(/href="([^"]+)"/g)].filter(([, href = '']) => {
      const { protocol, pathname, hash } = new URL(href, `http://site${path}`);
      if (protocol === 'data:' || /^\/docs\/(specification|openapi\.json|api\/reference\.css)$/.test(pathname))
        return false;
      return files.get(pathname)?.includes(hash === '' ? '<main>' : ` id="${hash.slice(1)}"`) !== true;
    }),
  );
  expect(broken.map(([href]) => href)).toEqual([]);
});
