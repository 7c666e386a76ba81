/**
 * Requests of one caller that come while calls of theirs are under way share the next call of the script, so that what
 * a call costs besides its items is paid once for all of them: the round trip, the gate, the quota, the writes, the
 * event. To Redis they are items of one request.
 */
import { HoldfastError, LimitError } from '../domain/errors.ts';
import type { Credential } from '../domain/tenants.ts';
import { call, type Engine } from './call.ts';

/** Verbs whose scripts carry out each item on its own, whatever it came with. */
type SharedVerb = 'reserve' | 'unreserve' | 'renew';

type Arguments = (string | number)[];

/** Calls of one caller and verb: where there are fewer, none waits for another. */
const MOST_UNDER_WAY = 2;

/** Items of a shared call: as many as keep Redis busy for about a millisecond. */
const MOST_ITEMS = 100;

/**
 * A request of more items has a call of its own at once: what a call costs besides its items is little to it, and to
 * wait would leave Redis idle.
 */
const MOST_ITEMS_OF_ONE = 20;

/**
 * One that waits. It is told the replies to its items, or whom else to make the call for, or, by null, to make one of
 * its own.
 */
interface Waiting {
  readonly credential: Credential;
  readonly args: Arguments;
  readonly items: number;
  readonly tell: (turn: { readonly replies: unknown[] } | { readonly others: readonly Waiting[] } | null) => void;
  readonly fail: (error: unknown) => void;
}

interface Line {
  underWay: number;
  readonly waiting: Waiting[];
}

const linesOf = new WeakMap<Engine, Map<string, Line>>();

/**
 * Calls a script for items of one request.
 * @param args what the script takes for the items, be they as many as they may
 * @returns the reply to each item
 * @throws as call()
 */
export async function share(
  engine: Engine,
  verb: SharedVerb,
  credential: Credential,
  items: number,
  args: Arguments,
): Promise<unknown[]> {
  if (items > MOST_ITEMS_OF_ONE) return callFor(engine, verb, credential, args);
  const lines = linesOf.get(engine) ?? new Map<string, Line>();
  linesOf.set(engine, lines);
  const name = `${verb} ${credential.tenant} ${credential.asker}`;
  const line = lines.get(name) ?? { underWay: 0, waiting: [] };
  lines.set(name, line);

  let others: readonly Waiting[] = [];
  if (line.underWay < MOST_UNDER_WAY) {
    line.underWay++;
  } else {
    const turn = await new Promise<Parameters<Waiting['tell']>[0]>((tell, fail) => {
      line.waiting.push({ credential, args, items, tell, fail });
    });
    if (turn === null) return callFor(engine, verb, credential, args);
    if ('replies' in turn) return turn.replies;
    others = turn.others;
  }
  try {
    return others.length === 0
      ? await callFor(engine, verb, credential, args)
      : await callForAll(engine, verb, credential, items, args, others);
  } catch (error) {
    // Whoever waits has waited about as long as this one: its answer is due as well.
    if (isUnavailable(error)) for (const { fail } of line.waiting.splice(0)) fail(error);
    throw error;
  } finally {
    // Whoever waits longest makes the next call, in its own context, so that traces show whose it is.
    if (line.waiting.length > 0) {
      const [first, ...following] = takeGroup(line.waiting);
      first?.tell({ others: following });
    } else if (--line.underWay === 0) {
      lines.delete(name);
    }
  }
}

/** Takes from those that wait as many as go together. */
function takeGroup(waiting: Waiting[]): Waiting[] {
  let items = 0;
  const end = waiting.findIndex((one) => {
    items += one.items;
    return items > MOST_ITEMS;
  });
  return waiting.splice(0, end === -1 ? waiting.length : end);
}

/** Makes one call for a request and for others, and tells these what came of it. */
async function callForAll(
  engine: Engine,
  verb: SharedVerb,
  credential: Credential,
  items: number,
  args: Arguments,
  others: readonly Waiting[],
): Promise<unknown[]> {
  const all = [...args];
  for (const one of others) all.push(...one.args);
  try {
    const replies = await callFor(engine, verb, credential, all, true);
    let from = items;
    for (const other of others) {
      if (credential.quota !== undefined) other.credential.quota = credential.quota;
      other.tell({ replies: replies.slice(from, from + other.items) });
      from += other.items;
    }
    return replies;
  } catch (error) {
    if (isOfAll(error)) {
      for (const { fail } of others) fail(error);
      throw error;
    }
    // A limit that only all of them together reach, or something wrong with one of them: nothing was done and nothing
    // charged, so each is sent by itself.
    for (const { tell } of others) tell(null);
    return callFor(engine, verb, credential, args);
  }
}

const isUnavailable = (error: unknown): boolean => error instanceof HoldfastError && error.code === 'unavailable';

/** Whether each of them would be told the same. */
const isOfAll = (error: unknown): boolean =>
  isUnavailable(error) ||
  (error instanceof LimitError && error.isUsedUp) ||
  (error instanceof HoldfastError && (error.code === 'unauthenticated' || error.code === 'forbidden'));

function callFor(
  engine: Engine,
  verb: SharedVerb,
  credential: Credential,
  args: Arguments,
  isShared = false,
): Promise<unknown[]> {
  return call(engine, verb, credential, (indexed) => (verb === 'unreserve' ? args : [indexed, ...args]), { isShared });
}
