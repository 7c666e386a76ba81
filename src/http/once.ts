/**
 * Reads the Idempotency-Key of a request, and marks the responses to repeats (docs/specification.md#repeating-safely).
 */
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { MAX_KEY_LENGTH, type Once } from '../domain/once.ts';
import { digestOf } from '../identity/credentials.ts';
import type { AppEnv } from './env.ts';

/** The header of a response that was kept. */
export const REPLAYED_HEADER = 'Idempotency-Replayed';

const RULE = `the header Idempotency-Key must be 1 to ${MAX_KEY_LENGTH} visible ASCII characters`;
/** Node joins several headers of this name by a comma and a space. */
const KEY = z.string().regex(new RegExp(`^[\\x21-\\x7e]{1,${MAX_KEY_LENGTH}}$`), RULE);

type Call = Pick<Context<AppEnv>, 'env' | 'req' | 'get'>;

/** Reads the header from where it costs nearly nothing: most requests have none. */
const keyOf = ({ env }: Pick<Call, 'env'>) => env.incoming.headers['idempotency-key'];

export const hasIdempotencyKey = (c: Pick<Call, 'env'>): boolean => keyOf(c) !== undefined;

/**
 * @param body the request's JSON, with the requesters filled in
 * @returns `data` is undefined if the request has no key; `error` says what is wrong with it
 */
export function readOnce(c: Call, body: unknown): { readonly data?: Once; readonly error?: string } {
  if (!hasIdempotencyKey(c)) return {};
  const { data: key, error } = KEY.safeParse(keyOf(c));
  if (key === undefined) return { error: error?.issues[0]?.message ?? RULE };
  const { credentialKey, subject } = c.get('credential');
  const caller = subject === undefined ? credentialKey : `subject:${subject}`;
  const { method, path, url } = c.req;
  const query = new URL(url).search;
  const text = JSON.stringify([caller, method, path, query, body], withSortedFields);
  return { data: { key, fingerprint: digestOf(text).toUpperCase() } };
}

/** A request is the same in whatever order its objects have their fields. */
const withSortedFields = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;

/** Sets the header if the response was kept for a repeat. */
export function markReplayed(c: Pick<Context, 'header'>, isReplayed: true | undefined): void {
  if (isReplayed) c.header(REPLAYED_HEADER, 'true');
}
