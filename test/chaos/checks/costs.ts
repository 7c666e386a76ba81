/** What calls cost of a tenant's limits (docs/specification.md#what-a-request-costs). */
import { z } from 'zod';
import { RETRY_EVERY_MS } from '../../../src/redis/send.ts';
import type { Call } from '../history.ts';
import { outcomeOf, waits } from './outcomes.ts';

/** A limit that is charged by the minute. */
export type Charged = 'OperationsPerMinute' | 'ReadsPerMinute';

/** At least and at most so much was charged for a call. */
export interface Cost {
  readonly sure: number;
  readonly possible: number;
}

const NOTHING: Cost = { sure: 0, possible: 0 };

export function costOf(call: Call, charged: Charged): Cost {
  const full = charged === 'OperationsPerMinute' ? writesOf(call) : readsOf(call);
  const isRepeat = call.isReplayed === true || waits(call);
  // A repeat, and the continuation of a ticket, cost one read instead.
  const possible = isRepeat && charged === 'ReadsPerMinute' ? Math.max(full, 1) : full;
  if (call.status === 429) return NOTHING;
  // A script that is called again since the connection to Redis was lost charges nothing then.
  const mayBeFree = isRepeat || call.completedAt - call.invokedAt >= RETRY_EVERY_MS;
  return { sure: outcomeOf(call) === 'done' && !mayBeFree ? full : 0, possible };
}

const slots = (item: { readonly count?: number | undefined }): number => item.count ?? 1;
const sum = (list: readonly number[]): number => list.reduce((all, one) => all + one, 0);

function writesOf(call: Call): number {
  switch (call.verb) {
    case 'reserve':
      return sum(call.request.map(slots));
    case 'transaction':
      return sum(call.request.requests.map((one) => (one.requestType === 'RESERVE' ? slots(one) : 1)));
    case 'unreserve':
    case 'renew':
    case 'cancel':
    case 'register':
      return call.request.length;
    case 'beginSession':
    case 'renewSession':
    case 'endSession':
    case 'delete':
    case 'reset':
      return 1;
    default:
      return 0;
  }
}

function readsOf(call: Call): number {
  switch (call.verb) {
    case 'check':
      return call.request.length;
    case 'active':
    case 'available':
    case 'waiting':
    case 'past':
      return 1;
    default:
      return 0;
  }
}

const Refusal = z.object({ limitType: z.string(), limit: z.number() });

/** Returns the limit that refused a call; null if none did. */
export function refusalOf({ status, failure }: Call): z.infer<typeof Refusal> | null {
  return status === 429 && failure !== null ? Refusal.parse(JSON.parse(failure)) : null;
}
