/**
 * A slot as pages show it: who holds it, why, since when and until when. lua/reservations/texts.lua writes the text.
 */
import { parseItem, toInteger, toMs, toTime } from '../../redis/reply.ts';

/**
 * - `own`: a reservation holds it
 * - `along`: other reservations take it along, as an ancestor or a blocker
 * - `shared`: several requesters may hold it
 */
export type HoldKind = 'own' | 'along' | 'shared';

/** Times are ISO 8601 UTC. */
export interface Hold {
  readonly kind: HoldKind;
  /** The requester; `system:<resource>` of a blocker; '' if it is held SHARED */
  readonly holder: string;
  /** The first who hold it SHARED. */
  readonly sharers: readonly string[];
  /** Number of reservations that hold it. */
  readonly count: number;
  /** null unless the kind is `own` */
  readonly since: string | null;
  /** null: no end, or not of its own */
  readonly until: string | null;
  /** Whether it was granted to a waiting request that has not claimed it. It then ends at `until`. */
  readonly isUnclaimed: boolean;
  /** Whether it ends with a session of its caller, which a heartbeat keeps. */
  readonly hasSession: boolean;
  /** The name that its request had. */
  readonly resource: string;
  /** '' if the key has none */
  readonly keyLabel: string;
  readonly note: string | undefined;
}

export interface SlotState {
  readonly slot: string;
  /** null: it is free */
  readonly hold: Hold | null;
}

const KINDS: ReadonlyMap<string, HoldKind> = new Map([
  ['o', 'own'],
  ['a', 'along'],
  ['s', 'shared'],
]);

export function toSlotState(text: unknown): SlotState {
  const [slot = '', letter = '', holder = '', count, since, until, unclaimed, session, ...rest] = parseItem(text);
  const kind = KINDS.get(letter);
  if (kind === undefined) return { slot, hold: null };
  const [resource = '', keyLabel = '', note = '', ...sharers] = rest;
  return {
    slot,
    hold: {
      kind,
      holder,
      sharers: sharers.filter((name) => name !== ''),
      count: toInteger(count),
      since: toTime(toMs(since)),
      until: toTime(toMs(until)),
      isUnclaimed: unclaimed === '1',
      hasSession: session === '1',
      resource,
      keyLabel,
      note: note === '' ? undefined : note,
    },
  };
}

/** Names that the text of a hold has of those who share it. */
const SHOWN = 5;
const SYSTEM = 'system:';

/** Names who holds a slot: `ann`, `SHARED by ann, bob and 3 others`, `building (takes it along)`. */
export function holderText({ kind, holder, sharers, count }: Hold): string {
  if (kind !== 'shared') return holder.startsWith(SYSTEM) ? `${holder.slice(SYSTEM.length)} (takes it along)` : holder;
  const shown = sharers.slice(0, SHOWN);
  const others = count - shown.length;
  if (shown.length === 0) return `SHARED by ${others} ${others === 1 ? 'requester' : 'requesters'}`;
  return `SHARED by ${shown.join(', ')}${others > 0 ? ` and ${others} ${others === 1 ? 'other' : 'others'}` : ''}`;
}
