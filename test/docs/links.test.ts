/**
 * References to documents resolve: every cited document and heading exists in this repository.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withErrorTable } from '../../scripts/errorTable.ts';
import { FAILURE_CODES } from '../../src/domain/errors.ts';
import { DEFAULT_INSTANCE, openapiDocument } from '../../src/http/openapi/openapi.ts';
import type { Document } from '../../src/http/reference/document.ts';
import { anchorOf, escapeHtml } from '../../src/http/reference/html.ts';
import { RULES } from '../../src/http/reference/rules.ts';
import { siteOf } from '../../src/http/reference/site.ts';
import { blocksOf } from './blocks.ts';
import { documents, filesIn } from './pages.ts';
import { jsonDifference, textDifference } from './shape.ts';

const ROOT = join(import.meta.dirname, '../..');
const CODE = ['src', 'packages/client/src', 'lua', 'test', 'scripts', 'bench', 'k8s', 'deploy'];

const files = [...CODE.flatMap(filesIn), ...documents, '.env.example'];
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** The anchors of each document. */
const anchors = new Map(
  documents.map((document) => {
    const prose = read(document).replace(/^```.*?^```/gms, '');
    return [document, new Set([...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading)))];
  }),
);

const isBroken = (document: string, anchor: string) => anchors.get(document)?.has(anchor) !== true;

/** Comments wrap, so a list of anchors may continue behind the next line's comment mark. */
const unwrapped = (text: string) => text.replace(/,\n\s*(\*|--|\/\/|#)?\s*#/g, ', #');

/** Citations such as docs/specification.md#plans, #operations. */
function brokenCitations(file: string): string[] {
  return [...unwrapped(read(file)).matchAll(/\b(docs\/[\w/-]+\.md)((?:(?:, ?| and )?#[a-z0-9-]+)*)/g)].flatMap(
    ([, document = '', list = '']) => {
      if (!documents.includes(document)) return [`${file}: ${document}`];
      const cited = [...list.matchAll(/#([a-z0-9-]+)/g)].map(([, anchor = '']) => anchor);
      return cited.filter((anchor) => isBroken(document, anchor)).map((anchor) => `${file}: ${document}#${anchor}`);
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
  const config = read('docs/.vitepress/sidebar.ts');
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
  const { version } = JSON.parse(read('packages/client/package.json'));
  const wrong = [...documents, ...filesIn('docs/examples')].flatMap((file) =>
    [...read(file).matchAll(/(?:holdfast-client-|github-action@v|holdfast@v?)(\d+\.\d+\.\d+)/g)]
      .filter(([, named]) => named !== version)
      .map(([name]) => `${file}: ${name}`),
  );
  expect(wrong).toEqual([]);
});

describe('the site', () => {
  test('lists every page', () => {
    expect(unlisted(), 'add these pages to docs/.vitepress/sidebar.ts').toEqual([]);
  });

  test('lists every guide in docs/guides/README.md', () => {
    const list = read('docs/guides/README.md');
    const guides = documents.filter((page) => /^docs\/guides\/(?!README)/.test(page)).map((page) => basename(page));
    const missing = guides.filter((guide) => !new RegExp(`^\\|.*\\]\\(${guide}\\) \\|$`, 'm').test(list));
    expect(missing, 'add a row for these guides').toEqual([]);
  });
});

/** The README stays short, and begins with what people and tools look for. */

const README = readFileSync('README.md', 'utf8');

test('has at most 150 lines', () => {
  expect(README.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});

test('begins with the two commands that run it and test it', () => {
  const [first] = blocksOf(README);
  expect(first?.content.split('\n').map((line) => line.replace(/ +#.*/, ''))).toEqual([
    'npm ci && npm start',
    'npm ci && npm test',
    '',
  ]);
});

test('shows the overview before anything else', () => {
  expect(README.indexOf('docs/pictures/overview.svg')).toBeLessThan(README.indexOf('## '));
});

/** docs/specification.md#errors has every code of the service. */

const page = readFileSync('docs/specification.md', 'utf8');

test('the table of errors is current; if not, run: npm run generate', () => {
  expect(withErrorTable(page) === page).toBe(true);
  expect(FAILURE_CODES.filter((code) => !page.includes(`| \`${code}\` |`))).toEqual([]);
});

/** docs/specification.md#item-statuses has every status and explanation that a reserve item can get. */

const PAGE = readFileSync('docs/specification.md', 'utf8');

/** A text in Lua that begins with a status, and what is appended to it in the same line. */
const EXPLANATION =
  /(['"])((?:NOT_VALID|NOT_AVAILABLE|ALREADY_HELD)(?:(?!\1).)*)\1((?: \.\. (?:'[^']*'|[\w.]+(?:\([^)]*\))?))*)/g;

/** The texts of a script that stay the same, such as `NOT_VALID: %s has %d slots`, with % in place of what varies. */
const explanationsIn = (source: string): readonly string[] =>
  [...source.matchAll(EXPLANATION)].map(([, , start = '', rest = '']) =>
    (start + rest.replaceAll(/ \.\. (?:'([^']*)'|[\w.]+(?:\([^)]*\))?)/g, (_, text) => text ?? '%')).replaceAll(
      /%(\.0f|\w)?/g,
      '%',
    ),
  );

const explanations = [...new Set(filesIn('lua').flatMap((file) => explanationsIn(readFileSync(file, 'utf8'))))].sort();

describe('the table of statuses has', () => {
  test.each(explanations)('%s', (explanation) => {
    const pieces = explanation.split('%').map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    expect(PAGE).toMatch(new RegExp(`\`${pieces.join('[^`]+')}`));
  });
});

/**
 * The reference of the API on the site of the documentation: it has every operation, and its links lead somewhere.
 */

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
  const rules = [...pages.values()].flatMap((html) => [...html.matchAll(/href="[^"]*specification#([^"]*)"/g)]);
  expect(rules.length).toBeGreaterThan(operations.length);
  expect(rules.map(([, anchor = '']) => anchor).filter((anchor) => !sections.has(anchor))).toEqual([]);
});

test('an example of a response without a body says so', () => {
  const [section = ''] = /<h2 id="end-a-token".*?(?=<h2|$)/s.exec([...pages.values()].join('')) ?? [];
  expect(section).toContain('-H &quot;X-Api-Key: $DERIVED_TOKEN&quot;');
  expect(section).toContain('The response has no body.');
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

/** Examples are compared by shape. */

describe('JSON', () => {
  test.each([
    ['{"a":1,"b":"x"}', '{"a":2,"b":"x"}'],
    ['{"at":"2026-01-31T12:01:00.000Z"}', '{"at":"2027-11-01T02:03:04.567Z"}'],
    ['{"id":"05b2bb2c-34c7-4729-9651-f53e4666132e"}', '{"id":"15b2bb2c-34c7-7729-9651-f53e46661320"}'],
    ['{"a":1, ...}', '{"a":1,"b":2}'],
    ['[{"a":1}, ...]', '[{"a":1},{"b":1}]'],
    ['{"a":"one ... two"}', '{"a":"one or two"}'],
  ])('%s may stand for %s', (shown, printed) => {
    expect(jsonDifference(shown, printed)).toBe(null);
  });

  test.each([
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":"x"}', '{"a":"y"}'],
    ['{"a":1}', '{"a":1,"b":2}'],
    ['{"a":1,"b":null, ...}', '{"a":1,"c":2}'],
    ['[1]', '[1,2]'],
    ['{"a":true}', '{"a":false}'],
    ['{"a":null}', '{"a":"x"}'],
  ])('%s may not stand for %s', (shown, printed) => {
    expect(jsonDifference(shown, printed)).not.toBe(null);
  });
});

test('text is compared without what differs from run to run', () => {
  expect(
    textDifference('held until 2026-01-31T12:01:00Z ... end', 'held until 2027-01-31T12:01:00Z by\nme end\n'),
  ).toBe(null);
  expect(textDifference('NAME    FOR\nbuild-7-4711-jratyybd    29s', 'NAME  FOR\nvm-9-a2cdefgh  1m5s')).toBe(null);
  expect(textDifference('2 ahead', '3 ahead')).not.toBe(null);
});

/** Blocks are found as a reader sees them. */

test('a block has a language, a word and the number of its first line', () => {
  const page =
    'Text\n\n```sh background\ncurl a\n```\n\n- item\n\n  ```json output\n  {}\n    \n  ```\n\n```\nplain\n```\n';
  expect(blocksOf(page)).toEqual([
    { language: 'sh', word: 'background', title: '', content: 'curl a\n', line: 4 },
    { language: 'json', word: 'output', title: '', content: '{}\n  \n', line: 10 },
    { language: 'text', word: '', title: '', content: 'plain\n', line: 15 },
  ]);
});

test('a title makes a block a tab', () => {
  const page = '```ts [TypeScript]\na\n```\n\n```python check [Python]\nb\n```\n';
  expect(blocksOf(page)).toEqual([
    { language: 'ts', word: '', title: 'TypeScript', content: 'a\n', line: 2 },
    { language: 'python', word: 'check', title: 'Python', content: 'b\n', line: 6 },
  ]);
});

test('words that the tests do not know are mistakes', () => {
  expect(() => blocksOf('```sh backgruond\n```\n')).toThrow(
    'the page, line 1: after ```sh write background, fails, excerpt or nothing, not backgruond',
  );
  expect(() => blocksOf('```bash\n```\n')).toThrow('the page, line 1: write ```sh in place of ```bash');
});
