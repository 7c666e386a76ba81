/**
 * References to documents resolve: every cited document and heading exists in this repository.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const CODE = ['src', 'packages/client/src', 'lua', 'test', 'scripts', 'bench', 'k8s', 'deploy'];
const DOCUMENTS = ['README.md', 'packages/client/README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];
const TEXT = /\.(ts|tsx|lua|js|css|sql|ya?ml|cfg|example|md)$/;

const filesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && TEXT.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));

const documents = [...DOCUMENTS, ...filesIn('docs').filter((file) => file.endsWith('.md'))];
const files = [...CODE.flatMap(filesIn), ...documents, '.env.example'];
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** A heading's anchor, as GitHub makes it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

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

describe('references to documents', () => {
  test('name a heading that exists', () => {
    expect(files.flatMap(brokenCitations)).toEqual([]);
  });

  test('link to a heading that exists', () => {
    expect(documents.flatMap(brokenLinks)).toEqual([]);
  });

  test('name no document that is not in the repository', () => {
    const foreign = new RegExp(['decisions, section', '\\(interface,', 'interface\\.md', 'decisions\\.md'].join('|'));
    const self = 'test/docs.test.ts';
    expect(files.filter((file) => file !== self && foreign.test(read(file)))).toEqual([]);
  });
});
