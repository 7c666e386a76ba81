/**
 * Reads whether a call only asks what it would do (docs/specification.md#asking-without-doing).
 */
import { DryRunQuery } from '../../contract/preferences.ts';
import { malformed, misfit } from '../errors.ts';
import type { Call } from './call.ts';

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
