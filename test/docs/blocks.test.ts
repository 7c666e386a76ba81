/** Blocks are found as a reader sees them. */
import { expect, test } from 'vitest';
import { blocksOf } from './blocks.ts';

test('a block has a language, a word and the number of its first line', () => {
  const page =
    'Text\n\n```sh background\ncurl a\n```\n\n- item\n\n  ```json output\n  {}\n    \n  ```\n\n```\nplain\n```\n';
  expect(blocksOf(page)).toEqual([
    { language: 'sh', word: 'background', content: 'curl a\n', line: 4 },
    { language: 'json', word: 'output', content: '{}\n  \n', line: 10 },
    { language: 'text', word: '', content: 'plain\n', line: 15 },
  ]);
});

test('words that the tests do not know are mistakes', () => {
  expect(() => blocksOf('```sh backgruond\n```\n')).toThrow(
    'the page, line 1: after ```sh write background, fails, excerpt or nothing, not backgruond',
  );
  expect(() => blocksOf('```bash\n```\n')).toThrow('the page, line 1: write ```sh in place of ```bash');
});
