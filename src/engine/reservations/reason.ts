/**
 * Reads who is in the way of a reserve (docs/specification.md#who-is-in-the-way), as
 * lua/reservations/why.lua describes it.
 */
import { z } from 'zod';
import type { Reason } from '../../contract/reservationFields.ts';
import { REASONS } from '../../domain/reservations.ts';
import { toTime } from '../../redis/reply.ts';

const Ms = z.number();

const Text = z.object({
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

/** @param text '' if nobody is in the way, or it is not known who */
export function toReason(text: string): { readonly reason?: Reason } {
  if (text === '') return {};
  const { k, r, h, m, w } = Text.parse(JSON.parse(text));
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
