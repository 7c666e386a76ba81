/**
 * References to documents resolve: every cited document and heading exists in this repository.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anchorOf } from '../../src/http/reference/html.ts';
import { documents, filesIn } from './documents.ts';

const ROOT = join(import.meta.dirname, '../..');
const CODE = ['src', 'packages/client/src', 'lua', 'test', 'scripts', 'bench', 'k8s', 'deploy'];

const files = [...CODE.flatMap(filesIn), ...documents, '.env.example'];
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** The anchors of a document; null if it does not exist. */
function anchorsOf(document: string): ReadonlySet<string> | null {
  if (!documents.includes(document)) return null;
  const prose = read(document).replace(/^```.*?^```/gms, '');
  return new Set([...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading)));
}

const isBroken = (document: string, anchor: string) => anchorsOf(document)?.has(anchor) !== true;

/** Comments wrap, so a list of anchors may continue behind the next line's comment mark. */
const unwrapped = (text: string) => text.replace(/,\n\s*(\*|--|\/\/|#)?\s*#/g, ', #');

/** Citations such as docs/specification.md#plans, #operations. */
function brokenCitations(file: string): string[] {
  return [...unwrapped(read(file)).matchAll(/\b(docs\/[\w/-]+\.md)((?:(?:, ?| and )?#[a-z0-9-]+)*)/g)].flatMap(
    ([, document = '', list = '']) => {
      if (!documents.includes(document)) return [`${file}: ${document}`];
      const anchors = [...list.matchAll(/#([a-z0-9-]+)/g)].map(([, anchor = '']) => anchor);
      return anchors.filter((anchor) => isBroken(document, anchor)).map((anchor) => `${file}: ${document}#${anchor}`);
    },
  );
}

/** Links of a document such as [Plans](#plans) or [which Redis](../README.md#which-redis). */
function brokenLinks(document: string): string[] {
  return [...read(document).matchAll(/\]\(([^)\s:]*?)#([^)\s]+)\)/g)]
    .filter(([, target = '', anchor = '']) =>
      isBroken(target === '' ? document : normalize(join(dirname(document), target)), anchor),
    )
    .map(([, target = '', anchor = '']) => `${document}: ${target}#${anchor}`);
}

/** Links to files, such as [an example](examples/crontab), and pictures. */
function missingFiles(document: string): string[] {
  const text = read(document)
    .replace(/^ *```.*?^ *```/gms, '')
    .replaceAll(/`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)|\b(?:src|srcset|href)="([^"#]+)[^"]*"/g)]
    .map(([, link, attribute]) => link ?? attribute ?? '')
    .filter((target) => !/^\w+:/.test(target) && !existsSync(join(ROOT, dirname(document), target)))
    .map((target) => `${document}: ${target}`);
}

/** Pages of the site that no page leads to. */
function unlisted(): string[] {
  const config = read('docs/.vitepress/config.ts');
  const named = new Set([...config.matchAll(/link: '\/([^']*)'/g)].map(([, link = '']) => link));
  return documents.filter((page) => !named.has(page.replace(/\.md$/, '').replace(/(^|\/)README$/, '$1')));
}

describe('references to documents', () => {
  test('name a heading that exists', () => {
    expect(files.flatMap(brokenCitations)).toEqual([]);
  });

  test('link to a heading that exists', () => {
    expect(documents.flatMap(brokenLinks)).toEqual([]);
  });

  test('link to a file that exists', () => {
    expect(documents.flatMap(missingFiles)).toEqual([]);
  });

  test('name no document that is not in the repository', () => {
    const foreign = new RegExp(['decisions, section', '\\(interface,', 'interface\\.md', 'decisions\\.md'].join('|'));
    const self = 'test/docs/links.test.ts';
    expect(files.filter((file) => file !== self && foreign.test(read(file)))).toEqual([]);
  });
});

test('documents and examples name the packed client of this version', () => {
  const { version } = JSON.parse(read('package.json'));
  const wrong = [...documents, ...filesIn('docs/examples')].flatMap((file) =>
    [...read(file).matchAll(/holdfast-client-(\d[\w.-]*?)\.tgz/g)]
      .filter(([, named]) => named !== version)
      .map(([name]) => `${file}: ${name}`),
  );
  expect(wrong).toEqual([]);
});

describe('the site', () => {
  test('lists every page', () => {
    expect(unlisted(), 'add these pages to the sidebar in docs/.vitepress/config.ts').toEqual([]);
  });

  test('lists every guide in docs/guides/README.md', () => {
    const list = read('docs/guides/README.md');
    const guides = documents.filter((page) => /^docs\/guides\/(?!README)/.test(page)).map((page) => basename(page));
    const missing = guides.filter((guide) => !new RegExp(`^\\|.*\\]\\(${guide}\\) \\|$`, 'm').test(list));
    expect(missing, 'add a row for these guides').toEqual([]);
  });
});
