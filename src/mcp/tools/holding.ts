/**
 * The tools `release` and `renew`: what a holder does with its reservation (docs/specification.md#tools).
 */
import { condition, reason } from '../../contract/conditions.ts';
import { item, releaseToken, resourceName, ttlSeconds } from '../../contract/fields.ts';
import { RenewResult } from '../../contract/renewals.ts';
import { UnreserveResult } from '../../contract/reservations.ts';
import { CancelResult } from '../../contract/waiting.ts';
import type { Sizes } from '../../domain/maxSizes.ts';
import { INVALID_RELEASE_TOKEN } from '../../domain/reservations.ts';
import { renew as carryOutRenew, unreserve } from '../../operations/reservations.ts';
import { cancel as carryOut } from '../../operations/waiting.ts';
import { ToolError } from '../failures.ts';
import { tool } from '../tool.ts';
import { requester, untilText } from '../words.ts';
import { DEFAULT_TTL_S } from './reserve.ts';

const resource = resourceName.meta({ description: 'The name of the resource, as reserve took it.' });
const token = releaseToken.meta({
  type: 'string',
  description: 'The releaseToken that reserve returned.',
  example: '3f6c0b5e-6f0a-4c3e-9a55-0d1c7a2b9e11',
});

export const release = tool({
  name: 'release',
  title: 'Release a resource',
  description:
    'Release a resource that you reserved, as soon as you are done with it: the next agent that waits gets it at once. Needs the releaseToken of your reserve call. Do not use the resource afterwards. If it is broken, say so: condition `out`, and the reason.',
  right: 'reserve',
  isDestructive: true,
  input: item({
    resource,
    releaseToken: token,
    requester,
    condition: condition.optional().meta({
      description:
        'Of a registered resource: `out` if it is broken, `dirty` if somebody must clean it. Nobody gets it then.',
    }),
    reason: reason.optional().meta({ description: 'Only with condition: what is wrong.', example: 'display dark' }),
  }),
  output: UnreserveResult,
  run: async ({ deps, credential, requester }, input) => {
    const who = requester.need(input.requester);
    if (input.reason !== undefined && input.condition === undefined)
      throw new ToolError('reason needs condition. Nothing was done.');
    const { result: results, quota } = await unreserve(deps, credential, [{ ...input, requester: who }]);
    const [result] = results;
    if (result === undefined) throw new TypeError('a release of one item has one result');
    const isError = result.status === 'DOESNT_OWN_RESERVATION';
    return { message: releasedText(result), fields: result, isError, quota };
  },
});

interface Ended {
  readonly resource: string;
  readonly requester: string;
  readonly status: string;
  readonly explanation: string;
  readonly condition?: 'dirty' | 'out' | undefined;
}

function releasedText(result: Ended): string {
  const { status, resource, explanation, condition } = result;
  const after = { out: ' It is out of service now.', dirty: ' It is dirty now, until somebody cleans it.' };
  if (status === 'RELINQUISHED')
    return `RELINQUISHED: ${JSON.stringify(resource)} is released. Do not use it any more.${condition ? after[condition] : ''}`;
  if (status !== 'NOT_RESERVED') return notYours(result);
  return `${explanation}: nobody holds ${JSON.stringify(resource)}, so there is nothing to release. Your lease may have ended before.`;
}

/** Why somebody else seems to hold a resource. */
function notYours({ resource, requester, explanation }: Ended): string {
  const name = JSON.stringify(resource);
  if (explanation === INVALID_RELEASE_TOKEN)
    return `INVALID_RELEASE_TOKEN: "${requester}" holds ${name}, but this releaseToken is missing or wrong. Call reserve with the same resource and requester: the result ALREADY_HAD has the right token. Then call again.`;
  return `${explanation}: "${requester}" does not hold ${name}, another requester does. Your lease may have ended, or you reserved it under another requester. check shows who holds it. Do not use it.`;
}

export const renew = tool({
  name: 'renew',
  title: 'Renew a reservation',
  description:
    'Prolong your reservation before its lease ends: it then ends ttlSeconds from now. Needs the releaseToken of your reserve call. If it answers that you do not hold the resource any more, stop using it, and reserve it again.',
  right: 'reserve',
  isDestructive: false,
  input: (sizes: Sizes) =>
    item({
      resource,
      releaseToken: token,
      requester,
      ttlSeconds: ttlSeconds(sizes)
        .optional()
        .meta({
          description: `The new lease in seconds, from now. Default ${DEFAULT_TTL_S}.`,
          example: DEFAULT_TTL_S,
        }),
    }),
  output: RenewResult,
  run: async ({ deps, credential, requester }, input) => {
    const who = requester.need(input.requester);
    const lease = input.ttlSeconds ?? Math.min(DEFAULT_TTL_S, deps.sizes.ttlSeconds);
    const one = { ...input, requester: who, ttlSeconds: lease };
    const { result: results, quota } = await carryOutRenew(deps, credential, [one]);
    const [result] = results;
    if (result === undefined) throw new TypeError('a renewal of one item has one result');
    return { message: renewedText(result), fields: result, isError: result.status !== 'RENEWED', quota };
  },
});

function renewedText(result: RenewResult): string {
  const { status, resource, requester, explanation, expiresAt } = result;
  const name = JSON.stringify(resource);
  if (status === 'RENEWED') return `RENEWED: you ("${requester}") hold ${name} ${untilText(expiresAt)}.`;
  if (status === 'NOT_AVAILABLE')
    return `${explanation}. ${name} stays yours ${untilText(expiresAt)}: be done by then, or renew until ${result.bookedFrom} at most.`;
  if (status !== 'NOT_RESERVED') return notYours(result);
  return `${explanation}: your lease of ${name} has ended, and nobody holds it now. Stop using it, and call reserve again.`;
}

/** The tool `cancel`: gives up a wait (docs/specification.md#tools). */
export const cancel = tool({
  name: 'cancel',
  title: 'Stop waiting',
  description:
    'Give up your place in the queue for a resource, after reserve answered WAITING and you do not need it any more. It does not end a reservation that you hold: release does.',
  right: 'reserve',
  isDestructive: true,
  input: item({ resource: resourceName.meta({ description: 'The resource that you wait for.' }), requester }),
  output: CancelResult,
  run: async ({ deps, credential, requester }, { resource, requester: given }) => {
    const who = requester.need(given);
    const { result: results, quota } = await carryOut(deps, credential, [{ resource, requester: who }]);
    const [result] = results;
    if (result === undefined) throw new TypeError('a cancel of one item has one result');
    const name = JSON.stringify(resource);
    const message =
      result.status === 'CANCELLED'
        ? `CANCELLED: "${who}" does not wait for ${name} any more.`
        : `NOT_WAITING: "${who}" was not waiting for ${name}. If you hold it, call release.`;
    return { message, fields: result, quota };
  },
});
