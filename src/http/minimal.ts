/**
 * Results without what the caller knows itself, for requests with `Prefer: return=minimal`
 * (docs/specification.md#minimal-results).
 */
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { AppEnv } from './env.ts';

const PREFERENCE = 'return=minimal';
/** Among other preferences, which RFC 7240 separates by commas, with parameters after semicolons. */
const ASKED = /(?:^|,)\s*return\s*=\s*"?minimal"?\s*(?=$|[,;])/i;

export const PreferHeaders = z.object({
  Prefer: z.string().optional().meta({
    description:
      '`return=minimal` leaves out of each result: `resource` and `requester` if they are those of the item; `explanation` if it is the `status`; fields that are null; `released` if it is the `resource` alone. The response then has `Preference-Applied: return=minimal`.',
    example: PREFERENCE,
  }),
});

type Minimal<Result extends { readonly status: string }> = Partial<Result> & Pick<Result, 'status'>;

interface Item {
  readonly resource?: string | undefined;
  readonly requester: string;
}

/** @returns the results as this request wants them */
export function asPreferred<Result extends { readonly status: string }>(
  c: Pick<Context<AppEnv>, 'env' | 'get' | 'header'>,
  items: readonly Item[],
  results: Result[],
): Result[] | Minimal<Result>[] {
  // Reads the header from where it costs nearly nothing: most requests have none.
  const { prefer } = c.env.incoming.headers;
  if (prefer === undefined || !ASKED.test(String(prefer))) return results;
  c.header('Preference-Applied', PREFERENCE);
  c.header('Vary', 'Prefer');
  // The requester that a derived token implies was filled in: the item did not have to say it.
  const isImplied = c.get('credential').subject !== undefined;
  // The status is never left out.
  return results.map((result, i) => minimal(result, items[i], isImplied) as Minimal<Result>);
}

function minimal(result: object, item: Item | undefined, isImplied: boolean): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  const whole: Record<string, unknown> = { ...result };
  for (const name in whole) {
    const value = whole[name];
    if (value === null) continue;
    if (name === 'resource' && value === item?.resource) continue;
    if (name === 'requester' && value === item?.requester && !isImplied) continue;
    if (name === 'explanation' && value === whole.status) continue;
    if (name === 'released' && Array.isArray(value) && value.length === 1 && value[0] === item?.resource) continue;
    kept[name] = value;
  }
  return kept;
}
