/**
 * Matches: the labels that a request wants instead of naming a resource (docs/specification.md#any-resource-that-fits).
 */

/** Label → the value that it must have, or values of which it must have one. */
export type Match = Readonly<Record<string, string | readonly string[]>>;

/** What a reserve item asks for: a resource, or any that fits. */
export interface Asked {
  readonly resource?: string | undefined;
  readonly match?: Match | undefined;
}

/** The longest text of a match, in characters; longer ones are cut. It is short enough for the name of a resource. */
const MAX_TEXT = 200;

/** The wanted labels, each `<key>=<value>`, sorted. Of several with the same key, a resource needs one. */
export const linesOfMatch = (match: Match): string[] => [
  ...new Set(
    Object.entries(match)
      .flatMap(([key, values]) => [values].flat().map((value) => `${key}=${value}`))
      .sort(),
  ),
];

/** The text that stands for a match where a resource's name would, `os=android,size=xl`. */
export function textOfMatch(match: Match): string {
  const characters = [...linesOfMatch(match).join(',')];
  return characters.length <= MAX_TEXT ? characters.join('') : `${characters.slice(0, MAX_TEXT - 1).join('')}…`;
}

/** All that an item says about what it asks for. */
export const textOfAsked = ({ resource = '', match }: Asked): string =>
  match === undefined ? resource : linesOfMatch(match).join('\n');
