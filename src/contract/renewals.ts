/**
 * Renewals: each gives a reservation a new lease (docs/specification.md#renewals).
 */
import { z } from 'zod';
import type { Sizes } from '../domain/maxSizes.ts';
import { RENEW_STATUSES } from '../domain/reservations.ts';
import { batch, checkMinTtl, ignored, item, minTtlSeconds, time, ttlSeconds } from './fields.ts';
import { heldItem } from './releaseFields.ts';
import { booking, cutLease, explanation, resultRequester, resultResource } from './reservationFields.ts';
import { otherResultFields } from './reservations.ts';

/** What an item may have besides, since callers send it with all fields of the result of the reserve. */
const { ttlSeconds: _, ...otherFields } = otherResultFields;

export const RenewItem = (sizes: Sizes) =>
  item(
    {
      ...heldItem,
      ...otherFields,
      slots: ignored,
      ttlSeconds: ttlSeconds(sizes).meta({ description: 'The new lease, in seconds from now.', example: 30 }),
      minTtlSeconds: minTtlSeconds.optional(),
    },
    { ...otherFields, slots: ignored },
  )
    .superRefine((one, context) =>
      checkMinTtl(one, [], (at, message) => context.addIssue({ code: 'custom', path: at, message })),
    )
    .meta({ id: 'RenewItem' });
export type RenewItem = z.output<ReturnType<typeof RenewItem>>;

export const RenewBody = batch(RenewItem);

export const RenewResult = z
  .object({
    resource: resultResource,
    requester: resultRequester,
    status: z.enum(RENEW_STATUSES).meta({
      description:
        'NOT_AVAILABLE: a booking begins before the new lease would end, and the lease stays as it is. With any other status but RENEWED, the requester does not hold it.',
    }),
    explanation: explanation('RENEWED'),
    expiresAt: time.nullable().meta({ description: 'When the lease ends now. Null: never, or it is not held.' }),
    ...cutLease,
    booking,
  })
  .meta({ id: 'RenewResult' });
export type RenewResult = z.output<typeof RenewResult>;
