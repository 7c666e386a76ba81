/**
 * Reads whether a call only asks what it would do (docs/specification.md#asking-without-doing).
 */
import type { Context } from 'hono';
import { DryRunQuery } from '../contract/dryRun.ts';
import { refuse, refuseMalformed } from './errors.ts';

/** @returns whether it is a dry run; or the response to a malformed request */
export function readDryRun(c: Context) {
  const text = c.req.query('dryRun');
  // Nearly no call has the parameter, and parsing it would cost each of them.
  if (text === undefined) return false;
  const { data, error } = DryRunQuery.safeParse({ dryRun: text });
  if (error !== undefined) return refuseMalformed(c, error);
  if (data.dryRun && c.req.header('Idempotency-Key') !== undefined)
    return refuse(
      c,
      'Idempotency-Key must not be sent with dryRun=true: a dry run does nothing that could be done twice',
    );
  return data.dryRun;
}
