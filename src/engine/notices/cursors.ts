/**
 * The cursors of those who read a tenant's outbox (lua/events/cursors.lua): subscriptions, and the personal notices of
 * all people. Workers take, finish and repeat batches by them.
 */
import type { RedisClient } from '../../redis/client.ts';
import { keysOf } from '../../redis/keys.ts';
import { parseReply, toInteger, toText } from '../../redis/reply.ts';
import { runScript } from '../../redis/scripts.ts';

/** The lease that a worker has of a reader. One worker has it at a time. */
export interface Lease {
  readonly tenant: string;
  readonly reader: string;
  /** Names the worker. */
  readonly owner: string;
}

/** An entry of an outbox: events that one script made. */
export interface Entry {
  /** Its id in the stream. */
  readonly id: string;
  /** The time of its events, in ms since 1970 UTC. */
  readonly ms: number;
  /** Number of events that this reader has missed before it. null: nobody knows how many */
  readonly missed: number | null;
  /** Number of events up to the end of this one, since the outbox began. */
  readonly passed: number;
  /** The events, as scripts publish them. */
  readonly lines: readonly string[];
}

/** A batch that has been stored. */
export interface StoredBatch {
  readonly webhookId: string;
  /** The types and the prefix that its events were chosen by, as JSON. */
  readonly choice: string;
}

export interface Taken {
  /** The batch that the entries make; null: the worker makes one */
  readonly stored: StoredBatch | null;
  /** Number of failed attempts since the last success. */
  readonly failures: number;
  /** Time since the first of them, in ms. */
  readonly failingMs: number;
  /** At least one. */
  readonly entries: readonly [Entry, ...Entry[]];
  /** True if nothing follows these entries. */
  readonly isAll: boolean;
}

/**
 * Takes what comes next for a reader.
 * @param leaseMs time for which nobody else gets it
 * @param maxEntries maximum number of entries, unless a batch is stored
 * @param version the version of the tenant's record by which the worker knows what the reader wants
 * @returns nothing: there is nothing now; changed: the record has another version
 * @throws HoldfastError unavailable
 */
export async function takeBatch(
  redis: RedisClient,
  lease: Lease,
  leaseMs: number,
  maxEntries: number,
  version: string,
): Promise<Taken | 'nothing' | 'changed'> {
  const reply = parseReply(await run(redis, 'takeBatch', lease, leaseMs, maxEntries, version));
  if (reply[0] !== 'OK') return reply[0] === 'CHANGED' ? 'changed' : 'nothing';
  const [, webhookId, choice, failures, failingMs, events, isAll, ...texts] = reply;
  const entries: Entry[] = [];
  let passed = toInteger(events);
  for (let i = 0; i < texts.length; i += 2) {
    const entry = toEntry(toText(texts[i]), toText(texts[i + 1]), passed);
    entries.push(entry);
    passed = entry.passed;
  }
  const [first, ...others] = entries;
  if (first === undefined) throw new TypeError('takeBatch returned no entry');
  return {
    stored: toText(webhookId) === '-' ? null : { webhookId: toText(webhookId), choice: toText(choice) },
    failures: toInteger(failures),
    failingMs: toInteger(failingMs),
    entries: [first, ...others],
    isAll: toInteger(isAll) === 1,
  };
}

/** @param passed number of events that were before it when the reader came here; -1 unknown */
function toEntry(id: string, value: string, passed: number): Entry {
  const [head = '', ...lines] = value.split('\n');
  const [ms = '', , before = '', number = ''] = head.split(' ');
  const missed = passed === -1 || passed > Number(before) ? null : Number(before) - passed;
  return {
    id,
    ms: Number(ms),
    missed,
    passed: Number(before) + Number(number),
    lines: Number(number) === 0 ? [] : lines,
  };
}

/**
 * Stores the batch that a worker has made of the entries up to one, and renews the lease.
 * @param everyMs time from the start of one batch to that of the next
 * @returns false: the lease is lost
 * @throws HoldfastError unavailable
 */
export const storeBatch = async (
  redis: RedisClient,
  lease: Lease,
  leaseMs: number,
  { webhookId, choice }: StoredBatch,
  last: Entry,
  everyMs: number,
): Promise<boolean> => (await run(redis, 'storeBatch', lease, leaseMs, webhookId, last.id, choice, everyMs)) === 1;

/**
 * Moves a reader on behind an entry, and gives up the lease.
 * @returns false: the lease is lost
 * @throws HoldfastError unavailable
 */
export const finishBatch = async (redis: RedisClient, lease: Lease, last: Entry): Promise<boolean> =>
  (await run(redis, 'finishBatch', lease, last.id, last.passed)) === 1;

/**
 * Gives up the lease of a batch that was not delivered. The batch stays the same.
 * @param nextInMs time until the next attempt
 * @param attempt isFailure: an attempt has failed; else there was none
 * @throws HoldfastError unavailable
 */
export const retryBatch = async (
  redis: RedisClient,
  lease: Lease,
  nextInMs: number,
  { isFailure }: { readonly isFailure: boolean },
): Promise<void> => {
  await run(redis, 'retryBatch', lease, nextInMs, Number(isFailure));
};

const run = (
  redis: RedisClient,
  verb: 'takeBatch' | 'storeBatch' | 'finishBatch' | 'retryBatch',
  { tenant, reader, owner }: Lease,
  ...args: (string | number)[]
): Promise<unknown> => runScript(redis, verb, ...keysOf(verb, tenant), reader, owner, ...args);

/**
 * Makes the cursor of a reader, unless there is one.
 * @param from `end`: it gets what happens from now on; `start`: also what the outbox has
 * @param hasMissed true if a GAP tells it that it may have missed events
 * @throws HoldfastError unavailable
 */
export const startCursor = async (
  redis: RedisClient,
  tenant: string,
  reader: string,
  from: 'start' | 'end',
  hasMissed: boolean,
): Promise<void> => {
  await runScript(redis, 'startCursor', ...keysOf('startCursor', tenant), reader, from, Number(hasMissed));
};

/**
 * Deletes the cursor of a reader, and what only it has not read.
 * @throws HoldfastError unavailable
 */
export const dropCursor = async (redis: RedisClient, tenant: string, reader: string): Promise<void> => {
  await runScript(redis, 'dropCursor', ...keysOf('dropCursor', tenant), reader);
};

/**
 * Moves on the readers that are far behind if the outbox is nearly full or has old entries.
 * @returns how many
 * @throws HoldfastError unavailable
 */
export const moveSlowest = async (redis: RedisClient, tenant: string): Promise<number> =>
  toInteger(await runScript(redis, 'moveSlowest', ...keysOf('moveSlowest', tenant)));
