/** The wishes of requests that wait, in words. */
import type { WaitingRequest } from '../../contract/waiting.ts';

/** Names a resource with the number of its slots that are asked for: `4 of gpu`. */
export const countedName = (name: string, count = 1): string => (count > 1 ? `${count} of ${name}` : name);

/** Lists what a request asks for: `gpu`, `4 of gpu`, `all of key, lamp`. */
export function wantedText({
  resources,
  counts,
  method = null,
}: {
  readonly resources: readonly string[];
  readonly counts: readonly number[];
  readonly method?: WaitingRequest['method'];
}): string {
  const names = resources.map((name, i) => countedName(name, counts[i])).join(', ');
  if (method === null || resources.length === 1) return names;
  return method === 'FIRST' ? `the first of ${names}` : `all of ${names}`;
}

/**
 * Says how many wait for a resource, and who is next: `1 waiting for 4: train-78`, `3 waiting, next: ann`.
 * @param count the number of those who wait
 * @param next the first of them
 */
export function waitingText(
  count: number,
  { requester, counts }: Pick<WaitingRequest, 'requester' | 'counts'>,
): string {
  const many = Math.max(...counts);
  const slots = many > 1 ? ` for ${many}` : '';
  return count === 1 ? `1 waiting${slots}: ${requester}` : `${count} waiting, next${slots}: ${requester}`;
}
