/**
 * Calls that wait, each on a connection that a test can close.
 */
import type { ReserveItem, ReserveResult } from '../../src/contract/reservations.ts';
import type { WaitingRequest } from '../../src/contract/waiting.ts';
import type { Answer, Client } from './client.ts';
import { createClient } from './client.ts';
import { until } from './until.ts';

export interface Poll {
  /** The response; rejects if the connection is closed before. */
  readonly response: Promise<Answer<ReserveResult[]>>;
  /** The first result of the response. */
  readonly first: Promise<ReserveResult | undefined>;
  /** True if the response has come. */
  isAnswered: boolean;
  /** Closes the connection. */
  hangUp(): void;
}

export const wanted = (resource: string, requester: string, fields: Partial<ReserveItem> = {}): ReserveItem => ({
  resource,
  requester,
  ttlSeconds: 60,
  waitSeconds: 60,
  ...fields,
});

/** Sends a reserve call that may become a long poll. */
export function poll(
  { url, key }: { readonly url: string; readonly key: string },
  items: readonly ReserveItem[],
  pollSeconds = 20,
): Poll {
  const closing = new AbortController();
  const response = createClient(url, key, closing.signal).request<ReserveResult[]>(
    'POST',
    `/api/v1/Reservation/reserve?pollSeconds=${pollSeconds}`,
    items,
  );
  const held: Poll = {
    response,
    first: response.then(({ body }) => body[0]),
    isAnswered: false,
    hangUp: () => closing.abort(),
  };
  const answered = () => {
    held.isAnswered = true;
  };
  response.then(answered, answered);
  held.first.catch(() => {});
  return held;
}

/** Waits until a queue is as a test needs it. */
export const queue = (
  client: Client,
  label: string,
  isMet: (waiting: readonly WaitingRequest[]) => boolean,
): Promise<WaitingRequest[]> =>
  until(label, async () => {
    const { body } = await client.waiting();
    return isMet(body) ? body : null;
  });

export const requesters = (waiting: readonly WaitingRequest[]): string[] => waiting.map(({ requester }) => requester);
