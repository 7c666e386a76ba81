/**
 * Labels in one text, as people type them and as addresses have them: `os=android, site=berlin`. Of a key with several
 * values, a resource must have one.
 */
import { refuseField } from '../form.ts';

export const labelsText = (labels: readonly string[]): string => labels.join(', ');

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
