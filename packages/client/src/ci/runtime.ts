/**
 * The parts of Node, Bun or Deno that the client of a CI job uses: modules, the environment, and the log of the job.
 */
import type { Environment } from '../environment.ts';
import { invalid } from '../errors.ts';

interface Modules {
  'node:fs': {
    readFileSync(file: string, encoding: 'utf8'): string;
    writeSync(file: number, text: string): void;
  };
  'node:child_process': {
    execFile(
      file: string,
      args: readonly string[],
      options: { readonly timeout: number; readonly encoding: 'utf8' },
      done: (error: unknown, stdout: string, stderr: string) => void,
    ): {
      readonly stdin: { on(event: 'error', handle: () => void): void; end(text: string): void } | null;
    };
  };
}

declare const process:
  | { readonly env?: Environment; getBuiltinModule?<Name extends keyof Modules>(name: Name): Modules[Name] | undefined }
  | undefined;

/** @throws HoldfastError INVALID_OPTION: a page of a browser is no CI job */
export function builtin<Name extends keyof Modules>(name: Name): Modules[Name] {
  const module = typeof process === 'undefined' ? undefined : process.getBuiltinModule?.(name);
  if (module === undefined) throw invalid(`this runtime has no ${name}`);
  return module;
}

export const ownEnvironment = (): Environment => (typeof process === 'undefined' ? undefined : process.env) ?? {};

const TIMEOUT_MS = 5000;

/** Never fails: nothing here prints a secret anyway. */
export function mask(env: Environment, secret: string): void {
  try {
    // GitHub reads commands on stderr, too. stdout belongs to the results.
    if (env.GITHUB_ACTIONS === 'true') builtin('node:fs').writeSync(2, `::add-mask::${secret}\n`);
    else if (env.BUILDKITE === 'true') redact(secret);
  } catch {
    // stderr is closed.
  }
}

/** By stdin: other users see arguments in the list of processes. */
function redact(secret: string): void {
  const options = { timeout: TIMEOUT_MS, encoding: 'utf8' } as const;
  const { stdin } = builtin('node:child_process').execFile('buildkite-agent', ['redactor', 'add'], options, () => {});
  stdin?.on('error', () => {});
  stdin?.end(secret);
}
