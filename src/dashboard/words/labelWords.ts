/**
 * The labels of a resource as words, where there is no room for their keys.
 */

const YES = /^(yes|true|)$/i;
const NO = /^(no|false)$/i;

/** The value of each label; of one without a value, or that says yes or no, its key: `android · not rooted`. */
export const labelWords = (labels: Readonly<Record<string, string>>): string[] =>
  Object.entries(labels).map(([key, value]) => (YES.test(value) ? key : NO.test(value) ? `not ${key}` : value));
