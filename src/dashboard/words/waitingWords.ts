/** The wishes of requests that wait, in words. */
import type { WaitingRequest } from '../../contract/waiting.ts';
import type { Condition } from '../../domain/conditions.ts';

export const PURPOSES: Readonly<Record<Condition, string>> = { ready: '', dirty: ' to clean', out: ' to repair' };

/** Names a resource with the number of its slots that are asked for, and what for: `4 of gpu`, `phone to clean`. */
const wantedName = (name: string, count = 1, condition: Condition = 'ready'): string =>
  `${count > 1 ? `${count} of ${name}` : name}${PURPOSES[condition]}`;

/** Lists what a request asks for: `gpu`, `4 of gpu`, `phone to clean`, `all of key, lamp`. */
export function wantedText({
  resources,
  counts,
  conditions = [],
  method = null,
}: {
  readonly resources: readonly string[];
  readonly counts: readonly number[];
  readonly conditions?: readonly Condition[] | undefined;
  readonly method?: WaitingRequest['method'];
}): string {
  const names = resources.map((name, i) => wantedName(name, counts[i], conditions[i])).join(', ');
  if (method === null || resources.length === 1) return names;
  return method === 'FIRST' ? `the first of ${names}` : `all of ${names}`;
}

/** Says why nobody knows when it is the turn of a request for a slot in this condition. */
export const turnUnknown = (condition: Condition): string => TURNS[condition];
const TURNS: Readonly<Record<Condition, string>> = {
  ready: 'nobody knows when',
  dirty: 'when it is to be cleaned',
  out: 'when it is out of service',
};

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
