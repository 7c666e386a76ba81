/**
 * Looking at resources: who holds them, and whether they can be reserved (docs/specification.md#operations).
 */
import { z } from 'zod';
import { notReady } from './conditions.ts';
import { batch, heldNote, item, requesterName, resourceName, time } from './fields.ts';
import { Reason } from './reservationFields.ts';

export const CheckItem = item({
  resource: resourceName,
  requester: requesterName
    .optional()
    .meta({ description: 'Who asks: `heldByRequester` and `reservable` are about this requester.' }),
}).meta({
  id: 'CheckItem',
});
export type CheckItem = z.output<typeof CheckItem>;

export const CheckBody = batch(CheckItem);

export const CheckResult = z
  .object({
    resource: z.string().meta({ description: 'The name that was asked about.' }),
    reserved: z.boolean().meta({ description: 'True if no slot of the resource is free and ready.' }),
    requester: z
      .string()
      .nullable()
      .meta({ description: 'The owner, if the resource has one slot. Null if several hold it SHARED.' }),
    heldByRequester: z
      .boolean()
      .nullable()
      .meta({ description: 'True if the requester of the item holds it. Null if the item names no requester.' }),
    expiresAt: time
      .nullable()
      .meta({ description: 'When the reservation of this requester ends, else that of the one owner.' }),
    waiting: z.int().meta({ description: 'The number of requests that wait for it.' }),
    note: heldNote.optional(),
    reservable: z.boolean().nullable().meta({
      description:
        'Whether a reserve of it would succeed now, with some lease: by the requester of the item, or by a new one if it names none. Null if the request asks about too much.',
    }),
    bookedFrom: time.optional().meta({
      description:
        'From when on it is booked for others than the requester. Of a pool: the latest of its free slots, or that of the slot that the requester holds. Left out: never.',
    }),
    mode: z
      .literal('SHARED')
      .optional()
      .meta({ description: 'Only if the resource has one slot, and it is held SHARED.' }),
    reason: Reason.optional().meta({
      description: 'Who is in the way, if `reservable` is false. Left out if the request asks about too much.',
    }),
    condition: notReady.meta({ description: 'Only of a single slot that is not ready: dirty, or out of service.' }),
    conditionReason: z.string().optional().meta({ description: 'Only with `condition`: why, if somebody said so.' }),
    holders: z.int().optional().meta({ description: 'Only with `mode`: how many requesters hold it.' }),
  })
  .meta({ id: 'CheckResult' });
export type CheckResult = z.output<typeof CheckResult>;
