/**
 * Reads forms and searches, and carries out the operation of a form.
 */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { z } from 'zod';
import { HoldfastError, LimitError } from '../domain/errors.ts';
import { nameFault } from '../domain/names.ts';
import { describeFault, FAILURES, retryAfter } from '../http/errors.ts';
import type { DashboardDeps, DashboardEnv } from './env.ts';

const MAX_SEARCH_LENGTH = 256;

/** A search. A text that no name can contain finds everything, as an empty one does. */
export const searched = z
  .string()
  .default('')
  .transform((text) => (nameFault(text, MAX_SEARCH_LENGTH) === null ? text : ''));

/** The number of a page, from 1. */
export const pageNumber = z.coerce.number().int().min(1).max(1_000_000).catch(1);

/**
 * @param all whether several fields of one name are a list; else the last one counts
 * @throws HoldfastError refused if the form has other fields
 */
export async function readForm<Schema extends z.ZodType>(
  c: Context<DashboardEnv>,
  schema: Schema,
  all = false,
): Promise<z.infer<Schema>> {
  const body = await c.req.parseBody({ all }).catch(() => null);
  const { data, error } = schema.safeParse(body);
  if (error !== undefined) throw new HoldfastError('refused', 'The form is malformed.');
  return data;
}

/** @throws HoldfastError refused if the query of the address is malformed */
export function readQuery<Schema extends z.ZodType>(c: Context<DashboardEnv>, schema: Schema): z.infer<Schema> {
  const { data, error } = schema.safeParse(c.req.query());
  if (error !== undefined) throw new HoldfastError('refused', 'The address is malformed.');
  return data;
}

/**
 * Checks a value by a schema of the API.
 * @throws HoldfastError refused
 */
export function check<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(value);
  if (error !== undefined) throw new HoldfastError('refused', describeFault(error));
  return data;
}

/** A failure that a page shows. */
export interface Failed {
  readonly status: ContentfulStatusCode;
  readonly fault: string;
  /** The field that is wrong, as the API calls it; absent: none in particular */
  readonly field?: string | undefined;
  /** Where to go on. */
  readonly link?: { readonly to: string; readonly text: string };
}

/** The failure of a form that needs a database, if there is none. */
export const NO_DATABASE: Failed = {
  status: 503,
  fault: 'This needs a database, and this service runs without one: configure DATABASE_URL (and KEY_SECRET).',
};

/** The outcome of a form. */
export type Attempt<Result> = { readonly ok: true; readonly result: Result } | ({ readonly ok: false } & Failed);

/**
 * Carries out the operation of a form. A failure is returned, so that the page can show it beside the form.
 * @throws HoldfastError unauthenticated; any unexpected error
 */
export async function attempt<Result>(
  { metrics }: Pick<DashboardDeps, 'metrics'>,
  c: Context<DashboardEnv>,
  carryOut: () => Promise<Result>,
): Promise<Attempt<Result>> {
  try {
    return { ok: true, result: await carryOut() };
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code === 'unauthenticated') throw error;
    if (error instanceof LimitError) metrics?.countRefusal(error.hit.limitType);
    if (error.code === 'unavailable') c.error = error;
    for (const [name, value] of Object.entries(retryAfter(error))) c.header(name, value);
    const [, field] = FIELD.exec(error.message) ?? [];
    return { ok: false, status: FAILURES[error.code].status, fault: sentence(error.message), field };
  }
}

/** How messages of the API name the field of the only item of a form. */
const FIELD = /^(?:bookings)?\[0\]\.(\w+)/;

/** Throws what is wrong with a field of a form, in words for people. */
export function refuseField(field: string, message: string): never {
  throw new HoldfastError('refused', `[0].${field}: ${message}`);
}

/**
 * Makes a sentence of a message. Messages of the API name the item and field first, for programs: people see no item
 * number, a capital and a full stop.
 */
function sentence(message: string): string {
  const plain = message.replace(/^(?:bookings)?\[0\]\.(?:\w+: )?/, '');
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1).replace(/\.?$/, '.')}`;
}
