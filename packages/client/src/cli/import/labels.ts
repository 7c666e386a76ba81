/**
 * Jenkins has labels that are single words; Holdfast has labels with a key and a value. A word `os:android` becomes
 * `os=android`, unless a resource has several words with this key: a resource has one value for each key. These, and
 * words without a colon, become keys with the value `yes`.
 */
import { MAX_LABELS } from './found.ts';

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

/** The labels of all resources of a file: the same word means the same label for each of them. */
export class Labels {
  /** Keys that a resource has several values for. */
  readonly #several = new Set<string>();
  readonly #words = new Set<string>();

  /** @param resources the words of each resource */
  constructor(resources: readonly (readonly string[])[]) {
    for (const words of resources) {
      const keys = words.flatMap((word) => partsOf(word)?.[0] ?? []);
      for (const [i, key] of keys.entries()) if (keys.indexOf(key) < i) this.#several.add(key);
      for (const word of words) this.#words.add(word);
    }
    // `os` alone and `os:android` would be one key with two values.
    for (const word of this.#words) if (partsOf(word) === undefined) this.#several.add(asKey(word));
  }

  #pairOf(word: string): Pair {
    const parts = partsOf(word);
    return parts === undefined || this.#several.has(parts[0]) ? [asKey(word), YES] : parts;
  }

  /** @returns the labels of a resource, and the words for which there is no room */
  labelsOf(words: readonly string[]): { labels: Record<string, string>; left: readonly string[] } {
    const pairs = words.slice(0, MAX_LABELS).map((word) => this.#pairOf(word));
    return { labels: Object.fromEntries(pairs), left: words.slice(MAX_LABELS) };
  }

  /** Each word with the text of the match that takes its place: `os:android` → `os=android`. */
  get matches(): readonly (readonly [word: string, match: string])[] {
    return [...this.#words].map((word) => [word, this.#pairOf(word).join('=')] as const);
  }
}
