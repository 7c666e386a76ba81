/**
 * The fields that requests and results of reservations share, as the API describes them.
 */
import { z } from 'zod';
import { REASONS, TRANSACTION_METHODS } from '../domain/reservations.ts';
import { mode, time } from './fields.ts';

export const resultResource = z
  .string()
  .meta({ description: 'The name that was asked for. With a `match`: the resource that was picked.' });
export const resultRequester = z.string().meta({ description: 'The requester of the item.' });
export const explanation = (example: string) =>
  z.string().meta({ description: 'The status again, or the status and a reason: for people.', example });

/** The details of a reservation besides its own slot (docs/specification.md#plans). */
export const details = {
  acquiredSlots: z.record(z.string(), z.string()).nullable().meta({
    description: 'The slot that it has of each pool: of the resource itself, and of its ancestors. Null: of none.',
  }),
  acquiredBlockers: z
    .array(z.string())
    .nullable()
    .meta({ description: 'What is taken along, as slots: its blockers and their ancestors. Null: nothing.' }),
  reservedAtPath: z
    .string()
    .nullable()
    .meta({ description: 'The ancestors and the resource itself, joined by `>`. Null: it has no ancestors.' }),
  mode: mode
    .optional()
    .meta({ description: 'Left out if the request did not say it and the reservation is EXCLUSIVE.' }),
  slots: z
    .array(z.string())
    .optional()
    .meta({ description: 'Only with a `count` of more than 1: its slots of the pool, in the order of their numbers.' }),
};

/** What bookings do to a lease, in results (docs/specification.md#leases-end-in-time). */
export const cutLease = {
  ttlSeconds: z.int().optional().meta({
    description: 'Only of a bookable resource: the seconds that are left of the lease, if that ends sooner than asked.',
  }),
  bookedFrom: time.optional().meta({
    description: 'Only if a booking is in the way: the latest end of a lease that would do.',
  }),
};

export const booking = z
  .uuid()
  .optional()
  .meta({ description: 'The booking that the reservation is the running time of.' });

/** The one slot that a refused item lacked first, and who holds it (docs/specification.md#why-a-reservation-fails). */
export const HeldBy = z
  .object({
    resource: z.string().meta({ description: 'What is held: the resource itself, a slot, an ancestor or a blocker.' }),
    requester: z
      .string()
      .nullable()
      .meta({ description: 'The holder. Null: it is held as a blocker of another resource, or SHARED.' }),
    since: time.nullable().meta({ description: 'Null, as the next two, if it is held along with another resource.' }),
    expiresAt: time.nullable().meta({ description: 'When the lease of its holder ends. Null: never.' }),
    note: z.string().nullable().meta({ description: 'The `note` of its holder.' }),
  })
  .meta({ id: 'HeldBy' });

const Holder = z.object({
  requester: z.string().meta({ description: 'Who holds it: never a system requester.' }),
  resource: z.string().nullable().meta({
    description: 'What it asked for: perhaps something that takes `slot` along. Null, as the times: not known.',
  }),
  slot: z.string().meta({ description: 'The slot that is in the way.' }),
  since: time.nullable().meta({ description: 'When it was reserved.' }),
  until: time.nullable().meta({ description: 'When the lease ends. Null, with `since`: never.' }),
  note: z.string().nullable().meta({ description: 'The `note` of the reservation.' }),
});

const NextInQueue = z.object({
  requester: z.string().meta({ description: 'Who waits.' }),
  since: time.meta({ description: 'When the wait began.' }),
  until: time.meta({ description: 'The wait ends then.' }),
  note: z.string().nullable().meta({ description: 'The first `note` among the items of the request.' }),
});

/** Who is in the way of a reserve (docs/specification.md#who-is-in-the-way). */
export const Reason = z
  .object({
    kind: z.enum(REASONS).meta({
      description:
        'What is taken: slots of the resource itself, of an ancestor, or of a blocker. BOOKING: it is free, and booked. QUEUE: it is free, and kept for those who wait.',
    }),
    resource: z.string().meta({ description: 'The resource or slot that is taken.' }),
    holders: z.array(Holder).meta({
      description: 'Who holds it: the first few slots. Of a BOOKING: who has booked it, from `since` to `until`.',
    }),
    more: z.int().meta({ description: 'How many of its slots are held besides.' }),
    next: z.array(NextInQueue).meta({
      description:
        'The first few who wait for it, in the order of the queue; of a request that waits: those before it.',
    }),
  })
  .meta({ id: 'Reason' });
export type Reason = z.output<typeof Reason>;

export const requestType = <Type extends string>(type: Type) =>
  z.literal(type).meta({ description: 'What the item does.' });

export const method = (rule?: string) =>
  z.enum(TRANSACTION_METHODS, rule).meta({
    description:
      '`ALL_OR_NONE`: all items or nothing. `AS_MANY_AS_POSSIBLE`: each item on its own. `FIRST`: the first item that succeeds.',
  });
