/**
 * Numbers in words for people: `12,000` and `3rd`.
 */
const format = new Intl.NumberFormat('en');
const rules = new Intl.PluralRules('en', { type: 'ordinal' });
const SUFFIXES = new Map<Intl.LDMLPluralRule, string>([
  ['one', 'st'],
  ['two', 'nd'],
  ['few', 'rd'],
]);

export const number = (value: number): string => format.format(value);

export const ordinal = (place: number): string => `${number(place)}${SUFFIXES.get(rules.select(place)) ?? 'th'}`;

/** A share as `59 %`. */
export const percent = (share: number): string => `${Math.round(share * 100)} %`;
