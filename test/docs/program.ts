/** TypeScript blocks: as modules with the client, type-checked and run. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import ts from 'typescript';

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
