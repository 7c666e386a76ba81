/**
 * Jenkins has labels that are single words; Holdfast has labels with a key and a value. A word `os:android` becomes
 * `os=android`, unless a resource has several words with this key: a resource has one value for each key. These, and
 * words without a colon, become keys with the value `yes`: `rooted=yes`, and `os/any=yes` for `os` beside `os:android`.
 */
import { isObject } from '../lab/file.ts';

/** The value of keys that need none. */
const YES = 'yes';
const KEY = /^[A-Za-z0-9._/-]{1,64}$/;
const MAX_VALUE = 128;

type Pair = readonly [key: string, value: string];

export const wordsOf = (labels: string): readonly string[] => [...new Set(labels.split(/\s+/).filter(Boolean))];

/** `os:android` has the key `os`. */
function partsOf(word: string): Pair | undefined {
  const [, key = '', value = ''] = /^([^:=]+)[:=](.+)$/s.exec(word) ?? [];
  return KEY.test(key) && [...value].length <= MAX_VALUE ? [key, value] : undefined;
}

const asKey = (word: string) =>
  word
    .replaceAll(':', '/')
    .replaceAll(/[^A-Za-z0-9._/-]/g, '-')
    .slice(0, 64);

const isKey = (word: string) => asKey(word) === word;

/** `C--`, `C---2`: a key that no other word has. */
function unused(key: string, taken: ReadonlySet<string>, n = 1): string {
  const name = n === 1 ? key : `${key}-${n}`;
  return taken.has(name) ? unused(key, taken, n + 1) : name;
}

/** The labels of a file: the same word means the same label for each resource, and no other word means it. */
export class Labels {
  readonly #pairs: ReadonlyMap<string, Pair>;

  /** @param resources the words of each resource */
  constructor(resources: readonly (readonly string[])[]) {
    /** Keys that a resource has several values for. */
    const several = new Set<string>();
    for (const words of resources) {
      const keys = words.flatMap((word) => partsOf(word)?.[0] ?? []);
      for (const [i, key] of keys.entries()) if (keys.indexOf(key) < i) several.add(key);
    }
    const all = [...new Set(resources.flat())];
    const pairs = new Map<string, Pair>();
    for (const word of all) {
      const parts = partsOf(word);
      if (parts !== undefined && !several.has(parts[0])) pairs.set(word, parts);
    }
    const taken = new Set([...pairs.values()].map(([key]) => key));
    // Words that are keys as they are come first: `C++` must not take the key of `C--`.
    const others = all.filter((word) => !pairs.has(word));
    for (const word of [...others.filter(isKey), ...others.filter((one) => !isKey(one))]) {
      const key = unused(taken.has(word) ? `${word}/any` : asKey(word), taken);
      taken.add(key);
      pairs.set(word, [key, YES]);
    }
    this.#pairs = pairs;
  }

  /** @returns the labels of a resource, and the words for which there is no room */
  labelsOf(words: readonly string[]): { labels: Record<string, string>; left: readonly string[] } {
    const pairs = words.slice(0, MAX_LABELS).flatMap((word) => {
      const pair = this.#pairs.get(word);
      return pair === undefined ? [] : [pair];
    });
    return { labels: Object.fromEntries(pairs), left: words.slice(MAX_LABELS) };
  }

  /** Each word with the text of the match that takes its place, by word: `os:android` → `os=android`. */
  get matches(): readonly (readonly [word: string, match: string])[] {
    return [...this.#pairs].map(([word, pair]) => [word, pair.join('=')] as const).sort();
  }
}

/** The fields of an object in a file of another tool. */
export type Fields = Readonly<Record<string, unknown>>;

export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

/** A value as text; '' if it is none. YAML reads some names as numbers. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value).trim() : '';

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** As a shell needs it. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** The rules of docs/specification.md#names-and-sizes. */
export const MAX_LABELS = 16;
export const MAX_CAPACITY = 100_000;

/** Why a name cannot be registered; undefined if it can. */
export function nameFault(name: string): string | undefined {
  if (name.includes('>')) return 'a name must not contain >';
  if ([...name].length > 256) return 'a name has at most 256 characters';
  return name === '.' || name === '..' ? 'a name must not be . or ..' : undefined;
}
