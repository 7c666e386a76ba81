/** What a shell offers at each word of a command line. It all comes from the table of commands. */
import type { Option, Syntax } from '../arguments.ts';

/** Names of files, or these words. No words: nothing is offered, as for a release token. */
export type Offer = 'files' | readonly string[];

/** The words before the name of a command, besides the commands. */
export const OTHER_WORDS = ['help', '--help', '--version'] as const;

/** An option as it is typed: `--file`, and `-f` if it has a short form. */
export const namesOf = ({ name, short }: Option): readonly string[] => [
  `--${name}`,
  ...(short === undefined ? [] : [`-${short}`]),
];

/** @param value as help has it: `<file>`, `<ready|dirty|out>`, `<name>` */
export function offerOf(value: string): Offer {
  const name = value.replace(/^<|>…?$/g, '');
  if (name === 'file') return 'files';
  return /^\w+(\|\w+)+$/.test(name) ? name.split('|') : [];
}

/** The arguments that a command takes without an option. */
export interface Places {
  /** By their position. */
  readonly first: readonly Offer[];
  /** Of all after these. */
  readonly others: Offer;
}

/** Reads the places from the synopsis: `condition [options] <resource>… <ready|dirty|out>`. */
export function placesOf({ synopsis, positionals }: Syntax): Places {
  const [own = ''] = synopsis.split(' -- ');
  const names = positionals.max === 0 ? [] : (own.match(/<[^>]+>…?/g) ?? []);
  const many = names.findIndex((name) => name.endsWith('…'));
  return many < 0
    ? { first: names.map(offerOf), others: [] }
    : { first: names.slice(0, many + 1).map(offerOf), others: offerOf(names.at(-1) ?? '') };
}
