/** TypeScript blocks: as modules with the client, type-checked and run. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import ts from 'typescript';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

/** Blocks that do not make a client of their own use this one. */
const CLIENT = `import { Holdfast } from '@holdfast/client';
const holdfast = new Holdfast({ url: process.env.HOLDFAST_URL ?? '', key: process.env.HOLDFAST_KEY ?? '' });
`;

/** The block as a module. */
export const moduleOf = (content: string): string =>
  /from '@holdfast\/client/.test(content) ? content : `${CLIENT}${content}\nexport {};\n`;

/** Type-checks modules, as strictly as this project. @returns the errors, each with the module's name and text */
export function typeErrors(modules: ReadonlyMap<string, string>): string[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, ROOT);
  const files = new Map([...modules].map(([name, text]) => [join(ROOT, 'test/docs', `${name}.ts`), text]));
  const compiler = {
    ...options,
    noUnusedLocals: false,
    noUnusedParameters: false,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.es2024.string.d.ts'],
  };
  const host = ts.createCompilerHost(compiler);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.readFile = (file) => files.get(file) ?? readFile(file);
  host.getSourceFile = (file, ...rest) => {
    const text = files.get(file);
    return text === undefined
      ? getSourceFile(file, ...rest)
      : ts.createSourceFile(file, text, {
          languageVersion: ts.ScriptTarget.ES2023,
          impliedNodeFormat: ts.ModuleKind.ESNext,
        });
  };
  const program = ts.createProgram([...files.keys(), join(ROOT, 'test/docs/declared.d.ts')], compiler, host);
  return ts
    .getPreEmitDiagnostics(program)
    .filter(({ file }) => file === undefined || files.has(file.fileName))
    .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
}

/** Runs a module to its end. @returns what it printed to stdout */
export async function runModule(text: string, folder: string, env: Readonly<Record<string, string>>): Promise<string> {
  const file = join(folder, '.example.ts');
  writeFileSync(file, text);
  await build({
    entryPoints: [file],
    outfile: join(folder, '.example.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    alias: {
      '@holdfast/client': join(ROOT, 'packages/client/src/index.ts'),
      '@holdfast/client/ci': join(ROOT, 'packages/client/src/ci/index.ts'),
      '@holdfast/client/testing': join(ROOT, 'packages/client/src/testing/index.ts'),
    },
    logLevel: 'silent',
  });
  const { stdout } = await run(process.execPath, ['.example.mjs'], {
    cwd: folder,
    env: { ...process.env, ...env },
    timeout: 60_000,
  });
  return stdout;
}

/** A shell that runs the blocks of a page one after the other, in an empty folder. Its variables stay. */

/** No block takes longer. */
const DEADLINE_MS = 60_000;

export interface Shell {
  readonly folder: string;
  /**
   * Runs commands to their end.
   * @param fails whether they must fail; they cannot set variables then
   * @returns what they printed to stdout
   * @throws if they fail, or do not fail, with what they printed to stderr
   */
  run(commands: string, fails?: boolean): Promise<string>;
  /** Starts commands that run until the shell closes. @returns reads what they have printed so far */
  start(commands: string): () => string;
  close(): Promise<void>;
}

export function openShell(env: Readonly<Record<string, string>>): Shell {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-page-'));
  const notes = mkdtempSync(join(tmpdir(), 'holdfast-notes-'));
  const { PATH = '', HOME = '' } = process.env;
  // A group of its own, so that closing it ends what it has started.
  const child = spawn('bash', ['-eu', '-o', 'pipefail'], {
    cwd: folder,
    env: { HOME, ...env, PATH: `${env.PATH ?? ''}:${PATH}` },
    detached: true,
  });
  const closed = once(child, 'close');
  let told = '';
  child.stdout.on('data', (text) => {
    told += text;
  });
  child.stdin.on('error', () => {}); // A failed block ends the shell.
  let count = 0;
  const write = (commands: string) => {
    count += 1;
    const file = join(notes, String(count));
    writeFileSync(file, commands);
    writeFileSync(`${file}.out`, '');
    writeFileSync(`${file}.err`, '');
    return { file, end: `end of ${count}\n`, read: (which: string) => readFileSync(`${file}.${which}`, 'utf8') };
  };
  return {
    folder,
    async run(commands, fails = false) {
      const { file, end, read } = write(commands);
      const source = fails ? `! bash -eu -o pipefail ${file}` : `. ${file}`;
      child.stdin.write(`{ ${source}; } > ${file}.out 2> ${file}.err < /dev/null\necho '${end.trim()}'\n`);
      await Promise.race([until(`the end of ${commands}`, () => told.endsWith(end), DEADLINE_MS), closed]);
      if (!told.endsWith(end))
        throw new Error(`${fails ? 'it did not fail' : 'it failed'}: ${commands}${read('out')}${read('err')}`);
      return read('out');
    },
    start(commands) {
      const { file, read } = write(commands);
      child.stdin.write(`{ . ${file}; } > ${file}.out 2>&1 < /dev/null &\n`);
      return () => read('out');
    },
    async close() {
      try {
        process.kill(-(child.pid ?? 0), 'SIGKILL');
      } catch {
        // It has ended.
      }
      await closed;
      for (const made of [folder, notes]) rmSync(made, { recursive: true, force: true });
    },
  };
}
