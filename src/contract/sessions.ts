/**
 * Sessions: one heartbeat for many reservations (docs/specification.md#sessions). Not to be confused with the sign-in
 * session of a person.
 */
import { z } from 'zod';
import {
  END_SESSION_STATUSES,
  MAX_SESSION_SECONDS,
  MIN_SESSION_SECONDS,
  RENEW_SESSION_STATUSES,
} from '../domain/reservations.ts';
import { apiKeyLabel, item, must, releaseToken, requesterName, sessionId, time } from './fields.ts';
import type { Refuse } from './waiting.ts';

const rule = `an integer from ${MIN_SESSION_SECONDS} to ${MAX_SESSION_SECONDS}`;

export const NewSession = item({
  requester: requesterName,
  ttlSeconds: z
    .int({ error: must(rule) })
    .min(MIN_SESSION_SECONDS, `must be ${rule}`)
    .max(MAX_SESSION_SECONDS, `must be ${rule}`)
    .meta({ description: 'How long the session lasts after it began or was renewed, in seconds.', example: 30 }),
}).meta({ id: 'NewSession' });
export type NewSession = z.output<typeof NewSession>;

const id = z.uuid().meta({ description: 'Names the session in other calls.' });
const token = z.uuid().meta({ description: 'Needed to renew and to end the session.' });

export const BegunSession = z
  .object({ session: id, token, expiresAt: time.meta({ description: 'When it ends if nobody renews it.' }) })
  .meta({ id: 'BegunSession' });
export type BegunSession = z.output<typeof BegunSession>;

export const SessionProof = item({
  session: sessionId,
  token: releaseToken.meta({
    description: 'The token of the session.',
    example: 'b6e2d0a4-58c0-4c4e-9b57-2f7d9a1c6e03',
  }),
}).meta({ id: 'SessionProof' });
export type SessionProof = z.output<typeof SessionProof>;

export const RenewedSession = z
  .object({
    status: z.enum(RENEW_SESSION_STATUSES).meta({ description: 'NOT_FOUND: it has ended, or the token is wrong.' }),
    expiresAt: time.nullable().meta({ description: 'When it ends now. Null: there is none.' }),
  })
  .meta({ id: 'RenewedSession' });
export type RenewedSession = z.output<typeof RenewedSession>;

export const EndedSession = z
  .object({
    status: z.enum(END_SESSION_STATUSES).meta({ description: 'NOT_FOUND: it has ended, or the token is wrong.' }),
    released: z.int().meta({ description: 'The number of reservations that ended with it.' }),
  })
  .meta({ id: 'EndedSession' });
export type EndedSession = z.output<typeof EndedSession>;

export const Session = z
  .object({
    session: id,
    requester: z.string().meta({ description: 'Whose session it is.' }),
    ttlSeconds: z.int().meta({ description: 'How long it lasts after a renewal, in seconds.' }),
    createdAt: time.meta({ description: 'When it began.' }),
    expiresAt: time.meta({ description: 'When it ends if nobody renews it.' }),
    holds: z.int().meta({ description: 'The number of its reservations.' }),
    apiKeyLabel,
  })
  .meta({ id: 'Session' });
export type Session = z.output<typeof Session>;

/** The field of a reservation that lasts as long as a session. */
export const session = sessionId.optional().meta({
  description: 'The reservation lasts as long as this session of its requester. Instead of `ttlSeconds`.',
});

interface Lasting {
  readonly ttlSeconds?: number | undefined;
  readonly session?: string | undefined;
}

type Item = ({ readonly requestType: 'RESERVE' } & Lasting) | { readonly requestType: 'UNRESERVE' };

/** Refuses a reservation that has both a lease and a session. */
export function checkSession({ ttlSeconds, session }: Lasting, path: (string | number)[], refuse: Refuse): void {
  if (ttlSeconds !== undefined && session !== undefined)
    refuse([...path, 'session'], 'must not stand beside ttlSeconds');
}

/** Refuses items of a transaction that have both, or two sessions: their own, and that of the whole. */
export function checkSessions(items: readonly Item[], ofAll: string | undefined, refuse: Refuse): void {
  for (const [i, item] of items.entries()) {
    if (item.requestType !== 'RESERVE') continue;
    const path = ['requests', i];
    checkSession({ ttlSeconds: item.ttlSeconds, session: item.session ?? ofAll }, path, refuse);
    if (item.session !== undefined && ofAll !== undefined) refuse([...path, 'session'], 'stands beside method already');
  }
}

/** Returns the items of a transaction, each RESERVE with the session of the whole. */
export const inSession = <One extends Item>(items: readonly One[], ofAll: string | undefined): readonly One[] =>
  ofAll === undefined ? items : items.map((one) => (one.requestType === 'RESERVE' ? { ...one, session: ofAll } : one));
