/**
 * Waiting in the queue of a tenant: the fields of requests that wait, and the calls that show and cancel waits
 * (docs/specification.md#waiting).
 */
import { z } from 'zod';
import { MAX_WAITING_BYTES, type Sizes } from '../domain/maxSizes.ts';
import { utf8Length } from '../domain/names.ts';
import { type Asked, CANCEL_STATUSES, TRANSACTION_METHODS, textOfAsked } from '../domain/reservations.ts';
import {
  DEFAULT_CLAIM_SECONDS,
  DEFAULT_POLL_SECONDS,
  DEFAULT_PRIORITY,
  isWaiting,
  MAX_CLAIM_SECONDS,
  MAX_POLL_SECONDS,
  MAX_PRIORITY,
  MIN_CLAIM_SECONDS,
  type Wait,
} from '../domain/waiting.ts';
import { condition } from './conditions.ts';
import { apiKeyLabel, batch, item, must, requesterName, resourceName, time } from './fields.ts';
import { Reason } from './reservationFields.ts';

const waitSeconds = (sizes: Sizes) => {
  const rule = `an integer from 0 to ${sizes.waitSeconds}`;
  return z
    .int({ error: must(rule) })
    .min(0, `must be ${rule}`)
    .max(sizes.waitSeconds, `must be ${rule}`)
    .meta({
      description: 'How long to wait if it cannot be had now, in seconds. 0 or absent: not at all.',
      example: 60,
    });
};

const within = (min: number, max: number, description: string, example: number) => {
  const rule = `an integer from ${min} to ${max}`;
  return z
    .int({ error: must(rule) })
    .min(min, `must be ${rule}`)
    .max(max, `must be ${rule}`)
    .meta({ description, example });
};

/** Fields of a request that waits: of a reserve item, or of a transaction. */
export const waitFields = (sizes: Sizes) => ({
  waitSeconds: waitSeconds(sizes).optional(),
  priority: within(
    -MAX_PRIORITY,
    MAX_PRIORITY,
    `Higher is served first. Default ${DEFAULT_PRIORITY}. With a derived token at most what its registration allows.`,
    0,
  ).optional(),
  claimSeconds: within(
    MIN_CLAIM_SECONDS,
    MAX_CLAIM_SECONDS,
    `How long the place in the queue is kept after a call ended, and how long a reservation waits for its caller once its turn has come. Default ${DEFAULT_CLAIM_SECONDS}.`,
    DEFAULT_CLAIM_SECONDS,
  ).optional(),
});

const onTheWhole = z
  .unknown()
  .refine((value) => value === undefined, 'must stand beside method: a transaction waits as a whole')
  .transform(() => undefined)
  .optional()
  .meta({ not: {}, description: 'Refused: it stands beside `method`.' });

/** The same fields on an item of a transaction: refused, with the place where they belong. */
export const misplacedWaitFields = {
  waitSeconds: onTheWhole,
  priority: onTheWhole,
  claimSeconds: onTheWhole,
} satisfies Record<keyof ReturnType<typeof waitFields>, unknown>;

/** Reports a fault of a field. */
export type Refuse = (path: (string | number)[], message: string) => void;

/** A reservation that a request may wait for. */
interface Wanted extends Asked {
  readonly requester: string;
  readonly note?: string | undefined;
}

/**
 * Checks the rules between the fields of a wait and the reservations that it is for.
 * @param items one of them is the request itself, or they are the items of a transaction
 */
export function checkWait(wait: Wait, items: readonly Wanted[], refuse: Refuse): void {
  for (const field of ['priority', 'claimSeconds'] as const)
    if (wait[field] !== undefined && wait.waitSeconds === undefined) refuse([field], 'needs waitSeconds');
  if (!isWaiting(wait)) return;
  const requesterBytes = utf8Length(items[0]?.requester ?? '');
  const bytes = items.reduce(
    (sum, { note = '', ...asked }) => sum + utf8Length(textOfAsked(asked)) + utf8Length(note),
    requesterBytes,
  );
  if (bytes <= MAX_WAITING_BYTES) return;
  const hasNotes = items.some(({ note = '' }) => note !== '');
  const hasMatch = items.some(({ match }) => match !== undefined);
  const texts = `names${hasMatch ? ', labels' : ''}${hasNotes ? ' and notes' : ''}`;
  refuse(['waitSeconds'], `needs ${texts} of at most ${MAX_WAITING_BYTES} bytes together`);
}

const pollRule = `must be an integer from 0 to ${MAX_POLL_SECONDS}`;

/** The query of calls that may wait. */
export const PollQuery = z.object({
  pollSeconds: z
    .string()
    .regex(/^\d{1,2}$/, pollRule)
    .default(String(DEFAULT_POLL_SECONDS))
    .transform(Number)
    .pipe(z.number().max(MAX_POLL_SECONDS, pollRule))
    .meta({
      type: 'integer',
      minimum: 0,
      maximum: MAX_POLL_SECONDS,
      default: DEFAULT_POLL_SECONDS,
      description:
        'How long the response may be held while something waits, in seconds. 0: not at all; the place is kept without a connection.',
    }),
});

/** Where a request that waits stands. */
export const Standing = z
  .object({
    ahead: z.int().meta({ description: 'How many requests are ahead of it at `waitsFor`.', example: 2 }),
    waitsFor: z
      .string()
      .meta({ description: 'The first thing that it needs and cannot have yet.', example: 'printer' }),
    since: time.meta({ description: 'When the wait began.' }),
    until: time.meta({ description: 'The wait ends then. A repeat after that begins a new wait.' }),
    reason: Reason.optional().meta({
      description: 'Who is in the way. Left out if a request waits for too much at once.',
    }),
  })
  .meta({ id: 'Standing' });

export const CancelItem = item({
  requester: requesterName,
  resource: resourceName.meta({
    description: 'The name of the resource. Of a `match`: the `resource` of the result that said WAITING.',
  }),
}).meta({ id: 'CancelItem' });
export type CancelItem = z.output<typeof CancelItem>;

export const CancelBody = batch(CancelItem);

export const CancelResult = z
  .object({
    resource: z.string().meta({ description: 'The resource of the item.' }),
    requester: z.string().meta({ description: 'The requester of the item.' }),
    status: z.enum(CANCEL_STATUSES).meta({
      description: 'NOT_WAITING: there was no wait to end. The requester may hold it, if a response was lost.',
    }),
  })
  .meta({ id: 'CancelResult' });
export type CancelResult = z.output<typeof CancelResult>;

/** The query of the list of waits. A filter that is left out matches all of them. */
export const WaitingFilter = z.object({
  requester: requesterName.optional().meta({ description: 'Only those of this requester.' }),
  resource: resourceName.optional().meta({ description: 'Only those that name this resource.' }),
});
export type WaitingFilter = z.output<typeof WaitingFilter>;

export const WaitingRequest = z
  .object({
    requester: z.string().meta({ description: 'Who waits.' }),
    resources: z.array(z.string()).meta({ description: 'What the request names, in its order.' }),
    counts: z.array(z.int()).meta({ description: 'The `count` of each of `resources`: how many slots it asks for.' }),
    conditions: z
      .array(condition)
      .optional()
      .meta({ description: 'The `condition` of each of `resources`: which slots it asks for. Left out: all `ready`.' }),
    ttlSeconds: z
      .number()
      .nullable()
      .meta({ description: 'The longest lease that it asks for. Null: that of a session.', example: 3600 }),
    method: z.enum(TRANSACTION_METHODS).nullable().meta({ description: 'Null: a reserve item.' }),
    priority: z.int().meta({ description: 'Higher is served first.' }),
    since: time.meta({ description: 'When the wait began.' }),
    until: time.meta({ description: 'The wait ends then.' }),
    waitsFor: z
      .string()
      .meta({ description: 'The first thing that it needed and could not have, when the service looked last.' }),
    attended: z
      .boolean()
      .meta({ description: 'False: it is detached (`pollSeconds=0`), or passed over until its caller comes back.' }),
    apiKeyLabel,
    note: z.string().optional().meta({ description: 'The first `note` among its items.' }),
    reason: Reason.optional().meta({ description: 'Who holds what it waits for.' }),
  })
  .meta({ id: 'WaitingRequest' });
export type WaitingRequest = z.output<typeof WaitingRequest>;
