/**
 * Writes ended reservations and waits into a tenant's stream, at chosen times, in the form of lua/history/ended.lua.
 * The scripts write them at the time of the end.
 */
import type { RedisClient } from '../../src/redis/client.ts';
import { historyKey } from '../../src/redis/keys.ts';

export interface Past {
  readonly resource: string;
  /** A slot of the resource, if it is a pool. */
  readonly slot?: string;
  /** All slots, if there are several. */
  readonly slots?: readonly string[];
  readonly requester?: string;
  /** ms since 1970 UTC; left out: a wait that came to nothing */
  readonly reservedAt?: number;
  readonly endedAt: number;
  readonly waitedMs?: number;
}

let fence = 1;

/** Adds entries. */
export async function addPast(redis: RedisClient, tenant: string, entries: readonly Past[]): Promise<void> {
  for (let i = 0; i < entries.length; i += 1000) {
    const pipeline = redis.pipeline();
    for (const entry of entries.slice(i, i + 1000)) {
      const [field, value] = entry.reservedAt === undefined ? ['W', waitOf(entry)] : ['R', reservationOf(entry)];
      pipeline.xadd(historyKey(tenant), '*', field, value);
    }
    for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error;
  }
}

const waitOf = ({ resource, requester = 'q', endedAt, waitedMs = 0 }: Past) =>
  JSON.stringify({
    number: fence++,
    resource,
    requester,
    type: '',
    label: '',
    mode: 'EXCLUSIVE',
    since: endedAt - waitedMs,
    at: endedAt,
    ending: 'ELAPSED',
  });

/** The record has the full form of lua/slots/codec.lua. */
function reservationOf({ resource, slot = resource, slots, requester = 'q', ...times }: Past): Buffer {
  const text = (value: string) => Buffer.from(`${value}\0`);
  const integer = (value: number, bytes: number) => {
    const buffer = Buffer.alloc(8);
    buffer.writeBigUInt64BE(BigInt(value));
    return buffer.subarray(8 - bytes);
  };
  const { reservedAt = 0, endedAt, waitedMs } = times;
  const further = waitedMs === undefined ? {} : { x: { waited: waitedMs } };
  const details = JSON.stringify({ ...further, ...(slots === undefined ? {} : { o: slots }) });
  return Buffer.concat([
    Buffer.from(`${slot}\n${endedAt} \n\x03`),
    integer(1, 4),
    text(requester),
    text(slot === resource ? '' : resource),
    Buffer.from([0]),
    integer(fence++, 7),
    integer(reservedAt, 6),
    integer(0, 6),
    Buffer.from('x'.repeat(22)),
    text(''),
    text(''),
    text(resource),
    text(''),
    text(details === '{}' ? '' : details),
  ]);
}
