/** Makes small histories by hand, to try checks on them. */
import type { ReserveItem, ReserveResult, UnreserveResult } from '../../src/contract/reservations.ts';
import type { Call, CallOf, EndState, FaultSeen, History, Lag, StreamSeen, Verb } from './history.ts';

export const TENANT = 'main';

type Fields = Partial<
  Pick<Call, 'caller' | 'tenant' | 'at' | 'idempotencyKey' | 'isReplayed' | 'pollSeconds' | 'failure'>
>;

/** The outcome of a call: a response, a status without one, or nothing. */
export type Came<V extends Verb> = { readonly response: CallOf<V>['response'] } | { readonly status: number | null };

export class MadeHistory {
  readonly #calls: Call[] = [];
  readonly #faults: FaultSeen[] = [];
  readonly #streams: StreamSeen[] = [];
  readonly #end: EndState[] = [];
  readonly #lags: Lag[] = [];

  /** Adds a call. Times are in ms after the start of the history. */
  call<V extends Verb>(verb: V, request: CallOf<V>['request'], [from, by]: Times, came: Came<V>, fields: Fields = {}) {
    const answered = 'response' in came;
    const call = {
      ...{ verb, request, id: this.#calls.length, caller: 'c0', tenant: TENANT, at: 'api0' },
      ...{ invokedAt: START + from, completedAt: START + by, status: answered ? 200 : came.status },
      ...{ response: answered ? came.response : null, failure: answered ? null : 'no response' },
      ...fields,
    };
    // The fields of each verb belong together, which the parameters say.
    this.#calls.push(call as unknown as Call);
    return this;
  }

  /** Adds a call that a limit refuses. */
  refuse<V extends Verb>(verb: V, request: CallOf<V>['request'], times: Times, body: object, fields: Fields) {
    return this.call(verb, request, times, { status: 429 }, { ...fields, failure: JSON.stringify(body) });
  }

  /** Adds a reserve of one item. */
  reserve(item: Item, times: Times, came: Partial<ReserveResult> | { readonly down: number | null }, fields?: Fields) {
    if ('down' in came) return this.call('reserve', [item], times, { status: came.down }, fields);
    return this.call('reserve', [item], times, { response: [{ ...NOTHING, ...item, ...came }] }, fields);
  }

  /** Adds a release of one item. */
  release(
    item: { readonly resource: string; readonly requester: string; readonly token: string },
    times: Times,
    status: UnreserveResult['status'] | null,
    fields?: Fields,
  ) {
    const { token: releaseToken, ...named } = item;
    const came =
      status === null ? { status: null } : { response: [{ ...named, status, explanation: status, released: null }] };
    return this.call('unreserve', [{ ...named, releaseToken }], times, came, fields);
  }

  fault(fault: Partial<FaultSeen>, [from, by]: Times) {
    const seen = {
      kind: 'fault',
      targets: [],
      loses: 'nothing',
      servedWithinMs: 3000,
      clockStepMs: 0,
      detail: '',
    } as const;
    this.#faults.push({ ...seen, ...fault, startedAt: START + from, healedAt: START + by });
    return this;
  }

  /** Says that the machine was busy. */
  lag([from, by]: Times) {
    this.#lags.push({ from: START + from, by: START + by });
    return this;
  }

  stream(stream: StreamSeen) {
    this.#streams.push(stream);
    return this;
  }

  end(end: Partial<EndState>) {
    const empty = { active: [], waiting: [], past: [], definitions: [], inconsistencies: [] };
    this.#end.push({ tenant: TENANT, readAt: START + LENGTH, ...empty, ...end });
    return this;
  }

  get history(): History {
    const calls = this.#calls.toSorted((a, b) => a.invokedAt - b.invokedAt).map((call, id) => ({ ...call, id }));
    const named = { seed: 'made', setup: 'always', startedAt: START, endedAt: START + LENGTH };
    return { ...named, calls, streams: this.#streams, faults: this.#faults, end: this.#end, lags: this.#lags };
  }
}

export type Times = readonly [from: number, by: number];
type Item = Omit<ReserveItem, 'resource'> & { readonly resource: string };

export const START = Date.parse('2026-01-31T12:00:00.000Z');
const LENGTH = 100_000;

const NOTHING = {
  explanation: '',
  releaseToken: null,
  expiresAt: null,
  acquiredSlots: null,
  acquiredBlockers: null,
  reservedAtPath: null,
  fencingToken: null,
  status: 'ALREADY_HELD',
} as const;

/** Fields of an ACQUIRED besides those of the item: a token made of a number, which is the fencing token, too. */
export const acquired = (fence: number, more: Partial<ReserveResult> = {}): Partial<ReserveResult> => ({
  status: 'ACQUIRED',
  releaseToken: tokenOf(fence),
  fencingToken: fence,
  ...more,
});

export const tokenOf = (fence: number): string => `00000000-0000-7000-8000-${`${fence}`.padStart(12, '0')}`;

/** A time in a result. */
export const iso = (at: number): string => new Date(START + at).toISOString();
