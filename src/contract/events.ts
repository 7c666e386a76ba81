/**
 * The events of a tenant (docs/specification.md#events): their types, and the one schema that the API documents and
 * tests check.
 */
import { z } from 'zod';
import { LIMITED_BY } from '../domain/errors.ts';
import { EVENT_TYPES, type EventType } from '../domain/eventTypes.ts';
import { TRANSACTION_METHODS } from '../domain/reservations.ts';
import { apiKeyLabel, time } from './fields.ts';

/** The fields that only some types of events have. Other types have null there. */
const RESERVATION = ['resource', 'requester'] as const;
const LEASE = ['expiresAt', 'acquiredSlots', 'fencingToken'] as const;
const TRANSACTION = ['method', 'changes'] as const;
const LIMIT = ['limitType', 'limit'] as const;
const ACTOR = ['actor'] as const;
const OPTIONAL_FIELDS = [...RESERVATION, ...LEASE, ...TRANSACTION, ...LIMIT, ...ACTOR] as const;

/** The optional fields of each type, as lua/events/events.lua writes them. */
const FIELDS_OF = {
  RESERVED: [...RESERVATION, ...LEASE],
  RENEWED: [...RESERVATION, ...LEASE],
  UNRESERVED: [...RESERVATION, ...ACTOR],
  RESERVATION_EXPIRED: RESERVATION,
  RESERVE_FAILED: RESERVATION,
  UNRESERVE_FAILED: RESERVATION,
  TRANSACTION_APPLIED: TRANSACTION,
  TRANSACTION_ROLLED_BACK: TRANSACTION,
  WAITING: [...RESERVATION, ...TRANSACTION],
  WAIT_ENDED: [...RESERVATION, ...TRANSACTION],
  RESET: ACTOR,
  CONDITION: [...RESERVATION, ...ACTOR],
  TIER_LIMIT_REACHED: LIMIT,
  ENDS_SOON: [...RESERVATION, ...LEASE],
  WANTED: [...RESERVATION, ...LEASE],
  BOOKED: [...RESERVATION, ...ACTOR],
  BOOKING_CHANGED: [...RESERVATION, ...ACTOR],
  BOOKING_CANCELLED: [...RESERVATION, ...ACTOR],
  BOOKING_DELAYED: RESERVATION,
} as const satisfies Record<EventType, readonly (typeof OPTIONAL_FIELDS)[number][]>;

/** The optional fields that events of this type do not have. */
export const fieldsMissingFrom = (type: EventType): readonly string[] => {
  const fields: readonly string[] = FIELDS_OF[type];
  return OPTIONAL_FIELDS.filter((field) => !fields.includes(field));
};

const expiresAt = time.nullable().meta({ description: 'End of the lease. null: the reservation has none.' });
const acquiredSlots = z
  .record(z.string(), z.string())
  .nullable()
  .meta({ description: 'The slot that the reservation has of each pool.' });
const note = z.string().meta({ description: 'Only of a reservation whose request had a `note`.' });
const slots = z.array(z.string()).meta({
  description: 'Only if the reservation has several slots of a pool: all of them, in the order of their numbers.',
});
const mode = z.literal('SHARED').meta({ description: 'Only if the reservation is SHARED.' });
const fencingToken = z.int().nullable().meta({ description: 'The fencing token of the reservation.' });

const actor = z.string().meta({
  description:
    'Who did it: `person:<e-mail address>`, `key:<label>`, `user:<subject>` of a derived token, `token:<label>` or `admin:<e-mail address>`.',
  example: 'person:someone@example.com',
});

export const Change = z.object({
  resource: z.string().meta({ description: 'The resource of the item.' }),
  requester: z.string().meta({ description: 'The requester of the item.' }),
  requestType: z.enum(['RESERVE', 'UNRESERVE']).meta({ description: 'What the item does.' }),
  explanation: z.string().meta({ description: 'The status that the item got.' }),
  actor: actor.optional().meta({ description: 'Who released it: only with RELINQUISHED.' }),
  // Only with ACQUIRED.
  expiresAt: expiresAt.optional(),
  acquiredSlots: acquiredSlots.optional(),
  slots: slots.optional(),
  mode: mode.optional(),
  fencingToken: fencingToken.optional(),
  note: note.optional(),
});

const Booked = z.object({
  requester: z.string().meta({ description: 'Whose booking it is.' }),
  start: time.meta({ description: 'When it begins.' }),
  end: time.meta({ description: 'When it ends.' }),
});

export const Event = z
  .object({
    type: z.enum(EVENT_TYPES).meta({ description: 'What happened. It is the name of the event, too.' }),
    tenantId: z.string().meta({ description: 'The id of the tenant.' }),
    resource: z.string().nullable().meta({
      description:
        'The name that was reserved. Of failures and waits, the name that was asked for, or the text of a match. Of CONDITION, the slot. Null: the event is about no single resource.',
    }),
    requester: z.string().nullable().meta({ description: 'The requester of the item.' }),
    explanation: z.string().nullable().meta({
      description: 'The status that the request got. Of CONDITION: `ready`, `dirty` or `out`.',
      example: 'ACQUIRED',
    }),
    resourceType: z.string().nullable().meta({ description: 'The tag of the reservation.' }),
    apiKeyLabel,
    actor: actor.nullable().meta({
      description: 'Who did it: UNRESERVED, RESET, CONDITION and bookings only. null: it happened by itself.',
    }),
    requestType: z
      .enum([
        'RESERVE',
        'UNRESERVE',
        'RENEW',
        'TRANSACTION',
        'EXPIRE',
        'RESET',
        'WAIT',
        'SESSION',
        'READ',
        'CONNECT',
        'CONDITION',
        'BOOK',
      ])
      .nullable()
      .meta({ description: 'The kind of request that caused it.' }),
    timestamp: time.meta({ description: 'The time of the change.' }),
    expiresAt,
    claimBy: time.optional().meta({
      description: 'RESERVED only, of a grant that has to be claimed: until when.',
    }),
    acquiredSlots,
    slots: slots.optional(),
    mode: mode.optional(),
    fencingToken,
    note: note.optional(),
    waiting: z.int().optional().meta({ description: 'WANTED only: the number of tickets that wait for it.' }),
    booking: z.uuid().optional().meta({ description: 'Bookings only: its id.' }),
    start: time.optional().meta({ description: 'Bookings only: when it begins.' }),
    end: time.optional().meta({ description: 'Bookings only: when it ends.' }),
    reason: z.string().nullable().optional().meta({ description: 'CONDITION only: why. null: nobody said so.' }),
    booked: z.array(Booked).optional().meta({
      description:
        'CONDITION only, of a slot that is booked and goes out of service or comes back: the first of its bookings that have not begun.',
    }),
    method: z.enum(TRANSACTION_METHODS).nullable().meta({ description: 'Transactions only.' }),
    changes: z
      .array(Change)
      .nullable()
      .meta({ description: 'Transactions only: the result of each of its requests, in order.' }),
    limitType: z.enum(Object.keys(LIMITED_BY)).nullable().meta({ description: 'TIER_LIMIT_REACHED only.' }),
    limit: z.int().nullable().meta({ description: 'TIER_LIMIT_REACHED only.' }),
  })
  .meta({ id: 'Event' });
export type Event = z.infer<typeof Event>;
