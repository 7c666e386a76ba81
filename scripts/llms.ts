/**
 * llms.txt: the list of the documentation for language models, in the form of https://llmstxt.org. Its pages are those
 * of the site's sidebar, its notes their first sentences. `npm run generate` writes it; the site has it, too.
 */
import { readFileSync } from 'node:fs';
import { SIDEBAR } from '../docs/.vitepress/sidebar.ts';

const ROOT = new URL('..', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, ROOT), 'utf8');

type Page = (typeof SIDEBAR)[number]['items'][number];

/** The sections that a model may skip: the format has this name for them. */
const OPTIONAL = 'Optional';

/** Returns the file of a page, as a path from the root. The reference of the API is made from openapi.json. */
function fileOf({ link }: Page): string {
  if (link === '/docs/api') return 'docs/openapi.json';
  return `${link.slice(1).replace(/(^|\/)$/, '$1README')}.md`;
}

/** Returns the first sentence of a page, without links and marks; empty: it begins with something else. */
function firstSentence(file: string): string {
  if (!file.endsWith('.md')) return 'Every call with its fields, examples and errors, as OpenAPI 3.1.';
  const [, paragraph = ''] = /^# .*\n+(?=[A-Z])((?:.+\n)+)/m.exec(read(file)) ?? [];
  const text = paragraph.replaceAll('\n', ' ').replaceAll(/!?\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])/g, '$1');
  const [sentence = ''] = /^.*?(?:\.(?= |$)|:$)/.exec(text.trim()) ?? [];
  return sentence.replace(/:$/, '.');
}

/** The lists, by their headings. Pages below another page, and what is neither use nor operation, are optional. */
function sections(): ReadonlyMap<string, readonly Page[]> {
  const optional = SIDEBAR.flatMap(({ text, items }) =>
    text === 'More' ? items : items.flatMap((page) => page.items ?? []),
  );
  const nested = optional.flatMap((page) => [page, ...(page.items ?? [])]);
  const main = SIDEBAR.filter(({ text }) => text !== 'More').map(({ text, items }) => [text, items] as const);
  return new Map([...main, [OPTIONAL, nested]]);
}

/** Returns the files that llms.txt links to, as paths from the root of the repository. */
export function llmsPages(): readonly string[] {
  return [...sections().values()].flatMap((pages) => pages.map(fileOf));
}

/** Returns the text of llms.txt. Its links are relative: they hold in the repository and on the site. */
export function llmsText(): string {
  const lists = [...sections()].map(([heading, pages]) => {
    const lines = pages.map((page) => {
      const file = fileOf(page);
      const note = firstSentence(file);
      return `- [${page.text}](${file})${note === '' ? '' : `: ${note}`}`;
    });
    return `## ${heading}\n\n${lines.join('\n')}\n`;
  });
  return `# Holdfast

> ${firstSentence('README.md')}

Programs call it over HTTP with a key, by a client, or by the command \`holdfast\`. Each holder needs a requester that is
unique to it, and a lease. The specification is the contract: where pages differ, it counts.

${lists.join('\n')}`;
}
