/**
 * Makes a derived token act only for its subject (docs/specification.md#jwt-exchange): the requester of each item must
 * be that subject. A missing requester is filled in.
 */
import { z } from 'zod';
import { MAX_BOOKINGS_OF_CALL } from '../../domain/bookings.ts';
import { HoldfastError } from '../../domain/errors.ts';

const Item = z.looseObject({ requester: z.unknown().optional() });
const Items = z.array(z.unknown());
const Transaction = z.looseObject({ requests: Items });
const Bookings = z.looseObject({ bookings: Items });

/** Fills in the requester of a body that is one item. @throws as actFor() */
export const actForOne = (subject: string, body: unknown): unknown => fill(subject, body);

/**
 * @param body a request's JSON, not validated yet. A body of another form, or with too many items, is returned as it
 * is: validation refuses it
 * @returns the body with the requesters filled in
 * @throws HoldfastError forbidden if an item names another requester
 */
export function actFor(subject: string, body: unknown, maxItems: number): unknown {
  const { data: items } = Items.safeParse(body);
  if (items !== undefined) return fillAll(subject, items, maxItems);
  const { data: transaction } = Transaction.safeParse(body);
  if (transaction === undefined) return body;
  // The schema drops a field named __proto__. asIs() keeps it, so that it is refused like any unknown field.
  return { ...asIs(body), requests: fillAll(subject, transaction.requests, maxItems) };
}

/** Fills in the requesters of a body that books, up to its own number of items. @throws as actFor() */
export function actForBookings(subject: string, body: unknown): unknown {
  const { data } = Bookings.safeParse(body);
  return data === undefined ? body : { ...asIs(body), bookings: fillAll(subject, data.bookings, MAX_BOOKINGS_OF_CALL) };
}

const fillAll = (subject: string, all: unknown[], maxItems: number): unknown[] =>
  all.length > maxItems ? all : all.map((item) => fill(subject, item));

function fill(subject: string, one: unknown): unknown {
  const { data: item } = Item.safeParse(one);
  if (item === undefined) return one;
  const { requester } = item;
  if (typeof requester === 'string' && requester !== subject)
    throw new HoldfastError('forbidden', 'This token acts only for its subject: leave the requester out.');
  return { ...asIs(one), requester: requester ?? subject };
}

const asIs = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});
