/**
 * Batches requests of one caller: those that arrive while the caller's script calls are in flight share the next call.
 * The fixed cost of a call (round trip, credential check, quota, writes, event) is then paid once for all of them.
 */
import { z } from 'zod';
import { HoldfastError } from '../domain/errors.ts';
import type { Once } from '../domain/once.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import { toText } from '../redis/reply.ts';
import { callCharged, callRead, type Engine } from './call.ts';
import { refusal } from './refusal.ts';
import { beginSharing, endSharing, refuseLate } from './tenantTurns.ts';
import { callArg } from './waiting/call.ts';

/** Verbs whose scripts handle each item on its own. */
type SharedVerb = 'reserve' | 'unreserve' | 'renew' | 'check' | 'available';

type Arguments = (string | number)[];
type Replies = Charged<unknown[]>;

/** Calls in flight of one caller and verb, before requests are queued. */
const MAX_IN_FLIGHT = 2;

/** Maximum number of items of a shared call: they keep Redis busy for about a millisecond, */
const MAX_ITEMS = 100;
/** and maximum work of those with long plans, in units of lua/frame/work.lua. */
const MAX_WORK = 1000;

/**
 * A request with more items gets a call of its own at once: the fixed cost of a call matters little to it, and Redis
 * would be idle while the request waits.
 */
const MAX_ITEMS_OF_ONE = 20;

/** What a queued request does next: take its replies, call for itself and others, or call for itself alone. */
type Turn =
  | { readonly kind: 'replies'; readonly replies: Replies }
  | { readonly kind: 'call'; readonly others: readonly Queued[] }
  | { readonly kind: 'alone' };

interface Queued {
  readonly args: Arguments;
  readonly items: number;
  readonly sinceMs: number;
  readonly resolve: (turn: Turn) => void;
  readonly fail: (error: unknown) => void;
}

/** The calls of one caller and verb. */
interface Lane {
  inFlight: number;
  /** Work of an item in the last call. */
  itemWork: number;
  readonly queue: Queued[];
}

const lanesOf = new WeakMap<Engine, Map<string, Lane>>();

/**
 * Calls a script for the items of one request, together with other requests if they arrive meanwhile.
 * @param items number of items
 * @param args what the script takes for the items
 * @param once the Idempotency-Key of the request. Its reply is kept, so it shares no call
 * @returns the reply to each item
 * @throws as callCharged(); HoldfastError overloaded if too many requests of the tenant wait
 */
export async function share(
  engine: Engine,
  verb: SharedVerb,
  credential: Credential,
  items: number,
  args: Arguments,
  once?: Once,
): Promise<Replies> {
  const callAlone = () => callFor(engine, verb, credential, args, [items], once);
  if (items > MAX_ITEMS_OF_ONE || once !== undefined) return callAlone();
  const lanes = lanesOf.get(engine) ?? new Map<string, Lane>();
  lanesOf.set(engine, lanes);
  const { tenant } = credential;
  const name = `${verb} ${tenant} ${credential.credentialKey}`;
  const lane = lanes.get(name) ?? { inFlight: 0, itemWork: 0, queue: [] };
  lanes.set(name, lane);

  let others: readonly Queued[] = [];
  if (lane.inFlight < MAX_IN_FLIGHT) {
    lane.inFlight++;
  } else {
    beginSharing(engine, tenant);
    const turn = await new Promise<Turn>((resolve, fail) => {
      lane.queue.push({ args, items, sinceMs: performance.now(), resolve, fail });
    });
    if (turn.kind === 'alone') return callAlone();
    if (turn.kind === 'replies') return turn.replies;
    others = turn.others;
  }
  try {
    const { replies, called } =
      others.length === 0
        ? { replies: await callAlone(), called: items }
        : await callForAll(engine, verb, credential, items, args, others);
    lane.itemWork = replies.work === undefined ? lane.itemWork : replies.work / called;
    return replies;
  } catch (error) {
    // Queued requests have waited about as long as this one: they fail now too.
    if (isUnavailable(error)) {
      const queued = lane.queue.splice(0);
      endSharing(engine, tenant, queued.length);
      for (const { fail } of queued) fail(error);
    }
    throw error;
  } finally {
    endSharing(engine, tenant, refuseLate(lane.queue));
    // The oldest queued request makes the next call, in its own context, so that traces show it there.
    if (lane.queue.length > 0) {
      const [first, ...following] = takeBatch(lane);
      endSharing(engine, tenant, 1 + following.length);
      first?.resolve({ kind: 'call', others: following });
    } else if (--lane.inFlight === 0) {
      lanes.delete(name);
    }
  }
}

/** Takes as many requests from a lane's queue as fit into one call, and at least one. */
function takeBatch({ queue, itemWork }: Lane): Queued[] {
  const maxItems = Math.min(MAX_ITEMS, MAX_WORK / itemWork);
  let items = 0;
  const end = queue.findIndex((one) => {
    items += one.items;
    return items > maxItems;
  });
  return queue.splice(0, end === -1 ? queue.length : Math.max(end, 1));
}

/**
 * Makes one call for a request and for others, and hands the others their replies.
 * @returns the replies of the request, with the work of its call, and the number of items of that call
 */
async function callForAll(
  engine: Engine,
  verb: SharedVerb,
  credential: Credential,
  items: number,
  args: Arguments,
  others: readonly Queued[],
): Promise<{ replies: Replies; called: number }> {
  const all = [...args];
  for (const one of others) all.push(...one.args);
  let shared: Replies;
  try {
    shared = await callFor(engine, verb, credential, all, [items, ...others.map((one) => one.items)]);
  } catch (error) {
    if (isSameForAll(error)) {
      for (const { fail } of others) fail(error);
      throw error;
    }
    // Together they exceed the work budget, or one of them names what its key may not change. Nothing was done or
    // charged: send each alone.
    for (const { resolve } of others) resolve({ kind: 'alone' });
    return { replies: await callFor(engine, verb, credential, args, [items]), called: items };
  }
  const refusals = refusalsOf(engine, verb, shared.result.pop());
  let from = items;
  for (const [i, other] of others.entries()) {
    const refused = refusals.get(i + 1);
    const replies = { ...shared, result: shared.result.slice(from, from + other.items) };
    if (refused) other.fail(refused);
    else other.resolve({ kind: 'replies', replies });
    from += other.items;
  }
  const refused = refusals.get(0);
  if (refused) throw refused;
  return { replies: shared, called: from };
}

/** The requests that a shared call refuses, by their numbers (lua/frame/shares.lua). */
const Refusals = z.array(z.tuple([z.int(), z.string()], z.unknown()));

function refusalsOf(engine: Engine, verb: SharedVerb, reply: unknown): Map<number, Error> {
  const text = toText(reply);
  const refusals = text === '' ? [] : Refusals.parse(JSON.parse(text));
  return new Map(refusals.map(([number, code, ...rest]) => [number, refusal(engine.tiers, verb, code, rest)]));
}

const isUnavailable = (error: unknown): boolean => error instanceof HoldfastError && error.code === 'unavailable';

/** Whether each request of the call would get this error: it is about none of their items, whose place it would say. */
const isSameForAll = (error: unknown): boolean =>
  error instanceof HoldfastError && error.code !== 'refused' && !error.message.startsWith('[');

/** @param sizes the numbers of items of the requests */
function callFor(
  engine: Engine,
  verb: SharedVerb,
  credential: Credential,
  args: Arguments,
  sizes: readonly number[],
  once?: Once,
): Promise<Replies> {
  if (verb === 'check' || verb === 'available') return callRead(engine, verb, credential, sizes, () => args);
  const argsOf = {
    reserve: (indexed: string) => [indexed, callArg(undefined), ...args],
    renew: (indexed: string) => [indexed, ...args],
    unreserve: () => args,
  } satisfies Record<typeof verb, (indexed: string) => Arguments>;
  return callCharged(engine, verb, credential, argsOf[verb], { once, ...(sizes.length > 1 && { sizes }) });
}
