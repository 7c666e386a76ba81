/** The parts of Node, Bun or Deno that the client of a CI job uses. */
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
