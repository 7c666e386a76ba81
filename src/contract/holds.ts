/** What a reservation holds, and who holds what another one lacks. Fields of results. */
import { z } from 'zod';
import { mode, time } from './fields.ts';

/** What a reservation holds besides its own slot (docs/specification.md#plans). */
export const details = {
  acquiredSlots: z.record(z.string(), z.string()).nullable().meta({
    description: 'The slot that it has of each pool, by the name of the pool: of its own and of its ancestors.',
  }),
  acquiredBlockers: z
    .array(z.string())
    .nullable()
    .meta({ description: 'The slots that are held along with it: its blockers, and their ancestors.' }),
  reservedAtPath: z
    .string()
    .nullable()
    .meta({ description: 'Its ancestors and itself, from the root down, joined by `>`. Null: it has no ancestors.' }),
  mode: mode
    .optional()
    .meta({ description: 'Left out if the request did not say it and the reservation is EXCLUSIVE.' }),
  slots: z
    .array(z.string())
    .optional()
    .meta({ description: 'Only with a `count` of more than 1: its slots of the pool, in index order.' }),
};

/** The one slot that a refused item lacked first, and who holds it (docs/specification.md#why-a-reservation-fails). */
export const HeldBy = z
  .object({
    resource: z
      .string()
      .meta({ description: 'What is held: the resource itself, the slot, an ancestor or a blocker.' }),
    requester: z
      .string()
      .nullable()
      .meta({ description: 'The holder. Null: it is held as a blocker of another resource, or SHARED.' }),
    since: time.nullable().meta({ description: 'Null, as the next two, if it is held along with another resource.' }),
    expiresAt: time.nullable(),
    note: z.string().nullable(),
  })
  .meta({ id: 'HeldBy' });
