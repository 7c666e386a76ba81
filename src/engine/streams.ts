/**
 * The leases that streams of events hold in Redis (decisions, section 7): they are counted across instances, and an instance
 * that dies gives its own back by letting them lapse.
 */
import type { Credential } from '../domain/tenants.ts';
import { call, type Engine } from './engine.ts';
import { tenantKey } from './keys.ts';
import { send } from './redis.ts';
import { parseReply, toInteger, toText } from './reply.ts';

/** What is renewed well before has lapsed within the 45 s that the decisions allow. */
const LEASE_MS = 40_000;
export const RENEW_EVERY_MS = 10_000;
/** Streams that one call renews: about 2 ms of Redis. */
const PAGE = 250;

export interface OpenedStream {
  /** ms after which the token or session that it was opened with ends; null for a key */
  readonly endsInMs: number | null;
  /** The number of the last message that was published before. */
  readonly lastMessage: number;
}

/**
 * Gives a stream its lease.
 * @throws HoldfastError unauthenticated, unavailable; LimitError where the tenant has as many as its tier allows
 */
export async function openStream(engine: Engine, credential: Credential, id: string): Promise<OpenedStream> {
  const [endsInMs, lastMessage] = await call(engine, 'openStream', credential, () => [id, LEASE_MS]);
  return {
    endsInMs: credential.kind === 'key' ? null : toInteger(endsInMs),
    lastMessage: toInteger(lastMessage),
  };
}

export interface RenewedStreams {
  /** The ids of those that must end: their key is gone, or their lease was. */
  readonly ended: readonly string[];
  /** The number of the last message that was published before. */
  readonly lastMessage: number;
}

/**
 * Renews the leases of a tenant's streams.
 * @param streams id → who opened it
 * @throws HoldfastError unavailable
 */
export async function renewStreams(
  engine: Engine,
  tenant: string,
  streams: ReadonlyMap<string, string>,
): Promise<RenewedStreams> {
  const all = [...streams];
  const ended: string[] = [];
  let lastMessage = 0;
  for (let from = 0; from < all.length; from += PAGE) {
    const args = all.slice(from, from + PAGE).flat();
    const page = await send(() => engine.redis.hf_renewStreams(tenantKey(tenant), LEASE_MS, ...args));
    const [last, ...ids] = parseReply(page);
    ended.push(...ids.map(toText));
    lastMessage = toInteger(last);
  }
  return { ended, lastMessage };
}

/**
 * Gives back the leases of streams that have ended.
 * @throws HoldfastError unavailable
 */
export async function closeStreams(engine: Engine, tenant: string, ids: readonly string[]): Promise<void> {
  await send(() => engine.redis.hf_closeStreams(tenantKey(tenant), ...ids));
}
