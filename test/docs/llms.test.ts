/** llms.txt, the list of the documentation for language models: https://llmstxt.org. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { llmsPages, llmsText } from '../../scripts/llms.ts';
import { documents } from './pages.ts';

test('llms.txt is current; if not, run: npm run generate', () => {
  expect(readFileSync('llms.txt', 'utf8') === llmsText()).toBe(true);
});

test('it lists each document once, as Markdown, and the description of the API', () => {
  expect([...llmsPages()].sort()).toEqual([...documents, 'docs/openapi.json'].sort());
  expect(llmsPages().filter((page) => !existsSync(page))).toEqual([]);
});

test('it has a title, a summary of one line, and lists of links with notes', () => {
  const [title, , summary, ...rest] = llmsText().split('\n');
  expect(title).toBe('# Holdfast');
  expect(summary).toMatch(/^> Holdfast is .*\.$/);
  const from = rest.findIndex((line) => line.startsWith('## '));
  const lists = rest.slice(from).filter((line) => line !== '');
  expect(lists.filter((line) => !/^## \w+$|^- \[[^\]]+\]\([\w./-]+\)(: [^[\]]+\.)?$/.test(line))).toEqual([]);
  expect(lists.filter((line) => line.startsWith('## ')).at(-1)).toBe('## Optional');
});
