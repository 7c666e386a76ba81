/**
 * Finds environment variables whose names are probably misspelt names of ours. The environment also has the variables
 * of others, so only names that are one slip away count.
 */

/** Names of others may contain digits, such as REDIS_PORT_6379_TCP, which Kubernetes adds. Ours do not. */
const LIKE_OURS = /^[A-Z_]+$/;

/**
 * @param names of all variables that are set
 * @param known the names of ours
 * @returns a sentence for each name that is one letter away from one of ours, or that differs from it in case
 */
export function misspelt(names: readonly string[], known: readonly string[]): readonly string[] {
  return names
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const upper = name.toUpperCase();
      const meant = LIKE_OURS.test(upper) ? known.find((one) => one === upper || isOneSlip(upper, one)) : undefined;
      return meant === undefined ? [] : [`Holdfast does not know ${name}; did you mean ${meant}?`];
    });
}

/** Whether two names differ in one letter that is missing, added or wrong, or in two neighbours that are swapped. */
function isOneSlip(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [inA, inB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (inA.length <= 1 && inB.length <= 1) return true;
  return inA.length === 2 && inB.length === 2 && inA[0] === inB[1] && inA[1] === inB[0];
}
