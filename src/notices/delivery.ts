/**
 * One delivery: takes a batch of a subscription, makes one attempt, and records its result
 * (docs/specification.md#subscriptions). The batch is stored before the first attempt, so whoever repeats it sends the
 * same.
 */
import type { Logger } from 'pino';
import { z } from 'zod';
import type { DisabledReason } from '../domain/notices.ts';
import { addAttempt } from '../engine/notices/attempts.ts';
import {
  type Entry,
  finishBatch,
  type Lease,
  retryBatch,
  storeBatch,
  type Taken,
  takeBatch,
} from '../engine/notices/cursors.ts';
import type { RedisClient } from '../redis/client.ts';
import { cut, eventsOf } from './batches.ts';
import { GIVE_UP_AFTER_MS, pauseMs } from './retries.ts';
import { ATTEMPT_MS, type Batch, makeWebhookId, type Outcome, type Reader } from './sending.ts';

/** A worker that dies leaves a batch for so long: longer than an attempt. */
const LEASE_MS = 15_000;
/** Pause after a fault of this service, in ms. */
const FAULT_PAUSE_MS = 5000;

/** Results of attempts. */
export const RESULTS = ['delivered', 'failed', 'disabled'] as const;
export type Result = (typeof RESULTS)[number];

export interface DeliveryDeps {
  readonly redis: RedisClient;
  /** Stops a subscription for good. */
  readonly disable: (tenant: string, id: string, reason: DisabledReason) => Promise<void>;
  readonly onAttempt: (kind: string, result: Result, tookMs: number) => void;
  readonly log: Logger;
}

/** The choice by which a batch was cut, as Redis keeps it beside the batch. */
const Stored = z.object({ types: z.array(z.string()), prefix: z.string() });

/** Number of entries that are read at first, and at most: subscriptions that choose few events need more at a time. */
const ENTRIES = { first: 100, most: 1000 } as const;

/**
 * Makes at most one attempt to deliver to a reader. Does nothing if there is nothing to send, or another worker sends.
 * @param version of the tenant's record, when the reader was read
 * @param owner names this worker
 * @param signal aborts when the worker closes: then the batch is left to others
 * @returns true if there may be more to deliver now
 */
export async function deliver(
  deps: DeliveryDeps,
  reader: Reader,
  version: string,
  owner: string,
  signal: AbortSignal,
): Promise<boolean> {
  const lease = { tenant: reader.tenant, reader: reader.id, owner };
  for (let entries: number = ENTRIES.first; ; entries = Math.min(4 * entries, ENTRIES.most)) {
    const taken = await takeBatch(deps.redis, lease, LEASE_MS, entries, version);
    if (taken === 'nothing' || taken === 'changed') return taken === 'changed';
    const chosen = choose(taken, reader);
    // Few of them are chosen: a larger part makes a larger batch.
    if (chosen.hasRoom && !taken.isAll && entries < ENTRIES.most) continue;
    if (chosen.events.length > 0) return attempt(deps, { reader, lease, taken, chosen, signal });
    if (!(await finishBatch(deps.redis, lease, chosen.last)) || taken.isAll) return true;
  }
}

interface Chosen extends Batch {
  /** The last entry that is done with it. */
  readonly last: Entry;
  readonly isStored: boolean;
  /** True if all entries are in it, and it could have more. */
  readonly hasRoom: boolean;
}

/** Cuts a batch, or the stored one again. */
function choose({ stored, entries }: Taken, { tenant, types, prefix, maxEvents }: Reader): Chosen {
  if (stored !== null) {
    const choice = Stored.parse(JSON.parse(stored.choice));
    const events = entries.flatMap((entry) => eventsOf(tenant, entry, choice));
    return { webhookId: stored.webhookId, events, last: entries.at(-1) ?? entries[0], isStored: true, hasRoom: false };
  }
  const { events, last, isAll } = cut(tenant, entries, { types, prefix }, maxEvents);
  return { webhookId: makeWebhookId(), events, last, isStored: false, hasRoom: isAll && events.length < maxEvents };
}

interface Attempting {
  readonly reader: Reader;
  readonly lease: Lease;
  readonly taken: Taken;
  readonly chosen: Chosen;
  readonly signal: AbortSignal;
}

async function attempt(deps: DeliveryDeps, attempting: Attempting): Promise<boolean> {
  const { reader, lease, taken, chosen, signal } = attempting;
  if (!chosen.isStored) {
    const choice = JSON.stringify({ types: reader.types, prefix: reader.prefix });
    const batch = { webhookId: chosen.webhookId, choice };
    if (!(await storeBatch(deps.redis, lease, LEASE_MS, batch, chosen.last, reader.everyMs))) return false;
  }
  const beganAt = performance.now();
  const outcome = await reader
    .send(chosen, AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_MS)]))
    .catch((error: unknown) => {
      // A fault of this service. It is not the receiver's.
      if (!signal.aborted) deps.log.error({ err: error, kind: reader.kind }, 'a delivery could not be attempted');
      return null;
    });
  if (outcome === null || signal.aborted) {
    await retryBatch(deps.redis, lease, signal.aborted ? 0 : FAULT_PAUSE_MS, { isFailure: false });
    return false;
  }
  const durationMs = Math.round(performance.now() - beganAt);
  const result = await settle(deps, attempting, outcome);
  deps.onAttempt(reader.kind, result, durationMs);
  const { status, fault } = outcome;
  const [at, events] = [Date.now() - durationMs, chosen.events.length];
  const made = { at, webhookId: chosen.webhookId, attempt: taken.failures + 1, events, status, fault, durationMs };
  await addAttempt(deps.redis, reader.tenant, reader.id, made);
  return true;
}

/** Records the result in Redis: the batch is done, is tried again later, or ends the subscription. */
async function settle(
  { redis, disable }: DeliveryDeps,
  { reader, lease, taken, chosen }: Attempting,
  { status, retryAfterMs }: Outcome,
): Promise<Result> {
  if (status !== null && status >= 200 && status < 300) {
    await finishBatch(redis, lease, chosen.last);
    return 'delivered';
  }
  const reason = status === 410 ? 'GONE' : taken.failingMs >= GIVE_UP_AFTER_MS ? 'FAILED' : null;
  if (reason === null) {
    const failures = taken.failures + 1;
    await retryBatch(redis, lease, pauseMs(failures, retryAfterMs), { isFailure: true });
    return 'failed';
  }
  await disable(reader.tenant, reader.id, reason);
  return 'disabled';
}
