/**
 * Checks that the calls on each name fit into one order in which each takes effect between its invocation and its
 * completion (docs/specification.md#consistency).
 */
import type { Check, Violation } from '../check.ts';
import type { Call } from '../history.ts';
import { after, FREE, isRead, type State, type Step, textOf, UNKNOWN, without } from './linear/items.ts';
import { type NameSearch, searchesOf } from './linear/operations.ts';
import { limited } from './seen.ts';

export const linearizability: Check = {
  name: 'linearizability',
  rule: 'The calls on each name fit into one order, in which each takes effect between its invocation and its completion.',
  run(history) {
    let looked = 0;
    let undecided = 0;
    const violations: Violation[] = [];
    for (const one of searchesOf(history)) {
      const found = search(one);
      looked += one.operations.length;
      undecided += found.undecided;
      violations.push(...found.unexplained.map((unexplained) => violationOf(one, unexplained)));
    }
    return { looked, undecided, violations: limited(violations) };
  },
};

/** Calls before the one that no order explains, which say who held it. */
const BEFORE = 12;

function violationOf({ tenant, name, operations }: NameSearch, { operation, pending }: Unexplained<Call>): Violation {
  const before = operations
    .filter(({ by }) => by <= operation.by)
    .sort((a, b) => a.by - b.by)
    .slice(-BEFORE);
  const calls = new Set([operation, ...pending, ...before].map(({ source }) => source));
  const told = operation.steps.map((step) => ('requester' in step ? `${step.does} by ${step.requester}` : step.does));
  return {
    check: linearizability.name,
    what: `${name} of ${tenant}: no order of the calls explains the answer to call ${operation.source.id} (${told.join(', ')})`,
    calls: [...calls].sort((a, b) => a.id - b.id),
  };
}

/**
 * Searches an order of the calls on one name that explains all answers: each call takes effect at one moment between
 * its invocation and its completion. It goes through time once and keeps all states that are possible (just-in-time
 * linearization, after Lowe). Calls that only look are put into the order as soon as they fit, since that never hurts.
 */

/** A call, as far as it concerns the name. */
export interface Operation<Source> {
  readonly source: Source;
  readonly steps: readonly Step[];
  readonly from: number;
  /** By then it has taken effect, or never will. */
  readonly by: number;
  /** False: nobody knows whether it took effect at all. */
  readonly isAnswered: boolean;
  /** False: it may have had no effect, or only some of its steps, or a fault may have undone it. */
  readonly isCertain: boolean;
}

/** When a lease has ended for certain. */
export interface Deadline {
  readonly key: string;
  readonly at: number;
}

export interface Search<Source> {
  readonly operations: readonly Operation<Source>[];
  readonly deadlines: readonly Deadline[];
  /** When the state became unknown, by faults that lose data. */
  readonly forgets: readonly number[];
}

/** A call that no order explains, and the calls that ran at the same time. */
export interface Unexplained<Source> {
  readonly operation: Operation<Source>;
  readonly pending: readonly Operation<Source>[];
}

export interface Found<Source> {
  readonly unexplained: readonly Unexplained<Source>[];
  /** Number of times that the search was given up, and began anew with an unknown state. */
  readonly undecided: number;
}

/** The most states that are looked at for one answer. */
const BUDGET = 2_000;

/** A state, and which of the pending operations have taken effect in it. */
interface Config {
  readonly state: State;
  readonly done: ReadonlySet<number>;
}

type Moment<Source> =
  | { readonly at: number; readonly rank: 0; readonly forget: true }
  | { readonly at: number; readonly rank: 1; readonly invoked: number; readonly operation: Operation<Source> }
  | { readonly at: number; readonly rank: 2; readonly completed: number; readonly operation: Operation<Source> }
  | { readonly at: number; readonly rank: 3; readonly over: string };

export function search<Source>({ operations, deadlines, forgets }: Search<Source>): Found<Source> {
  const moments: Moment<Source>[] = [
    ...forgets.map((at) => ({ at, rank: 0 as const, forget: true as const })),
    ...operations.map((operation, invoked) => ({ at: operation.from, rank: 1 as const, invoked, operation })),
    ...operations.map((operation, completed) => ({ at: operation.by, rank: 2 as const, completed, operation })),
    ...deadlines.map(({ at, key }) => ({ at, rank: 3 as const, over: key })),
  ];
  moments.sort((a, b) => a.at - b.at || a.rank - b.rank);
  const sweep = createSweep<Source>();
  for (const moment of moments) {
    if ('forget' in moment) sweep.forget();
    else if ('invoked' in moment) sweep.invoke(moment.invoked, moment.operation);
    else if ('completed' in moment) sweep.complete(moment.completed, moment.operation);
    else sweep.end(moment.over, moment.at);
  }
  return sweep.found;
}

function createSweep<Source>() {
  const found = { unexplained: [] as Unexplained<Source>[], undecided: 0 };
  const pending = new Map<number, Operation<Source>>();
  /** Pending operations that may have taken effect before the state became unknown. */
  const loose = new Set<number>();
  let configs: readonly Config[] = [{ state: FREE, done: new Set() }];

  const forget = () => {
    configs = [{ state: UNKNOWN, done: new Set() }];
    for (const id of pending.keys()) loose.add(id);
  };
  const isCertain = (id: number) => pending.get(id)?.isCertain === true && !loose.has(id);

  /** Puts all calls into the order that only look and that this state explains. */
  const settled = ({ state, done }: Config): Config => {
    const seen = [...pending].filter(
      ([id, { steps }]) => !done.has(id) && steps.every((step) => isRead(step) && after(state, step) !== null),
    );
    return seen.length === 0 ? { state, done } : { state, done: new Set([...done, ...seen.map(([id]) => id)]) };
  };

  /** Returns the configurations that one more step leads to. */
  const next = ({ state, done }: Config, now: number): Config[] => {
    const reached: Config[] = [];
    for (const [id, operation] of pending) {
      if (done.has(id) || operation.steps.every(isRead)) continue;
      const then = effect(state, operation.steps, isCertain(id));
      if (then !== null) reached.push({ state: then, done: new Set([...done, id]) });
    }
    for (const held of state.held)
      if (held.lease.from <= now) reached.push({ state: without(state, (one) => one === held), done });
    return reached;
  };

  /**
   * Returns the configurations that can be reached from some, as long as `goesOn` is true; null: too many. Leaves out
   * those that another one makes needless: the same but for calls that may have had no effect, of which it has fewer.
   */
  const reach = (from: readonly Config[], now: number, goesOn: (config: Config) => boolean): Config[] | null => {
    const seen = new Map<string, Config[]>();
    let count = 0;
    const isNeedless = ({ done }: Config, others: readonly Config[]) =>
      others.some((other) => [...other.done].every((id) => done.has(id)));
    const queue = from.map(settled);
    // Those with fewer calls come first.
    for (let at = 0, config = queue[at]; config; config = queue[++at]) {
      const musts = [...config.done].filter(isCertain).sort((a, b) => a - b);
      const key = `${textOf(config.state)} | ${musts.join()}`;
      const others = seen.get(key) ?? [];
      if (isNeedless(config, others)) continue;
      seen.set(key, [...others, config]);
      if (++count > BUDGET) return null;
      if (goesOn(config)) queue.push(...next(config, now).map(settled));
    }
    return [...seen.values()].flat();
  };

  const giveUp = () => {
    found.undecided++;
    forget();
  };

  return {
    found,
    forget,
    invoke: (id: number, operation: Operation<Source>) => void pending.set(id, operation),
    complete(id: number, operation: Operation<Source>) {
      const isDone = ({ done }: Config) => done.has(id);
      const mustBeDone = isCertain(id);
      const reached = reach(configs, operation.by, (config) => !isDone(config));
      if (reached === null) giveUp();
      else configs = [...reached.filter(isDone), ...(mustBeDone ? [] : configs)];
      if (configs.length === 0) {
        found.unexplained.push({ operation, pending: [...pending.values()] });
        forget();
      }
      pending.delete(id);
      loose.delete(id);
      configs = configs.map(({ state, done }) => ({ state, done: new Set([...done].filter((one) => one !== id)) }));
    },
    end(key: string, at: number) {
      const isHeld = ({ state }: Config) => state.held.some(({ lease }) => lease.key === key);
      if (!configs.some(isHeld)) return;
      const reached = reach(configs, at, isHeld);
      if (reached === null) return giveUp();
      configs = reached.map(({ state, done }) => ({ state: without(state, ({ lease }) => lease.key === key), done }));
    },
  };
}

/** Returns the state after the steps of a call; null if they cannot have been answered so, or changed nothing. */
function effect(state: State, steps: readonly Step[], isCertain: boolean): State | null {
  let now = state;
  let hasChanged = false;
  for (const step of steps) {
    const then = after(now, step);
    if (then === null && isCertain) return null;
    hasChanged ||= then !== null && !isRead(step);
    now = then ?? now;
  }
  return isCertain || hasChanged ? now : null;
}
