/**
 * The code blocks of every page do what the page says: they run, in the order of the page, against a service of the
 * page's own, and print what stands below them. The header of blocks.ts has the rules.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BIN, holdfast } from '../support/commandLine.ts';
import { python } from '../support/languages.ts';
import { installedPython } from '../support/python.ts';
import { until } from '../support/until.ts';
import { type Block, blocksOf, isRun } from './blocks.ts';
import { goErrors, goProgram, runGo } from './go.ts';
import { documents, startFor, toolsEnv } from './pages.ts';
import { moduleOf, openShell, runModule, typeErrors } from './program.ts';
import { pythonModule, pythonTypeErrors, runPython } from './python.ts';
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

// Beside the examples, which mostly wait.
describe.concurrent('every block has the right types', () => {
  const modulesOf = (wanted: string, moduleOf: (content: string) => string) => {
    const modules = pages.flatMap(({ page, blocks }) =>
      blocks
        .filter(({ language, word }) => language === wanted && word !== 'excerpt')
        .map(({ content, line }) => [`${page.replaceAll(/[^\w]/g, '_')}_line${line}`, moduleOf(content)] as const),
    );
    return new Map(modules);
  };

  test('TypeScript', () => {
    expect(typeErrors(modulesOf('ts', moduleOf))).toEqual([]);
  });

  test('Python', async () => {
    expect(await pythonTypeErrors(modulesOf('python', pythonModule))).toBe('');
  });

  test('Go', async () => {
    expect(await goErrors(modulesOf('go', goProgram))).toBe('');
  });
});

describe.concurrent('the examples run', () => {
  // Several at a time: most of them wait for leases to end. Those with the most examples come first.
  const runs = ({ blocks }: { blocks: readonly Block[] }) => blocks.filter(isRun).length;
  test.each(pages.filter((page) => runs(page) > 0).sort((one, other) => runs(other) - runs(one)))(
    '$page',
    async ({ page, blocks }) => {
      await holdfast(['--version']); // Builds it.
      const { service, env, stands = {}, stop } = await startFor(page);
      const address = service.url.slice('http://'.length);
      const variables = {
        KEY: service.key,
        HOLDFAST_URL: service.url,
        HOLDFAST_KEY: service.key,
        PYTHONPATH: installedPython(),
        ...env,
      };
      const tools = toolsEnv();
      const shell = openShell({ ...variables, ...tools, PATH: `${BIN}:${dirname(python.path())}:${tools.PATH}` });
      const replaced = Object.entries({
        'localhost:8080': address,
        'hf_local_...': service.key,
        'holdfast/docs/examples': EXAMPLES,
        ...stands,
      });
      const real = (text: string) =>
        replaced.reduce((result, [shown, meant]) => result.replaceAll(shown, meant), text.replaceAll(DONE, ':'));
      const shown = (text: string) => text.replaceAll(service.tenant, 'local').replaceAll(address, 'localhost:8080');
      const run = (language: string, word: string, text: string): Promise<string> => {
        if (language === 'ts') return runModule(moduleOf(text), shell.folder, variables);
        if (language === 'python') return runPython(pythonModule(text), shell.folder, variables);
        if (language === 'go') return runGo(goProgram(text), shell.folder, variables);
        return shell.run(text, word === 'fails');
      };
      /** What the last command printed, or the last programs in tabs, by the titles of these. */
      let printed = new Map<string, () => string>([['', () => '']]);
      const play = async (block: Block): Promise<void> => {
        const { language, word, title, content } = block;
        if (word === 'output') {
          for (const output of printed.values()) await compare(block, () => shown(output()));
          return;
        }
        if (!isRun(block)) return;
        if (title === '' || printed.has('') || printed.has(title)) printed = new Map();
        if (language === 'sh' && word === 'background') {
          printed.set(title, shell.start(real(content)));
          return;
        }
        const result = await run(language, word, real(content));
        printed.set(title, () => result);
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
