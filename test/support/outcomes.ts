/**
 * Replies and stored data of the example calls (exampleCalls.ts): each begins on the tenant as it was furnished.
 */

import type { Redis } from 'ioredis';
import { HoldfastError } from '../../src/domain/errors.ts';
import { setClock } from './clock.ts';
import type { RunningEngine } from './engine.ts';
import { callExample, EXAMPLE_CALLS, type ExampleCall, furnish, keysIn, START } from './exampleCalls.ts';
import { restore, type Snapshot, snapshotOf, storedIn } from './hotRecord.ts';

export interface Outcome {
  readonly reply: string;
  readonly stored: Readonly<Record<string, unknown>>;
}

export interface Furnished {
  readonly running: RunningEngine;
  /** A client of the same Redis. */
  readonly redis: Redis;
  readonly keys: readonly string[];
  readonly state: Snapshot;
  readonly stored: Outcome['stored'];
}

/** Furnishes the tenant of a running engine. @param nowMs its time at each call */
export async function furnished(
  running: RunningEngine,
  redis: Redis,
  hasQueue: boolean,
  nowMs = START,
): Promise<Furnished> {
  await furnish(running, hasQueue);
  await setClock(redis, running.credential.tenant, nowMs);
  const keys = keysIn(running);
  return { running, redis, keys, state: await snapshotOf(redis, keys), stored: await storedIn(redis, keys) };
}

/** Makes a call. A reply that is an error is `failed: ` and its text. */
export async function outcomeOf({ running, redis, keys, state }: Furnished, one: ExampleCall): Promise<Outcome> {
  await restore(redis, state);
  return { reply: await replyOf(running, one), stored: await storedIn(redis, keys) };
}

/** Makes all calls, one after the other. */
export async function outcomesOf(tenant: Furnished): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const one of EXAMPLE_CALLS) outcomes.push(await outcomeOf(tenant, one));
  return outcomes;
}

export const FAILED = 'failed: ';

/** Some replies are in bytes. */
const asText = (reply: unknown): unknown =>
  Array.isArray(reply) ? reply.map(asText) : reply instanceof Buffer ? reply.toString() : reply;

/** Redis's own words, if it has refused. */
const textOf = (error: unknown): string =>
  error instanceof HoldfastError && error.cause instanceof Error ? error.cause.message : String(error);

export const replyOf = (running: RunningEngine, one: ExampleCall): Promise<string> =>
  callExample(running, one).then(
    // The ids of entries of the history are times of Redis's own clock.
    (reply) => JSON.stringify(asText(reply ?? null)).replace(/"\d{13}-\d+"/g, 'id'),
    (error: unknown) => `${FAILED}${textOf(error)}`,
  );
