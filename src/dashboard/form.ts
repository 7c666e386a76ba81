/**
 * What a form sent, and what was searched for.
 */
import type { Context } from 'hono';
import { z } from 'zod';
import { HoldfastError } from '../domain/errors.ts';
import { nameFault } from '../domain/names.ts';
import type { DashboardEnv } from './env.ts';

const MOST_SEARCHED = 256;

/** What somebody searches for; what no name can hold finds everything, like nothing at all. */
export const searched = z
  .string()
  .default('')
  .transform((text) => (nameFault(text, MOST_SEARCHED) === null ? text : ''));

/** The number of a page, of at least 1. */
export const pageNumber = z.coerce.number().int().min(1).max(1_000_000).catch(1);

/** @throws HoldfastError refused, where it is not such a form */
export async function readForm<Schema extends z.ZodType>(
  c: Context<DashboardEnv>,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const body = await c.req.parseBody().catch(() => null);
  const { data, error } = schema.safeParse(body);
  if (error !== undefined) throw new HoldfastError('refused', 'The form is malformed.');
  return data;
}
