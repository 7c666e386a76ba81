/**
 * Reservations: the requests that make, end and show them, and their results (docs/specification.md#resources,
 * #operations).
 */
import { z } from 'zod';
import { MAX_WAITING_ITEMS, type Sizes } from '../domain/maxSizes.ts';
import {
  RESERVE_STATUSES,
  TRANSACTION_METHODS,
  TRANSACTION_STATUSES,
  UNRESERVE_STATUSES,
} from '../domain/reservations.ts';
import { isWaiting, WAITING_METHODS } from '../domain/waiting.ts';
import { heldAttributes } from './attributes.ts';
import { askedCondition, notReady } from './conditions.ts';
import {
  apiKeyLabel,
  batch,
  checkCounts,
  checkMinTtl,
  count,
  heldNote,
  ignored,
  item,
  minTtlSeconds,
  mode,
  note,
  requesterName,
  resourceName,
  resourceType,
  time,
  ttlSeconds,
} from './fields.ts';
import { checkAsked, checkMatches, checkMode, match, named } from './match.ts';
import { checkReport, unreserveItem } from './releaseFields.ts';
import {
  booking,
  cutLease,
  details,
  explanation,
  HeldBy,
  method,
  requestType,
  resultRequester,
  resultResource,
} from './reservationFields.ts';
import { checkSession, checkSessions, inSession, session } from './sessions.ts';
import { checkWait, misplacedWaitFields, type Refuse, Standing, waitFields } from './waiting.ts';

/** Reports faults of a schema's fields. */
const refusing =
  (context: z.RefinementCtx): Refuse =>
  (path, message) =>
    context.addIssue({ code: 'custom', path, message });

const reserveItem = (sizes: Sizes) => ({
  requester: requesterName,
  resource: resourceName.optional(),
  match: match.optional(),
  ttlSeconds: ttlSeconds(sizes).optional(),
  minTtlSeconds: minTtlSeconds.optional(),
  session,
  resourceType: resourceType.optional(),
  note: note.optional(),
  count: count(sizes).optional(),
  mode: mode.optional(),
  condition: askedCondition.optional(),
});

export const ReserveItem = (sizes: Sizes) =>
  item({ ...reserveItem(sizes), ...waitFields(sizes) })
    .superRefine((one, context) => {
      const refuse = refusing(context);
      checkAsked(one, [], refuse);
      checkSession(one, [], refuse);
      checkWait(one, [one], refuse);
      checkMode(one, [], refuse);
      checkMinTtl(one, [], refuse);
    })
    .transform(named)
    .meta({ id: 'ReserveItem' });
export type ReserveItem = z.output<ReturnType<typeof ReserveItem>>;

export const ReserveBody = batch(ReserveItem, (items, sizes, context) =>
  checkCounts(items, sizes, (index) => [index], refusing(context)),
);

export const ReserveResult = z
  .object({
    resource: resultResource,
    requester: resultRequester,
    status: z.enum(RESERVE_STATUSES).meta({ description: 'ACQUIRED and ALREADY_HAD: the requester holds it.' }),
    explanation: explanation('ACQUIRED'),
    releaseToken: z
      .uuid()
      .nullable()
      .meta({ description: 'Releases and renews the reservation. Null: there is none, or it was a dry run.' }),
    expiresAt: time.nullable().meta({ description: 'When the lease ends. Null: never, or it is not held.' }),
    ...cutLease,
    ...details,
    ...heldAttributes,
    booking,
    fencingToken: z.int().nullable().meta({ description: 'Grows with every ACQUIRED of the tenant.' }),
    waitedMs: z
      .int()
      .optional()
      .meta({ description: 'How long the item waited until it was ACQUIRED. Only with `waitSeconds`.' }),
    heldBy: HeldBy.optional().meta({
      description: 'Who holds it, if one certain slot was in the way. Left out if any slot of a pool would do.',
    }),
    waiting: Standing.optional().meta({ description: 'Only with the status WAITING: send the same request again.' }),
  })
  .meta({ id: 'ReserveResult' });
export type ReserveResult = z.output<typeof ReserveResult>;

/** The other fields of a reserve result. A field that is missing here does not compile. */
export const otherResultFields = {
  status: ignored,
  explanation: ignored,
  expiresAt: ignored,
  acquiredSlots: ignored,
  acquiredBlockers: ignored,
  reservedAtPath: ignored,
  mode: ignored,
  attributes: ignored,
  slotAttributes: ignored,
  fencingToken: ignored,
  waitedMs: ignored,
  waiting: ignored,
  heldBy: ignored,
  ttlSeconds: ignored,
  bookedFrom: ignored,
  booking: ignored,
} satisfies Record<Exclude<keyof ReserveResult, keyof typeof unreserveItem>, unknown>;

export const UnreserveItem = item({ ...unreserveItem, ...otherResultFields }, otherResultFields)
  .superRefine((one, context) => checkReport(one, [], refusing(context)))
  .meta({ id: 'UnreserveItem' });
export type UnreserveItem = z.output<typeof UnreserveItem>;

export const UnreserveBody = batch(UnreserveItem);

export const UnreserveResult = z
  .object({
    resource: resultResource,
    requester: resultRequester,
    status: z
      .enum(UNRESERVE_STATUSES)
      .meta({ description: 'RELINQUISHED: it was released. NOT_RESERVED: nobody held it.' }),
    explanation: explanation('RELINQUISHED'),
    released: z.array(z.string()).nullable().meta({ description: 'The slots that became free.' }),
    condition: notReady.meta({
      description:
        'Only if slots of the resource are not ready now: `out` if one of them is out of service, else `dirty`.',
    }),
  })
  .meta({ id: 'UnreserveResult' });
export type UnreserveResult = z.output<typeof UnreserveResult>;

export const TransactionItem = (sizes: Sizes) =>
  z
    .discriminatedUnion(
      'requestType',
      [
        item(
          { requestType: requestType('RESERVE'), ...reserveItem(sizes), ...misplacedWaitFields },
          misplacedWaitFields,
        )
          .superRefine((one, context) => checkAsked(one, [], refusing(context)))
          .transform(named),
        item(
          { requestType: requestType('UNRESERVE'), ...unreserveItem, ...otherResultFields, ...misplacedWaitFields },
          { ...otherResultFields, ...misplacedWaitFields },
        ).superRefine((one, context) => checkReport(one, [], refusing(context))),
      ],
      { error: ({ code }) => (code === 'invalid_union' ? 'must be RESERVE or UNRESERVE' : 'must be an object') },
    )
    .meta({ id: 'TransactionRequest' });
export type TransactionItem = z.output<ReturnType<typeof TransactionItem>>;

const transaction = (sizes: Sizes) => ({
  method: method(`must be one of ${TRANSACTION_METHODS.join(', ')}`),
  requests: batch(TransactionItem)(sizes),
  session: session.meta({ description: 'Stands for the same `session` on each RESERVE.' }),
  ...waitFields(sizes),
});
export const Transaction = (sizes: Sizes) =>
  item(transaction(sizes))
    .superRefine((one, context) => checkTransaction(one, sizes, refusing(context)))
    .meta({ id: 'Transaction' });
export type Transaction = z.output<ReturnType<typeof Transaction>>;

/** Checks the rules between the fields of a transaction. */
function checkTransaction(
  { method, requests: items, session, ...wait }: z.output<z.ZodObject<ReturnType<typeof transaction>>>,
  sizes: Sizes,
  refuse: Refuse,
): void {
  checkSessions(items, session, refuse);
  const requests = inSession(items, session);
  const counts = requests.map((one) => (one.requestType === 'RESERVE' ? one : {}));
  checkCounts(counts, sizes, (index) => ['requests', index], refuse);
  for (const [index, one] of requests.entries())
    if (one.requestType === 'RESERVE') {
      checkMode(one, ['requests', index], refuse);
      checkMinTtl(one, ['requests', index], refuse);
    }
  const releaseAt = requests.findIndex(({ requestType }) => requestType !== 'RESERVE');
  const atRelease = ['requests', releaseAt, 'requestType'];
  if (releaseAt >= 0 && method === 'FIRST') refuse(atRelease, 'must be RESERVE where the method is FIRST');
  const reserves = requests.filter((one) => one.requestType === 'RESERVE');
  checkWait(wait, reserves, refuse);
  if (!isWaiting(wait)) return;
  if (!WAITING_METHODS.some((one) => one === method))
    refuse(['method'], `must be ${WAITING_METHODS.join(' or ')} where waitSeconds is more than 0`);
  if (requests.length > MAX_WAITING_ITEMS)
    refuse(['requests'], `must hold at most ${MAX_WAITING_ITEMS} items where waitSeconds is more than 0`);
  if (releaseAt >= 0) refuse(atRelease, 'must be RESERVE where waitSeconds is more than 0');
  checkMatches(reserves, ['requests'], refuse);
  const otherAt = requests.findIndex(({ requester }) => requester !== requests[0]?.requester);
  if (otherAt >= 0)
    refuse(['requests', otherAt, 'requester'], 'must be that of the other items where waitSeconds is more than 0');
  const sessions = reserves.map((one) => one.session);
  const differsAt = sessions.findIndex((one) => one !== sessions[0]);
  if (differsAt >= 0)
    refuse(['requests', differsAt, 'session'], 'must be that of the other items where waitSeconds is more than 0');
}

/** In a transaction, an item that is not kept is NOT_AVAILABLE, a release too. */
const UndoneUnreserveResult = UnreserveResult.extend({ status: z.literal('NOT_AVAILABLE') }).meta({
  id: 'UndoneUnreserveResult',
});

export const TransactionItemResult = z.union([ReserveResult, UnreserveResult, UndoneUnreserveResult]);
export type TransactionItemResult = z.output<typeof TransactionItemResult>;

export const TransactionResult = z
  .object({
    method: method(),
    status: z.enum(TRANSACTION_STATUSES).meta({ description: 'ROLLED_BACK: nothing has changed.' }),
    results: z.array(TransactionItemResult).meta({
      description:
        'A result for each item, as of a reserve or an unreserve. Of items that are not kept: NOT_AVAILABLE.',
    }),
  })
  .meta({ id: 'TransactionResult' });
export type TransactionResult = z.output<typeof TransactionResult>;

/** The query of the list of active reservations. A filter that is left out matches all of them. */
export const ActiveFilter = z.object({
  requester: requesterName.optional().meta({ description: 'Only those of this requester.' }),
  resource: resourceName.optional().meta({ description: 'Only those that were reserved by this name.' }),
});
export type ActiveFilter = z.output<typeof ActiveFilter>;

export const ActiveReservation = z
  .object({
    resource: resultResource,
    requester: z.string().meta({ description: 'Who holds it.' }),
    resourceType: z.string().meta({ description: 'The tag of the request.' }),
    reservedAt: time.meta({ description: 'When it was reserved.' }),
    expiresAt: time.nullable().meta({ description: 'When the lease ends. Null: never.' }),
    claimBy: time.nullable().meta({
      description: 'When it ends if the caller that waited for it does not get the response. Null: the caller has it.',
    }),
    ...details,
    fencingToken: z.int().meta({ description: 'Grows with every ACQUIRED of the tenant.' }),
    apiKeyLabel,
    note: heldNote.optional(),
    condition: notReady.meta({ description: 'The condition that it asked for. Left out: ready.' }),
    session: z.uuid().optional().meta({ description: 'The session that it lasts as long as.' }),
    booking,
  })
  .meta({ id: 'ActiveReservation' });
export type ActiveReservation = z.output<typeof ActiveReservation>;

export const Cleared = z
  .object({ cleared: z.int().meta({ description: 'The number of reservations that ended.' }) })
  .meta({ id: 'Cleared' });
