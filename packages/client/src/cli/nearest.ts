/** Finds what a word means, or which word was probably meant. */
import { usageError } from './exitCodes.ts';

/** A word of the user in a message. What may be a release token, or has one in it, is not shown. */
export const shown = (word: string): string => (/^.{0,30}$/.test(word) ? word : '…');

/** The number of letters to insert, delete or replace to turn one word into the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/**
 * @param prefix text before the word: `--` for options
 * @returns `; did you mean <word>?`, or nothing if no word is close
 */
export function didYouMean(word: string, known: readonly string[], prefix = ''): string {
  const [best] = known
    .map((candidate) => ({ candidate, away: distance(word, candidate) }))
    .filter(({ away, candidate }) => away <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.away - b.away);
  return best === undefined ? '' : `; did you mean ${prefix}${best.candidate}?`;
}

/**
 * Returns what a table has under a word of the user.
 * @param names those of the table, as a message has them: `jenkins or boskos`
 * @throws ExitError of wrong use
 */
export function namedIn<T>(table: Readonly<Record<string, T>>, word: string, names: string): T {
  const found = Object.entries(table).find(([name]) => name === word);
  if (found === undefined) throw usageError(`${shown(word)} is not ${names}${didYouMean(word, Object.keys(table))}`);
  return found[1];
}
