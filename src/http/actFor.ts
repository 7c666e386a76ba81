/**
 * Makes a derived token act only for its subject (decisions, section 9): an item's requester is that subject, or absent, and then filled in.
 */
import { z } from 'zod';
import { HoldfastError } from '../domain/errors.ts';

const Item = z.looseObject({ requester: z.unknown().optional() });
const Items = z.array(z.unknown());
const Transaction = z.looseObject({ requests: Items });

/**
 * @param body a request's JSON, not validated yet; what has another form is left as it is
 * @returns the same with the requesters filled in
 * @throws HoldfastError forbidden, where an item names another requester
 */
export function actFor(subject: string, body: unknown): unknown {
  const { data: items } = Items.safeParse(body);
  if (items !== undefined) return items.map((item) => fill(subject, item));
  const { data: transaction } = Transaction.safeParse(body);
  if (transaction === undefined) return body;
  return { ...transaction, requests: transaction.requests.map((item) => fill(subject, item)) };
}

function fill(subject: string, one: unknown): unknown {
  const { data: item } = Item.safeParse(one);
  if (item === undefined) return one;
  const { requester } = item;
  if (typeof requester === 'string' && requester !== subject)
    throw new HoldfastError('forbidden', 'This token acts only for its subject: leave the requester out.');
  return { ...item, requester: requester ?? subject };
}
