/**
 * The leases of event streams in Redis (docs/specification.md#the-stream). They count the streams of all instances. The
 * leases of an instance that dies expire.
 */
import type { Credential } from '../../domain/tenants.ts';
import { keysOf, keysOfRequest } from '../../redis/keys.ts';
import { parseReply, toInteger, toText } from '../../redis/reply.ts';
import { runScript } from '../../redis/scripts.ts';
import { call } from '../call.ts';
import type { Engine } from '../engine.ts';
import { visitBy } from '../expiry/dueIndex.ts';

/** Leases of an instance that dies must expire within 45 s. */
const LEASE_MS = 40_000;
export const RENEW_EVERY_MS = 10_000;
/** Number of streams that one call renews, which takes Redis about 2 ms. */
const PAGE = 250;

/** The state of a new stream. */
export interface StreamStart {
  /** ms until the credential of the stream ends; null: never */
  readonly endsInMs: number | null;
  /** The number of the last message before the stream opened. */
  readonly lastMessage: number;
  /** The Redis process whose messages the stream gets. */
  readonly publisher: string;
}

/**
 * Creates the lease of a stream.
 * @throws HoldfastError unauthenticated, unavailable; LimitError if the tenant has as many streams as its tier allows
 */
export async function openStream(engine: Engine, credential: Credential, id: string): Promise<StreamStart> {
  const reply = await call(engine, 'openStream', credential, () => [id, LEASE_MS]);
  const [endsInMs, lastMessage, publisher, visitMs] = reply;
  await visitBy(engine.redis, credential.tenant, toInteger(visitMs));
  return {
    endsInMs: toInteger(endsInMs) < 0 ? null : toInteger(endsInMs),
    lastMessage: toInteger(lastMessage),
    publisher: toText(publisher),
  };
}

/**
 * Renews the leases of a credential's streams.
 * @returns the ids of streams that must end because their key or lease is gone, and the number of the last message
 * @throws HoldfastError unavailable
 */
export async function renewStreams(
  engine: Engine,
  credential: Credential,
  ids: readonly string[],
): Promise<{ ended: string[]; lastMessage: number }> {
  const keys = keysOfRequest('renewStreams', credential);
  const ended: string[] = [];
  let lastMessage = 0;
  for (let from = 0; from < ids.length; from += PAGE) {
    const page = ids.slice(from, from + PAGE);
    const reply = await runScript(engine.redis, 'renewStreams', ...keys, credential.credentialKey, LEASE_MS, ...page);
    const [number, ...some] = parseReply(reply);
    lastMessage = toInteger(number);
    ended.push(...some.map(toText));
  }
  return { ended, lastMessage };
}

/**
 * Releases the leases of streams that have ended.
 * @throws HoldfastError unavailable
 */
export async function closeStreams(engine: Engine, tenant: string, ids: readonly string[]): Promise<void> {
  await runScript(engine.redis, 'closeStreams', ...keysOf('closeStreams', tenant), ...ids);
}
