/**
 * The fields of items that release or renew (docs/specification.md#release), and what a release says about the
 * condition of its slots (docs/specification.md#condition).
 */
import { z } from 'zod';
import { condition, reason } from './conditions.ts';
import { must, releaseToken, requesterName, resourceName } from './fields.ts';
import type { Refuse } from './waiting.ts';

/** The reservation to release or renew. */
export const heldItem = { requester: requesterName, resource: resourceName, releaseToken };

export const unreserveItem = {
  ...heldItem,
  condition: condition.optional().meta({
    description:
      'The condition of its slots from now on. Slots that are out of service stay so, unless the reservation asked for `out`.',
  }),
  reason: reason.optional(),
  slots: z
    .array(resourceName, { error: must('an array of names') })
    .optional()
    .meta({ description: 'With `condition`: the slots that get it. Default: all slots of the reservation.' }),
};

/** Checks the fields that say a condition. `slots` alone may be those of a reserve result. */
export function checkReport(
  { condition, reason }: { readonly condition?: unknown; readonly reason?: unknown },
  path: (string | number)[],
  refuse: Refuse,
): void {
  if (reason !== undefined && condition === undefined) refuse([...path, 'reason'], 'needs condition');
}
