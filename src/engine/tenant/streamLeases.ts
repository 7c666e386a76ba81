/**
 * The leases that streams of events hold in Redis (docs/specification.md#events): they are counted across instances,
 * and an instance that dies gives its own back by letting them lapse.
 */
import type { Credential } from '../../domain/tenants.ts';
import { keysOf, keysOfRequest } from '../../redis/keys.ts';
import { parseReply, toInteger, toText } from '../../redis/reply.ts';
import { send } from '../../redis/send.ts';
import { call, type Engine } from '../call.ts';

/** What is renewed well before has lapsed within the 45 s that the decisions allow. */
const LEASE_MS = 40_000;
export const RENEW_EVERY_MS = 10_000;
/** Streams that one call renews: about 2 ms of Redis. */
const PAGE = 250;

/** What a stream begins with. */
export interface StreamStart {
  /** ms after which the token or session that it was opened with ends; null for a key */
  readonly endsInMs: number | null;
  /** The number of the last message before it. */
  readonly lastMessage: number;
  /** The Redis process whose messages it takes. */
  readonly publisher: string;
}

/**
 * Gives a stream its lease.
 * @throws HoldfastError unauthenticated, unavailable; LimitError if the tenant has as many as its tier allows
 */
export async function openStream(engine: Engine, credential: Credential, id: string): Promise<StreamStart> {
  const [endsInMs, lastMessage, publisher] = await call(engine, 'openStream', credential, () => [id, LEASE_MS]);
  return {
    endsInMs: credential.kind === 'key' ? null : toInteger(endsInMs),
    lastMessage: toInteger(lastMessage),
    publisher: toText(publisher),
  };
}

/**
 * Renews the leases of streams that a credential has opened.
 * @returns the ids of those that must end, since their key or their lease is gone, and the number of the last message
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
    const reply = await send(() => engine.redis.hf_renewStreams(...keys, credential.credentialKey, LEASE_MS, ...page));
    const [number, ...some] = parseReply(reply);
    lastMessage = toInteger(number);
    ended.push(...some.map(toText));
  }
  return { ended, lastMessage };
}

/**
 * Gives back the leases of streams that have ended.
 * @throws HoldfastError unavailable
 */
export async function closeStreams(engine: Engine, tenant: string, ids: readonly string[]): Promise<void> {
  await send(() => engine.redis.hf_closeStreams(...keysOf('closeStreams', tenant), ...ids));
}
