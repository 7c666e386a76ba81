/** Python blocks: as modules with the client, type-checked and run. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { python } from '../support/languages.ts';
import { CACHE, PACKAGE } from '../support/python.ts';

const run = promisify(execFile);

/** Blocks that do not import the client use this one. */
const CLIENT = 'from holdfast import Holdfast\n\nclient = Holdfast.from_env()\n';

/** What examples need not have. With all other options as for the client itself, mypy reads the same cache. */
const RELAXED =
  '# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls, allow-any-generics, no-warn-return-any\n';

/** Of an earlier block of the leader election guide. */
const ELECT = 'from typing import Any\n\ndef elect(stop: Any, lead: Any) -> None: ...\n\n';

/** The block as a module. */
export function pythonModule(content: string): string {
  if (/^elect\(/m.test(content)) return `${ELECT}${content}`;
  return /from holdfast\b/.test(content) ? content : `${CLIENT}${content}`;
}

/** Type-checks modules. @returns the errors, each with the module's name; none if there are none */
export async function pythonTypeErrors(modules: ReadonlyMap<string, string>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-mypy-'));
  try {
    const files = [...modules].map(([name, text]) => {
      writeFileSync(join(folder, `${name}.py`), RELAXED + text);
      return `${name}.py`;
    });
    const env = { ...process.env, MYPYPATH: join(PACKAGE, 'src') };
    const options = [
      '-m',
      'mypy',
      '--strict',
      '--cache-dir',
      CACHE,
      '--no-error-summary',
      '--python-executable',
      python.path(),
    ];
    const { stdout } = await run(python.path(), [...options, ...files], { cwd: folder, env }).catch(
      (error: { stdout: string }) => error,
    );
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a module to its end. @returns what it printed to stdout */
export async function runPython(text: string, folder: string, env: Readonly<Record<string, string>>): Promise<string> {
  writeFileSync(join(folder, '.example.py'), text);
  const { stdout } = await run(python.path(), ['.example.py'], {
    cwd: folder,
    env: { ...process.env, ...env },
    timeout: 60_000,
  });
  return stdout;
}
