/** Acts for each of many, a hundred at a time: an instance that is short of CPU refuses more at once. */
export async function inPieces<One, Result>(
  all: readonly One[],
  act: (one: One) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let i = 0; i < all.length; i += 100) results.push(...(await Promise.all(all.slice(i, i + 100).map(act))));
  return results;
}
