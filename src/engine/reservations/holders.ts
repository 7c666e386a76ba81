/**
 * Reads what scripts say about holders: who holds a slot, for pages, and who is in the way of a reserve.
 */

import { z } from 'zod';
import type { Reason } from '../../contract/reservationFields.ts';
import { REASONS } from '../../domain/reservations.ts';
import { parseItem, toInteger, toMs, toTime } from '../../redis/reply.ts';
import { type NotReady, toNotReady } from './slotConditions.ts';

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
  /** True if it was granted to a waiting request that has not claimed it. It then ends at `until`. */
  readonly isUnclaimed: boolean;
  /** True if it ends with a session of its caller, which a heartbeat keeps. */
  readonly hasSession: boolean;
  /** The name that its request had. */
  readonly resource: string;
  /** '' if the key has none */
  readonly keyLabel: string;
  readonly note: string | undefined;
  /** The condition that it asked for; null: ready */
  readonly condition: NotReady | null;
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
  const [resource = '', keyLabel = '', note = '', condition, ...sharers] = rest;
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
      condition: toNotReady(condition),
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

const Ms = z.number();

const ReasonText = z.object({
  k: z.enum(REASONS),
  r: z.string(),
  h: z
    .array(
      z.object({
        q: z.string(),
        s: z.string(),
        r: z.string().optional(),
        a: Ms.default(0),
        e: Ms.default(0),
        n: z.string().optional(),
      }),
    )
    .default([]),
  m: z.number(),
  w: z.array(z.object({ q: z.string(), a: Ms, e: Ms, n: z.string() })).default([]),
});

/**
 * Reads who is in the way of a reserve (docs/specification.md#who-is-in-the-way), as
 * lua/reservations/why.lua describes it.
 * @param text '' if nobody is in the way, or it is not known who
 */
export function toReason(text: string): { readonly reason?: Reason } {
  if (text === '') return {};
  const { k, r, h, m, w } = ReasonText.parse(JSON.parse(text));
  const holders = h.map(({ q, s, r: resource, a, e, n }) => ({
    requester: q,
    resource: resource ?? null,
    slot: s,
    since: toTime(a),
    until: toTime(e),
    note: n ?? null,
  }));
  const next = w.map(({ q, a, e, n }) => ({
    requester: q,
    since: new Date(a).toISOString(),
    until: new Date(e).toISOString(),
    note: n || null,
  }));
  return { reason: { kind: k, resource: r, holders, more: m, next } };
}
