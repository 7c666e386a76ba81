/**
 * Conditions of slots: the fields that requests and results have, and the call that sets them
 * (docs/specification.md#condition).
 */
import { z } from 'zod';
import { AFTER_USE, ASKED_CONDITIONS, CONDITION_STATUSES, CONDITIONS } from '../domain/conditions.ts';
import { MAX_NOTE_LENGTH } from '../domain/maxSizes.ts';
import { noteFault } from '../domain/names.ts';
import { batch, byRule, item, must, resourceName } from './fields.ts';

const oneOf = (conditions: readonly string[]) => `one of ${conditions.join(', ')}`;

/** Any condition. */
export const condition = z.enum(CONDITIONS, { error: must(oneOf(CONDITIONS)) });

/** The condition of a reserve item. */
export const askedCondition = z.enum(ASKED_CONDITIONS, { error: must(oneOf(ASKED_CONDITIONS)) }).meta({
  description:
    'The condition that the slot must have. Without it: ready. `dirty` is for those who clean, `out` for those who repair: it needs the right `define`.',
});

/** The condition in an answer, where `ready` is left out. */
export const notReady = z.enum(ASKED_CONDITIONS).optional();

export const afterUse = z.enum(AFTER_USE, { error: must(oneOf(AFTER_USE)) }).meta({
  description:
    'The condition of its slots after a reservation. `dirty`: somebody must clean them first. Absent, this stays as it is; at first `ready`.',
});

export const reason = z
  .string({ error: must('a string') })
  .refine(...byRule((text) => noteFault(text, MAX_NOTE_LENGTH)))
  .meta({ maxLength: MAX_NOTE_LENGTH, description: 'Why, for people.', example: 'display dark' });

/** The counts of a resource's slots that are not ready. */
export const notReadyCounts = {
  outOfService: z
    .int()
    .optional()
    .meta({ description: 'The number of slots that are out of service; left out if none is.' }),
  dirty: z.int().optional().meta({ description: 'The number of slots that are dirty; left out if none is.' }),
};

export const ConditionItem = item({
  resource: resourceName.meta({ description: 'A slot, or a registered resource: of a pool, all its slots.' }),
  condition: condition.meta({ description: 'The condition that it gets.' }),
  reason: reason.optional(),
}).meta({ id: 'ConditionItem' });
export type ConditionItem = z.output<typeof ConditionItem>;

export const ConditionBody = batch(ConditionItem);

export const ConditionResult = z
  .object({
    resource: z.string().meta({ description: 'The resource of the item.' }),
    condition: condition.meta({ description: 'The condition of the item.' }),
    status: z.enum(CONDITION_STATUSES).meta({ description: 'CHANGED: at least one slot had another condition.' }),
    explanation: z
      .string()
      .meta({ description: 'The status again, or the status and a reason: for people.', example: 'CHANGED' }),
  })
  .meta({ id: 'ConditionResult' });
export type ConditionResult = z.output<typeof ConditionResult>;
