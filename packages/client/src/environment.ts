/** Finds the service and the key in environment variables, as the command line does. */
import { invalid } from './errors.ts';

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @param read reads a file as text
 * @returns the key. A key in a file is read for each request, so that it may be replaced meanwhile.
 * @throws HoldfastError INVALID_OPTION; what `read` throws
 */
export function keyIn(env: Environment, read: (file: string) => string): string | (() => string) {
  const { HOLDFAST_KEY: key = '', HOLDFAST_KEY_FILE: file = '' } = env;
  if (key !== '' && file !== '') throw invalid('HOLDFAST_KEY and HOLDFAST_KEY_FILE are both set: which one?');
  if (file === '') {
    if (key.trim() !== '') return key.trim();
    throw invalid(`HOLDFAST_KEY is ${key === '' ? 'not set' : 'blank'}: an API key`);
  }
  let last = read(file).trim();
  if (last === '') throw invalid(`HOLDFAST_KEY_FILE is blank: there is no key in ${file}`);
  return () => {
    try {
      last = read(file).trim() || last;
    } catch {
      // It is being replaced: the last key still counts.
    }
    return last;
  };
}

/** @throws HoldfastError INVALID_OPTION */
export function urlIn({ HOLDFAST_URL = '' }: Environment): string {
  if (HOLDFAST_URL !== '') return HOLDFAST_URL;
  throw invalid('HOLDFAST_URL is not set: where is the service? https://holdfast.example.com');
}

/** Of Node, Bun and Deno. Pages have none, or one without these, from their bundler. */
declare const process: { readonly env?: Environment; getBuiltinModule?(name: 'node:fs'): FileSystem } | undefined;

interface FileSystem {
  readFileSync(file: string, encoding: 'utf8'): string;
}

/** The service and the key of this process. @throws HoldfastError INVALID_OPTION */
export function serviceOfProcess(): { readonly url: string; readonly key: string | (() => string) } {
  const env = (typeof process === 'undefined' ? undefined : process.env) ?? {};
  return { url: urlIn(env), key: keyIn(env, readText) };
}

/** The library runs in browsers, so nothing imports `node:fs`. */
function readText(file: string): string {
  try {
    const files = process?.getBuiltinModule?.('node:fs');
    if (files !== undefined) return files.readFileSync(file, 'utf8');
  } catch (cause) {
    throw invalid(`HOLDFAST_KEY_FILE: ${file} cannot be read`, cause);
  }
  throw invalid('HOLDFAST_KEY_FILE: this runtime cannot read files');
}
