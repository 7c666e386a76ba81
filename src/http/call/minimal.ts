/**
 * Results without what the caller knows itself, for requests with `Prefer: return=minimal`
 * (docs/specification.md#minimal-results).
 */
import { z } from '@hono/zod-openapi';
import type { Charged } from '../../domain/quota.ts';
import { INVALID_RELEASE_TOKEN } from '../../domain/reservations.ts';
import { CODE_HEADER } from '../errors.ts';
import type { Call } from './call.ts';
import { charged, NONE, type Reply } from './reply.ts';

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

const APPLIED = { 'Preference-Applied': PREFERENCE, Vary: 'Prefer' };

interface Item {
  readonly resource?: string | undefined;
  readonly requester: string;
}

/** Replies with the results of a call as its caller prefers them. */
export function chargedItems<Result extends { readonly status: string }>(
  done: Charged<Result[]>,
  call: Call<readonly Item[]>,
  status = 200,
  headers = NONE,
): Reply {
  // Most requests have no such header.
  const { prefer } = call.incoming.headers;
  if (prefer === undefined || !ASKED.test(String(prefer))) return charged(done, call, status, headers);
  // The requester that a derived token implies was filled in: the item did not have to say it.
  const isImplied = call.subject !== undefined;
  const result = done.result.map((one, i) => minimal(one, call.body[i], isImplied));
  return charged({ ...done, result }, call, status, headers === NONE ? APPLIED : { ...headers, ...APPLIED });
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

/** The same for renewals and releases: a 403 if the release token of an item is wrong. */
export const chargedReleases = <Result extends { readonly status: string; readonly explanation: string }>(
  done: Charged<Result[]>,
  call: Call<readonly Item[]>,
): Reply =>
  done.result.some(({ explanation }) => explanation === INVALID_RELEASE_TOKEN)
    ? chargedItems(done, call, 403, { [CODE_HEADER]: INVALID_RELEASE_TOKEN })
    : chargedItems(done, call);
