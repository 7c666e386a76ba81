/**
 * The tool `reserve`: takes a resource, and waits for it if it is taken (docs/specification.md#tools).
 */
import { z } from 'zod';
import { count, item, mode, note, type Rules, resourceName, ttlSeconds } from '../../contract/fields.ts';
import { match } from '../../contract/match.ts';
import { ReserveItem, ReserveResult, Transaction } from '../../contract/reservations.ts';
import { waitFields } from '../../contract/waiting.ts';
import { MAX_WAITING_ITEMS, type Sizes } from '../../domain/maxSizes.ts';
import { describeFault } from '../../http/errors.ts';
import { reserve as carryOut, check, transaction } from '../../operations/reservations.ts';
import { ToolError } from '../failures.ts';
import { type Tool, type ToolCall, tool } from '../tool.ts';
import { holderText, lines, reasonText, requester, sentence, span, timeText, untilText } from '../words.ts';

/** A forgetful agent must not hold a thing for ever. */
export const DEFAULT_TTL_S = 600;
const DEFAULT_WAIT_S = 600;
/** Time for which the place in the queue is kept between two calls: a model thinks, and people confirm its calls. */
const CLAIM_S = 60;

const DESCRIPTION = `Reserve a shared resource (a port, a browser, a staging system, a migration) before you use it, so that no other agent uses it at the same time.
If it is free, or you hold it already, you have it at once: status ACQUIRED or ALREADY_HAD. ALREADY_HAD without an earlier reserve of your own means that another agent with your requester holds it, such as a subagent of your session: do not use it, and call reserve again with a requester of your own. Keep the releaseToken of the result: release and renew need it. If you lose it, call reserve again with the same resource and requester: ALREADY_HAD shows it.
If you need several at once, name them in resources, or say how many in quantity beside match: you get all of them or none, in one step. Do not hold one and wait for another: two agents that do so may wait for each other.
If another holds it, the call waits up to 20 s for your turn. The status WAITING then says who is in the way and how many are before you: call reserve again with the same arguments, at once, until the status changes. Your place in the queue is kept.
The reservation is a lease: it ends by itself after ttlSeconds (default ${DEFAULT_TTL_S}). Call renew before that if you need longer, and release as soon as you are done.
Do not use the resource unless the status is ACQUIRED, or ALREADY_HAD and you reserved it before.`;

const resourcesRule = `must be an array of 1 to ${MAX_WAITING_ITEMS} names`;

const resources = z
  .array(resourceName, { error: resourcesRule })
  .min(1, resourcesRule)
  .max(MAX_WAITING_ITEMS, resourcesRule);

const quantityRule = `must be an integer from 1 to ${MAX_WAITING_ITEMS}`;

const quantity = z.int({ error: quantityRule }).min(1, quantityRule).max(MAX_WAITING_ITEMS, quantityRule);

const INPUT = (sizes: Sizes) =>
  item({
    resource: resourceName.optional().meta({
      description: 'The name of the resource. All agents must use the same name for the same thing.',
      example: 'port-3000',
    }),
    resources: resources.optional().meta({
      description:
        'Instead of `resource`: several names, of which you get all or none. ttlSeconds, note and mode count for each.',
      example: ['port-3000', 'staging-db'],
    }),
    match: match.optional().meta({
      description:
        'Instead of `resource`: labels. Any registered resource that has them is taken; the result names it. Beside `resources`: one more that has them.',
    }),
    quantity: quantity.optional().meta({
      description: 'So many resources with the labels of `match`, all or none. Default 1.',
    }),
    requester,
    ttlSeconds: ttlSeconds(sizes)
      .optional()
      .meta({
        description: `The lease in seconds: about as long as you need it. Default ${DEFAULT_TTL_S}.`,
        example: DEFAULT_TTL_S,
      }),
    waitSeconds: waitFields(sizes).waitSeconds.meta({
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
    count: count(sizes).optional().meta({ description: 'How many slots of a pool to take, all or none. Default 1.' }),
    priority: waitFields(sizes).priority.meta({
      description: 'Who waits with a higher one is served first. Default 0.',
    }),
  });

/** @param rules of the instance */
export const reserve = (rules: Rules): Tool => {
  const whole = ReserveItem(rules.sizes);
  const all = Transaction(rules.sizes);
  return tool({
    name: 'reserve',
    title: 'Reserve a resource',
    description: DESCRIPTION,
    right: 'reserve',
    isDestructive: false,
    input: INPUT,
    output: ReserveResult.partial().extend({
      status: ReserveResult.shape.status,
      ttlSeconds: z.int().meta({ description: 'The lease that was asked for, in seconds.' }),
      results: z.array(ReserveResult).optional().meta({ description: 'Of several resources: the result of each.' }),
    }),
    run: async (call, input) => {
      if (input.quantity !== undefined && input.match === undefined) throw refused('quantity needs match');
      if (input.resources !== undefined || (input.quantity ?? 1) > 1) return reserveAll(all, call, input);
      const one = itemOf(whole, call, input);
      const { result: results, quota } = await carryOut(call.deps, call.credential, [one], call.polling);
      const [result] = results;
      if (result === undefined) throw new TypeError('a reserve of one item has one result');
      const { ttlSeconds = DEFAULT_TTL_S } = one;
      const message = await messageOf(call, result);
      return { message, fields: { ...result, ttlSeconds }, isError: result.status === 'NOT_VALID', quota };
    },
  })(rules);
};

type Input = z.output<ReturnType<typeof INPUT>>;

/** Defaults of fields that a call leaves out. */
const defaultsOf = ({ deps: { sizes } }: ToolCall) => ({
  ttlSeconds: Math.min(DEFAULT_TTL_S, sizes.ttlSeconds),
  waitSeconds: Math.min(DEFAULT_WAIT_S, sizes.waitSeconds),
});

/**
 * The reserve item of a call, with the defaults of agents.
 * @param whole checks it
 */
function itemOf(whole: ReturnType<typeof ReserveItem>, call: ToolCall, input: Input): ReserveItem {
  const requester = call.requester.need(input.requester);
  const { quantity: _, ...fields } = input;
  const { data, error } = whole.safeParse({ ...defaultsOf(call), claimSeconds: CLAIM_S, ...fields, requester });
  if (error !== undefined) throw refused(describeFault(error));
  return data;
}

const refused = (fault: string) => new ToolError(`${sentence(fault)} Nothing was done.`);

/** Reserves several names, or matches, all or none. @param whole checks the transaction that does it */
async function reserveAll(whole: ReturnType<typeof Transaction>, call: ToolCall, input: Input) {
  const { resources = [], resource, match, quantity = 1, count, requester, waitSeconds, priority, ...each } = input;
  const beside = Object.entries({ resource, count }).find(([, value]) => value !== undefined);
  const several = input.resources === undefined ? 'quantity' : 'resources';
  if (beside !== undefined) throw refused(`${beside[0]} must not stand beside ${several}`);
  const matches = Array.from({ length: match === undefined ? 0 : quantity }, () => ({ match }));
  const { waitSeconds: wait, ttlSeconds } = { ...defaultsOf(call), ...input };
  const one = { ...each, requestType: 'RESERVE', ttlSeconds, requester: call.requester.need(requester) };
  const { data, error } = whole.safeParse({
    method: 'ALL_OR_NONE',
    // A match does not pick what its requester has: so names come first.
    requests: [...resources.map((name) => ({ resource: name })), ...matches].map((wanted) => ({ ...one, ...wanted })),
    waitSeconds: wait,
    claimSeconds: CLAIM_S,
    ...(priority !== undefined && { priority }),
  });
  if (error !== undefined) throw refused(describeFault(error).replace(/^requests/, 'resources'));
  const { result, quota } = await transaction(call.deps, call.credential, data, call.polling);
  // Releases have no fencing token; there are none here.
  const results = result.results.flatMap((one) => ('fencingToken' in one ? [one] : []));
  const told = outcomeOf(results);
  const { requester: who, status, explanation, waiting } = told;
  const fields = { requester: who, status, explanation, ...(waiting && { waiting }), ttlSeconds, results };
  return { message: await messageOfAll(call, told, results), fields, isError: status === 'NOT_VALID', quota };
}

/** The result that says how all of them ended: the one that failed, else one that was reserved now. */
function outcomeOf(results: readonly ReserveResult[]): ReserveResult {
  const told =
    results.find(({ status, explanation }) => !isHeld(status) && explanation !== 'ROLLED_BACK') ??
    results.find(({ status }) => status === 'ACQUIRED') ??
    results[0];
  if (told === undefined) throw new TypeError('a reserve of several names has a result for each');
  return told;
}

const isHeld = (status: ReserveResult['status']) => status === 'ACQUIRED' || status === 'ALREADY_HAD';

async function messageOfAll(call: ToolCall, told: ReserveResult, results: readonly ReserveResult[]): Promise<string> {
  if (told.status === 'WAITING' || told.status === 'NOT_VALID') return messageOf(call, told);
  if (!isHeld(told.status))
    return `${await messageOf(call, told)} You have none of ${results.map(({ resource }) => quoted(resource)).join(', ')} by this call.`;
  const texts = await Promise.all(results.map((one) => messageOf(call, one)));
  return lines(`You have all ${results.length}. Release each of them when you are done.`, texts);
}

const quoted = (resource: string) => JSON.stringify(resource);

async function messageOf(call: ToolCall, result: ReserveResult): Promise<string> {
  const { status, explanation, resource, requester, heldBy, waiting } = result;
  switch (status) {
    case 'ACQUIRED':
      return `ACQUIRED: you ("${requester}") hold ${heldText(result)} ${tokenText(result)}`;
    case 'ALREADY_HAD':
      return `ALREADY_HAD: you ("${requester}") hold ${heldText(result)} This call did not prolong the lease. ${siblingText(call, requester)} ${tokenText(result)}`;
    case 'WAITING':
      return waiting === undefined ? explanation : waitingText(waiting);
    case 'NOT_VALID':
      return `${explanation}. Nothing was reserved. Correct the arguments and call again.`;
    default: {
      const holder = heldBy?.requester == null ? await whyText(call, resource) : heldByText(heldBy);
      return `${explanation}: you do not have ${quoted(resource)}.${holder} Do not use it. To wait for it, call reserve again with waitSeconds above 0.`;
    }
  }
}

/** Explains ALREADY_HAD to one of several agents with the same requester. */
function siblingText({ credential }: ToolCall, requester: string): string {
  const other = 'If you did not reserve it yourself, another agent with your requester holds it: do not use it';
  if (credential.subject !== undefined) return `${other}.`;
  return `${other}, and call reserve again with a requester of your own, such as "${requester}-2".`;
}

function heldText({ resource, slots, acquiredSlots, expiresAt, attributes, slotAttributes }: ReserveResult): string {
  const taken = slots ?? Object.values(acquiredSlots ?? {});
  const which = taken.length === 0 || taken.join() === resource ? '' : ` (slots ${taken.map(quoted).join(', ')})`;
  const own = attributes === undefined ? '' : ` Its attributes: ${JSON.stringify(attributes)}.`;
  const ofSlots = slotAttributes === undefined ? '' : ` Those of each slot: ${JSON.stringify(slotAttributes)}.`;
  return `${quoted(resource)}${which} ${untilText(expiresAt)}.${own}${ofSlots}`;
}

const tokenText = ({ releaseToken, fencingToken }: ReserveResult): string =>
  `Keep releaseToken ${releaseToken}: renew and release need it. Release it when you are done.${fencingToken === null ? '' : ` fencingToken: ${fencingToken}.`}`;

type Standing = NonNullable<ReserveResult['waiting']>;

function waitingText({ ahead, until, reason }: Standing): string {
  const place = ahead === 0 ? 'you are next' : `${ahead} before you`;
  const why = reason === undefined ? '' : `: ${reasonText(reason)}`;
  return `WAITING, ${place}: call again. You do not have it yet${why}. Call reserve again with the same arguments, within ${span(CLAIM_S)}, to keep your place in the queue. The wait ends at ${timeText(until)}. To give up, call cancel.`;
}

const heldByText = ({ resource, requester, ...rest }: NonNullable<ReserveResult['heldBy']>): string =>
  requester === null ? '' : ` ${quoted(resource)} is ${holderText({ requester, ...rest })}.`;

/** A sentence about who is in the way; '' if that is unknown. */
async function whyText({ deps, credential }: ToolCall, resource: string): Promise<string> {
  const { result: results } = await check(deps, credential, [{ resource }]).catch(() => ({ result: [] }));
  const { reason } = results[0] ?? {};
  return reason === undefined ? '' : ` ${sentence(reasonText(reason))}`;
}
