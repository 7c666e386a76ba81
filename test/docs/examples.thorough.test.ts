/**
 * The code blocks of every page do what the page says: they run, in the order of the page, against a service of the
 * page's own, and print what stands below them. The header of blocks.ts has the rules.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BIN, holdfast } from '../support/commandLine.ts';
import { until } from '../support/until.ts';
import { type Block, blocksOf, isRun } from './blocks.ts';
import { documents, startFor, toolsEnv } from './pages.ts';
import { moduleOf, openShell, runModule, typeErrors } from './program.ts';
import { jsonDifference, textDifference } from './shape.ts';

const pages = documents.map((page) => ({ page, blocks: blocksOf(readFileSync(page, 'utf8'), page) }));

/** Readers have this repository in the folder holdfast. */
const EXAMPLES = join(import.meta.dirname, '../../docs/examples');

/** These lines start the service, which the tests have done. */
const DONE = /^(git clone|cd holdfast|npm ci|npm start|npm test|npm ci && npm (start|test))\b.*$/gm;

describe('every block of JSON', () => {
  test.each(
    pages
      .flatMap(({ page, blocks }) => blocks.map((block) => ({ ...block, place: `${page}:${block.line}` })))
      .filter(({ language, word }) => language === 'json' && word === ''),
  )('$place is valid', ({ content }) => {
    expect(() => JSON.parse(content)).not.toThrow();
  });
});

test('every block of TypeScript has the right types', () => {
  const modules = pages.flatMap(({ page, blocks }) =>
    blocks
      .filter(({ language, word }) => language === 'ts' && word !== 'excerpt')
      .map(({ content, line }) => [`${page.replaceAll(/[^\w]/g, '_')}_line${line}`, moduleOf(content)] as const),
  );
  expect(typeErrors(new Map(modules))).toEqual([]);
});

describe('the examples run', () => {
  // Several at a time: most of them wait for leases to end. Those with the most examples come first.
  const runs = ({ blocks }: { blocks: readonly Block[] }) => blocks.filter(isRun).length;
  test.concurrent.each(pages.filter((page) => runs(page) > 0).sort((one, other) => runs(other) - runs(one)))(
    '$page',
    async ({ page, blocks }) => {
      await holdfast(['--version']); // Builds it.
      const { service, env, stands = {}, stop } = await startFor(page);
      const address = service.url.slice('http://'.length);
      const variables = { KEY: service.key, HOLDFAST_URL: service.url, HOLDFAST_KEY: service.key, ...env };
      const tools = toolsEnv();
      const shell = openShell({ ...variables, ...tools, PATH: `${BIN}:${tools.PATH}` });
      const replaced = Object.entries({
        'localhost:8080': address,
        'hf_local_...': service.key,
        'holdfast/docs/examples': EXAMPLES,
        ...stands,
      });
      const real = (text: string) =>
        replaced.reduce((result, [shown, meant]) => result.replaceAll(shown, meant), text.replaceAll(DONE, ':'));
      const shown = (text: string) => text.replaceAll(service.tenant, 'local').replaceAll(address, 'localhost:8080');
      /** The output of the last command. */
      let printed = () => '';
      const play = async (block: Block): Promise<void> => {
        const { language, word, content } = block;
        if (word === 'output') return compare(block, () => shown(printed()));
        if (!isRun(block)) return;
        if (language === 'sh' && word === 'background') {
          printed = shell.start(real(content));
          return;
        }
        const result =
          language === 'ts'
            ? await runModule(moduleOf(real(content)), shell.folder, variables)
            : await shell.run(real(content), word === 'fails');
        printed = () => result;
      };
      try {
        for (const block of blocks)
          await play(block).catch((error: unknown) => {
            throw new Error(`${page}:${block.line}: ${error instanceof Error ? error.message : error}`);
          });
      } finally {
        await shell.close();
        await stop();
      }
    },
    240_000,
  );
});

/** Waits for what is shown: a command in the background may still be about to print it. */
async function compare({ language, content }: Block, printed: () => string): Promise<void> {
  const difference = () => {
    try {
      return (language === 'json' ? jsonDifference : textDifference)(content, printed());
    } catch (error) {
      return String(error);
    }
  };
  await until('the output', () => difference() === null).catch(() => {
    throw new Error(difference() ?? '');
  });
}
