/**
 * Labels in one text: as people type them and as addresses have them (os=android, site=berlin; of a key with several
 * values, a resource must have one), and as words, where there is no room for their keys.
 */
import { PATH_DELIMITER } from '../../domain/names.ts';
import { refuseField } from '../form.ts';

export const labelsText = (labels: readonly string[]): string => labels.join(', ');

/**
 * Adds the keys that people leave out, since pages show values alone: `Berlin android` becomes `site=berlin,
 * os=android`. What is no value stays as it is.
 * @param labels key → its values
 */
export function withKeys(text: string, labels: ReadonlyMap<string, ReadonlyMap<string, unknown>>): string {
  const all = [...labels].flatMap(([key, values]) => [...values.keys()].map((value) => ({ key, value })));
  const find = (typed: string) => all.find(({ value }) => value.toLowerCase() === typed.toLowerCase());
  const labelOf = (typed: string): string | undefined => {
    const found = find(typed);
    return found && `${found.key}=${found.value}`;
  };
  return text
    .split(/[,·]/)
    .map((part) => part.trim())
    .flatMap((part) =>
      part.includes('=') ? [part] : (labelOf(part) ?? part.split(/\s+/).map((word) => labelOf(word) ?? word)),
    )
    .join(', ');
}

/** @throws HoldfastError refused if a part of the text is no label */
export function parseLabels(text: string): Record<string, string[]> {
  const all = new Map<string, string[]>();
  for (const part of text.split(',').map((one) => one.trim())) {
    const [key = '', ...value] = part.split('=');
    if (key === '' || value.length === 0) refuseField('match', 'write labels as os=android, site=berlin');
    all.set(key, [...(all.get(key) ?? []), value.join('=')]);
  }
  return Object.fromEntries(all);
}

/** The path of a group, as people read and type it: `lab > phones`. */
export const pathText = (path: string): string => path.replaceAll(PATH_DELIMITER, ' > ');

const YES = /^(yes|true|)$/i;
const NO = /^(no|false)$/i;

/** The value of each label; of one without a value, or that says yes or no, its key: `android · not rooted`. */
export const labelWords = (labels: Readonly<Record<string, string>>): string[] =>
  Object.entries(labels).map(([key, value]) => (YES.test(value) ? key : NO.test(value) ? `not ${key}` : value));

/** `a and b`, `a, b and c`. */
export const listText = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
