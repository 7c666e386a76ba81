/**
 * Makes a derived token act only for its subject (docs/specification.md#identity): an item's requester is that subject,
 * or absent, and then filled in.
 */
import { z } from 'zod';
import { HoldfastError } from '../domain/errors.ts';

const Item = z.looseObject({ requester: z.unknown().optional() });
const Items = z.array(z.unknown());
const Transaction = z.looseObject({ requests: Items });

/**
 * @param body a request's JSON, not validated yet; what has another form, or too many items, is left as it is: it will
 * be refused
 * @returns the same with the requesters filled in
 * @throws HoldfastError forbidden, where an item names another requester
 */
export function actFor(subject: string, body: unknown, maxItems: number): unknown {
  const { data: items } = Items.safeParse(body);
  const fillAll = (all: unknown[]) => (all.length > maxItems ? all : all.map((item) => fill(subject, item)));
  if (items !== undefined) return fillAll(items);
  const { data: transaction } = Transaction.safeParse(body);
  if (transaction === undefined) return body;
  // The schema leaves out a field named __proto__, which is to be refused like any unknown one.
  return { ...asIs(body), requests: fillAll(transaction.requests) };
}

function fill(subject: string, one: unknown): unknown {
  const { data: item } = Item.safeParse(one);
  if (item === undefined) return one;
  const { requester } = item;
  if (typeof requester === 'string' && requester !== subject)
    throw new HoldfastError('forbidden', 'This token acts only for its subject: leave the requester out.');
  return { ...asIs(one), requester: requester ?? subject };
}

const asIs = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});
