/** The history of ended reservations and waits, and the use of a resource (docs/specification.md#history). */
import { z } from 'zod';
import { ENDINGS, ENTRY_KINDS } from '../domain/history.ts';
import { MODES } from '../domain/reservations.ts';
import { apiKeyLabel, heldNote, instant, listFormat, pageLimit, requesterName, resourceName, time } from './fields.ts';

export const HistoryEntry = z
  .object({
    id: z.string().meta({ description: 'Names the entry within the tenant.', example: 'R1042' }),
    kind: z.enum(ENTRY_KINDS).meta({
      description: 'WAIT: a wait that ended without a reservation. OUT_OF_SERVICE: a time for which a slot was.',
    }),
    resource: z.string().meta({ description: 'The resource. Of a wait for several: the one that it lacked.' }),
    requestedName: z
      .string()
      .nullable()
      .meta({ description: 'The name that the caller asked for: a slot, or a path. Null: that of the resource.' }),
    slots: z.array(z.string()).meta({ description: 'The slots that it held of the resource. Empty for a wait.' }),
    requester: z.string().meta({ description: 'Who held it, waited, or took it out of service.' }),
    resourceType: z.string().meta({ description: 'The tag of the request.' }),
    mode: z.enum(MODES).meta({ description: 'SHARED: others could hold it at the same time.' }),
    apiKeyLabel,
    note: heldNote.nullable(),
    fencingToken: z.int().nullable().meta({ description: 'Null, unless it is a reservation.' }),
    waitedMs: z.int().nullable().meta({ description: 'How long it waited. Null: it did not.' }),
    reservedAt: time
      .nullable()
      .meta({ description: 'When it was reserved, or was taken out of service. Null for a wait.' }),
    endedAt: time.meta({ description: 'When the reservation, the wait, or the time out of service ended.' }),
    ending: z.enum(ENDINGS).meta({ description: 'How it ended.' }),
    actor: z.string().nullable().meta({
      description:
        'Who took it away, reset it, ended its session, or brought it back into service. Null: nobody else did.',
    }),
    booking: z.uuid().nullable().meta({ description: 'The booking that it was the running time of. Null: of none.' }),
  })
  .meta({ id: 'HistoryEntry' });
export type HistoryEntry = z.output<typeof HistoryEntry>;

export const HistoryPage = z
  .object({
    entries: z.array(HistoryEntry).meta({ description: 'The latest first.' }),
    next: z.string().nullable().meta({ description: 'The `cursor` of the next page. Null: there is none.' }),
  })
  .meta({ id: 'HistoryPage' });
export type HistoryPage = z.output<typeof HistoryPage>;

const bound = (description: string) => instant.meta({ type: 'string', format: 'date-time', description });

/** The query of a page of the history. */
export const HistoryQuery = z.object({
  resource: resourceName.optional().meta({ description: 'Only entries of this resource, whichever slots.' }),
  requester: requesterName.optional().meta({ description: 'Only entries of this requester.' }),
  from: bound('Only entries that ended at this time or later.'),
  to: bound('Only entries that ended before this time.'),
  cursor: z.string().optional().meta({ description: 'The `next` of the page before.' }),
  limit: pageLimit,
  format: listFormat('entries'),
});

/** Length of a step of the usage. */
const USAGE_STEPS = ['hour', 'day', 'week'] as const;
export type UsageStep = (typeof USAGE_STEPS)[number];

const UsageStep = z
  .enum(USAGE_STEPS, `must be one of ${USAGE_STEPS.join(', ')}`)
  .default('day')
  .meta({ description: 'How long a step is.' });

/** The query of a resource's usage. */
export const UsageQuery = z.object({
  resource: resourceName,
  from: instant.meta({
    type: 'string',
    format: 'date-time',
    description: 'The start, rounded down to the hour. Default: 7 days before `to`.',
  }),
  to: instant.meta({ type: 'string', format: 'date-time', description: 'The end, at most now. Default: now.' }),
  step: UsageStep,
  format: listFormat('steps'),
});
export type UsageQuery = z.output<typeof UsageQuery>;

const seconds = (description: string) =>
  z
    .number()
    .nullable()
    .meta({ description: `${description} Null: of none.` });

const UsageFigures = z.object({
  share: z.number().meta({
    description: 'The share of the time of all slots, while they were in service, in which they were held, 0 to 1.',
  }),
  outOfServiceShare: z
    .number()
    .meta({ description: 'The share of the time of all slots in which they were out of service, 0 to 1.' }),
  reservations: z.int().meta({ description: 'Reservations that were made.' }),
  meanHeldSeconds: seconds('How long the reservations that ended were held, on average.'),
  p95HeldSeconds: seconds('95 of 100 were held for at most this.'),
  meanWaitedSeconds: seconds('How long the reservations that ended had waited, on average, of those that waited.'),
  p95WaitedSeconds: seconds('95 of 100 had waited for at most this.'),
  refusals: z.int().meta({ description: 'Requests that could not have it.' }),
});
export type UsageFigures = z.output<typeof UsageFigures>;

export const ResourceUsage = z
  .object({
    resource: z.string().meta({ description: 'The resource that was asked about.' }),
    from: time.meta({ description: 'The start of the span.' }),
    to: time.meta({ description: 'The end of the span.' }),
    step: z.enum(USAGE_STEPS).meta({ description: 'How long a step is.' }),
    total: UsageFigures.meta({ description: 'The figures of the whole span.' }),
    steps: z
      .array(UsageFigures.extend({ from: time.meta({ description: 'The start of the step.' }) }))
      .meta({ description: 'The figures of each step.' }),
  })
  .meta({ id: 'ResourceUsage' });
export type ResourceUsage = z.output<typeof ResourceUsage>;
