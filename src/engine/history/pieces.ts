/**
 * Reads the stream of a tenant's ended reservations and waits in pieces, the newest first. A piece keeps Redis busy for
 * about a millisecond. An instance reads one piece of a tenant at a time, whichever requests ask, and decodes each in a
 * iteration of the event loop of its own: so no tenant's history slows the others down.
 */
import { beginOf, type HistoryFilter, LOOKED_PER_READ, type PastEntry } from '../../domain/history.ts';
import type { RedisClient } from '../../redis/client.ts';
import { keysOf } from '../../redis/keys.ts';
import { parseReply, toInteger, toText } from '../../redis/reply.ts';
import { runScript } from '../../redis/scripts.ts';
import { yieldToLoop } from '../pace.ts';
import { readPastEntry } from './pastEntry.ts';

/** A place in the stream: what comes before a field of an entry. */
export interface Place {
  /** `<ms>-<number>`; `+`: the newest entry */
  readonly id: string;
  /** From 0. */
  readonly field: number;
}

/** Before all entries. */
export const NEWEST: Place = { id: '+', field: 0 };

interface Found {
  readonly entry: PastEntry;
  /** The place behind it. */
  readonly place: Place;
}

export interface Piece {
  /** Those that the filter lets through. */
  readonly found: readonly Found[];
  /** Where the next piece begins; null: nothing older is left. */
  readonly next: Place | null;
  /** Reservations and waits that were looked at. */
  readonly entries: number;
  /** Their number for the limit: one of more than 512 bytes as one for each 512. Little more than LOOKED_PER_READ. */
  readonly looked: number;
}

/** The last piece of each tenant that is being read or waits for that. */
const last = new Map<string, Promise<unknown>>();

/**
 * Reads a piece: what one read pays for.
 * @param most reservations and waits that Redis returns; their number is not limited otherwise
 * @throws HoldfastError unavailable
 */
export async function readPiece(
  redis: RedisClient,
  tenant: string,
  filter: HistoryFilter,
  from: Place,
  most: number = LOOKED_PER_READ,
): Promise<Piece> {
  const before = last.get(tenant);
  const piece = (before ?? Promise.resolve()).then(() => read(redis, tenant, filter, from, most));
  const settled = piece.catch(() => {});
  last.set(tenant, settled);
  try {
    return await piece;
  } finally {
    if (last.get(tenant) === settled) last.delete(tenant);
  }
}

async function read(
  redis: RedisClient,
  tenant: string,
  { resource = '', requester = '', from, to, beganBefore }: HistoryFilter,
  begin: Place,
  most: number,
): Promise<Piece> {
  const names = [resource, requester];
  const times = [from?.getTime() ?? 0, to?.getTime() ?? Number.MAX_SAFE_INTEGER];
  const args = [begin.id, begin.field, most, LOOKED_PER_READ, ...names, ...times];
  const reply = await runScript(redis, 'readHistory', ...keysOf('readHistory', tenant), ...args);
  await yieldToLoop();
  const [, id, field, entries, looked, ...rows] = parseReply(reply);
  const next = { id: toText(id), field: toInteger(field) };
  const beganIn = ({ entry }: Found) => beganBefore === undefined || beginOf(entry) < beganBefore.getTime();
  return {
    found: [...entriesOf(rows)].filter(beganIn),
    next: next.id === '' ? null : next,
    entries: toInteger(entries),
    looked: toInteger(looked),
  };
}

function* entriesOf(rows: readonly unknown[]): Generator<Found> {
  for (let i = 0; i < rows.length; i += 4) {
    const [id, field, name, value] = rows.slice(i, i + 4);
    if (!(value instanceof Buffer)) throw new TypeError('a script returned no bytes where there should be some');
    const entry = readPastEntry({ field: toText(name), value });
    if (entry !== null) yield { entry, place: { id: toText(id), field: toInteger(field) } };
  }
}
