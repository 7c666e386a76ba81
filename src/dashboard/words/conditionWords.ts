/**
 * Words for the condition of resources: what is out of service, and what has to be cleaned
 * (docs/specification.md#condition).
 */
import type { NotReady, SlotCondition } from '../../engine/reservations/slotConditions.ts';
import { number } from './numbers.ts';

/** As the word of a state. */
export const CONDITION_WORDS: Readonly<Record<NotReady, string>> = {
  out: 'Out of service',
  dirty: 'Needs cleaning',
};

/** Within a sentence. */
export const conditionWord = (condition: NotReady): string => CONDITION_WORDS[condition].toLowerCase();

/** With the resource as its subject: `is out of service`, `needs cleaning`. */
export const conditionPhrase = (condition: NotReady): string =>
  condition === 'out' ? `is ${conditionWord(condition)}` : conditionWord(condition);

/** `Out of service · display dark` */
export const conditionText = ({ condition, reason }: Pick<SlotCondition, 'condition' | 'reason'>): string =>
  [CONDITION_WORDS[condition], ...(reason === undefined ? [] : [reason])].join(' · ');

interface Counts {
  readonly capacity: number | null;
  readonly outOfService: number;
  readonly dirty: number;
}

/** The number of slots of a pool that are not ready: `2 of 6 out of service`, `1 of 6 needs cleaning`. */
export function countTexts({ capacity, outOfService, dirty }: Counts): string[] {
  const all: readonly (readonly [number, string])[] = [
    [outOfService, conditionWord('out')],
    [dirty, dirty === 1 ? 'needs cleaning' : 'need cleaning'],
  ];
  return all.flatMap(([count, word]) => (count === 0 ? [] : [`${number(count)} of ${number(capacity ?? 0)} ${word}`]));
}
