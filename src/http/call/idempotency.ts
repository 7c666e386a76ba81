/**
 * Reads the Idempotency-Key of a request (docs/specification.md#repeating-safely), and whether a call only asks what it
 * would do (docs/specification.md#asking-without-doing).
 */
import { z } from '@hono/zod-openapi';
import { DryRunQuery } from '../../contract/preferences.ts';
import { MAX_KEY_LENGTH } from '../../domain/idempotency.ts';
import { digestOf } from '../../identity/credentials.ts';
import { malformed, misfit } from '../errors.ts';
import type { Call } from './call.ts';

const RULE = `the header Idempotency-Key must be 1 to ${MAX_KEY_LENGTH} visible ASCII characters`;
/** Node joins several headers of this name by a comma and a space. */
const KEY = z.string().regex(new RegExp(`^[\\x21-\\x7e]{1,${MAX_KEY_LENGTH}}$`), RULE);

/**
 * Sets `idempotency` if the request has a key.
 * @param body the request's JSON, with the requesters filled in
 * @throws Refusal
 */
export function takeIdempotency(call: Call, body: unknown): undefined {
  const given = call.incoming.headers['idempotency-key'];
  if (given === undefined) return;
  const { data: key } = KEY.safeParse(given);
  if (key === undefined) throw malformed(RULE);
  const { credentialKey, subject } = call.credential;
  const caller = subject === undefined ? credentialKey : `subject:${subject}`;
  const query = new URL(call.c.req.url).search;
  const text = JSON.stringify([caller, call.method, call.path, query, body], withSortedFields);
  call.idempotency = { key, fingerprint: digestOf(text).toUpperCase() };
}

/** A request is the same in whatever order its objects have their fields. */
const withSortedFields = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;

/** @throws Refusal */
export function isDryRun(call: Call): boolean {
  // Nearly no call has the parameter, and parsing it would cost each of them.
  if (!call.incoming.url?.includes('?')) return false;
  const text = call.c.req.query('dryRun');
  if (text === undefined) return false;
  const { data, error } = DryRunQuery.safeParse({ dryRun: text });
  if (error !== undefined) throw misfit(error);
  if (data.dryRun && call.incoming.headers['idempotency-key'] !== undefined)
    throw malformed(
      'Idempotency-Key must not be sent with dryRun=true: a dry run does nothing that could be done twice',
    );
  return data.dryRun;
}
