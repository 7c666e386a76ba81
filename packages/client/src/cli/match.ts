/** Reads a match as a command line has it: `os=android,site!=berlin`. */
import type { Match } from '../types.ts';
import { usageError } from './exitCodes.ts';

/** A comma before a label: values may have commas, too. */
const BETWEEN = /,(?=[\w./-]{1,64}!?=)/;
const LABEL = /^([^=!]+)(!?=)(.*)$/s;

/**
 * @param texts each has one label, or several with commas between; of those with one label, one of the values is wanted
 * @param option for messages: what has the texts
 * @returns undefined if there are none
 * @throws ExitError of wrong use
 */
export function matchOf(texts: readonly string[], option: string): Match | undefined {
  const labels = new Map<string, { sign: string; values: string[] }>();
  for (const text of texts.flatMap((one) => one.split(BETWEEN))) {
    const [, label = '', sign = '', value = ''] = LABEL.exec(text) ?? [];
    if (label === '') throw usageError(`${option} is <label>=<value>, not ${JSON.stringify(text)}`);
    const known = labels.get(label) ?? { sign, values: [] };
    if (known.sign !== sign) throw usageError(`${option} has both ${label}= and ${label}!=: say what is wanted`);
    known.values.push(value);
    labels.set(label, known);
  }
  const entries = [...labels].map(([label, { sign, values }]): [string, Match[string]] => {
    const [value = '', ...others] = values;
    const list = others.length === 0 ? value : values;
    return [label, sign === '=' ? list : { not: list }];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
