/**
 * The tool `reserve`: takes a resource, and waits for it if it is taken (docs/specification.md#tools).
 */
import { z } from 'zod';
import { count, item, mode, note, resourceName, ttlSeconds } from '../../contract/fields.ts';
import { match } from '../../contract/match.ts';
import { ReserveItem, ReserveResult } from '../../contract/reservations.ts';
import { type Rules, withRules } from '../../contract/sizes.ts';
import { waitFields } from '../../contract/waiting.ts';
import { describeFault } from '../../http/describeFault.ts';
import { check } from '../../operations/check.ts';
import { reserve as carryOut } from '../../operations/reserve.ts';
import { ToolError } from '../failures.ts';
import { type Tool, type ToolCall, tool } from '../tool.ts';
import { holderText, requester, span, untilText } from '../words.ts';

/** A forgetful agent must not hold a thing for ever. */
export const DEFAULT_TTL_S = 600;
const DEFAULT_WAIT_S = 600;
/** How long the place in the queue is kept between two calls: a model thinks, and people confirm its calls. */
const CLAIM_S = 60;

const DESCRIPTION = `Reserve a shared resource (a port, a browser, a staging system, a migration) before you use it, so that no other agent uses it at the same time.
If it is free, or you hold it already, you have it at once: status ACQUIRED or ALREADY_HAD. Keep the releaseToken of the result: release and renew need it. If you lose it, call reserve again with the same resource and requester: ALREADY_HAD shows it.
If another holds it, the call waits up to 20 s for your turn. The status WAITING then says how many are ahead of you: call reserve again with the same arguments, at once, until the status changes. Your place in the queue is kept.
The reservation is a lease: it ends by itself after ttlSeconds (default ${DEFAULT_TTL_S}). Call renew before that if you need longer, and release as soon as you are done.
Do not use the resource unless the status is ACQUIRED or ALREADY_HAD.`;

const INPUT = item({
  resource: resourceName.optional().meta({
    description: 'The name of the resource. All agents must use the same name for the same thing.',
    example: 'port-3000',
  }),
  match: match.optional().meta({
    description: 'Instead of `resource`: labels. Any registered resource that has them is taken; the result names it.',
  }),
  requester,
  ttlSeconds: ttlSeconds.optional().meta({
    description: `The lease in seconds: about as long as you need it. Default ${DEFAULT_TTL_S}.`,
    example: DEFAULT_TTL_S,
  }),
  waitSeconds: waitFields.waitSeconds.meta({
    description: `For how many seconds in all, over several calls, you would wait. 0: fail at once if another holds it. Default ${DEFAULT_WAIT_S}.`,
    example: DEFAULT_WAIT_S,
  }),
  note: note.optional().meta({
    description: 'What you need it for, in a few words. Others who wait for it see this.',
    example: 'running the checkout tests',
  }),
  mode: mode.optional().meta({
    description: 'SHARED: others may hold it SHARED at the same time, as readers do. Default EXCLUSIVE.',
  }),
  count: count.optional().meta({ description: 'How many slots of a pool to take, all or none. Default 1.' }),
  priority: waitFields.priority.meta({ description: 'Who waits with a higher one is served first. Default 0.' }),
});

/** @param rules of the instance */
export const reserve = (rules: Rules): Tool => {
  const whole = withRules(ReserveItem, rules);
  return tool({
    name: 'reserve',
    title: 'Reserve a resource',
    description: DESCRIPTION,
    right: 'reserve',
    isDestructive: false,
    input: INPUT,
    output: ReserveResult.extend({
      ttlSeconds: z.int().meta({ description: 'The lease that was asked for, in seconds.' }),
    }),
    run: async (call, input) => {
      const one = itemOf(whole, call, input);
      const { result: results, quota } = await carryOut(call.deps, call.credential, [one], call.hold);
      const [result] = results;
      if (result === undefined) throw new TypeError('a reserve of one item has one result');
      const { ttlSeconds = DEFAULT_TTL_S } = one;
      const message = await messageOf(call, result);
      return { message, fields: { ...result, ttlSeconds }, isError: result.status === 'NOT_VALID', quota };
    },
  })(rules);
};

/**
 * The reserve item of a call, with the defaults of agents.
 * @param whole checks it
 */
function itemOf(whole: typeof ReserveItem, { deps: { sizes }, requester }: ToolCall, input: Input): ReserveItem {
  const { data, error } = whole.safeParse({
    ttlSeconds: Math.min(DEFAULT_TTL_S, sizes.ttlSeconds),
    waitSeconds: Math.min(DEFAULT_WAIT_S, sizes.waitSeconds),
    claimSeconds: CLAIM_S,
    ...input,
    requester: requester.need(input.requester),
  });
  if (error !== undefined) throw new ToolError(`${describeFault(error)}. Nothing was done.`);
  return data;
}

type Input = z.output<typeof INPUT>;

const quoted = (resource: string) => JSON.stringify(resource);

async function messageOf(call: ToolCall, result: ReserveResult): Promise<string> {
  const { status, explanation, resource, requester, heldBy, waiting } = result;
  switch (status) {
    case 'ACQUIRED':
      return `ACQUIRED: you ("${requester}") hold ${heldText(result)} ${tokenText(result)}`;
    case 'ALREADY_HAD':
      return `ALREADY_HAD: you ("${requester}") held ${heldText(result)} This call did not prolong the lease. ${tokenText(result)}`;
    case 'WAITING':
      return waiting === undefined ? explanation : waitingText(waiting, await holderOf(call, waiting.waitsFor));
    case 'NOT_VALID':
      return `${explanation}. Nothing was reserved. Correct the arguments and call again.`;
    default: {
      const holder = heldBy === undefined ? '' : ` ${quoted(heldBy.resource)} is ${holderText(heldBy)}.`;
      return `${explanation}: you do not have ${quoted(resource)}.${holder} Do not use it. To wait for it, call reserve again with waitSeconds above 0.`;
    }
  }
}

function heldText({ resource, slots, acquiredSlots, expiresAt }: ReserveResult): string {
  const taken = slots ?? Object.values(acquiredSlots ?? {});
  const which = taken.length === 0 || taken.join() === resource ? '' : ` (slots ${taken.map(quoted).join(', ')})`;
  return `${quoted(resource)}${which} ${untilText(expiresAt)}.`;
}

const tokenText = ({ releaseToken, fencingToken }: ReserveResult): string =>
  `Keep releaseToken ${releaseToken}: renew and release need it. Release it when you are done.${fencingToken === null ? '' : ` fencingToken: ${fencingToken}.`}`;

type Standing = NonNullable<ReserveResult['waiting']>;

const waitingText = ({ ahead, waitsFor, until }: Standing, holder: string): string =>
  `WAITING, ${ahead} ahead: call again. You do not have it yet${holder === '' ? '' : `: ${quoted(waitsFor)} is ${holder}`}. Call reserve again with the same arguments, within ${span(CLAIM_S)}, to keep your place in the queue. The wait ends ${untilText(until)}. To give up, call cancel.`;

/** Who holds what a request waits for; '' if that cannot be said: the wait goes on all the same. */
async function holderOf({ deps, credential }: ToolCall, resource: string): Promise<string> {
  const { result: results } = await check(deps, credential, [{ resource }]).catch(() => ({ result: [] }));
  const [held] = results;
  return held?.requester == null ? '' : holderText(held);
}
