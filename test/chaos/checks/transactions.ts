/** Checks that transactions do all or nothing, and tell what they did (docs/specification.md#transactions). */
import type { Check, Violation } from '../check.ts';
import type { Call, CallOf, History } from '../history.ts';
import { holdsOf } from './holds.ts';
import { releasesOf } from './outcomes.ts';
import { callsByRequester, changesOf, limited, lossesOf, steadyNames, timeOf } from './seen.ts';

type Transacted = CallOf<'transaction'>;

export const transactions: Check = {
  name: 'transactions',
  rule: 'An ALL_OR_NONE takes effect as a whole or not at all, as it was answered; repeats are answered the same.',
  run(history) {
    const calls = history.calls
      .filter((call) => call.verb === 'transaction')
      .filter(({ response }) => response !== null);
    const callsOf = callsByRequester(history);
    const wrong = (call: Transacted, why: string): Violation => {
      const requesters = new Set(call.request.requests.map(({ requester }) => requester));
      const own = [...requesters].flatMap((requester) => callsOf(call.tenant, requester));
      const at = timeOf(call.completedAt, history.startedAt);
      const what = `${call.response?.status} was answered to transaction ${call.id} of ${[...requesters].join(', ')} at ${at}, but ${why}`;
      return { check: transactions.name, what, calls: [...new Set([...own, call])].sort((a, b) => a.id - b.id) };
    };
    const effects = effectsOf(history);
    const violations = calls.flatMap((call) => {
      const why = formOf(call) ?? effects.against(call);
      return why === null ? [] : [wrong(call, why)];
    });
    return { looked: calls.length, violations: limited([...violations, ...repeatsOf(calls, wrong)]) };
  },
};

const SUCCESSES = ['ACQUIRED', 'ALREADY_HAD', 'RELINQUISHED', 'NOT_RESERVED'];

/** Returns what is wrong with the answer by itself. */
function formOf({ request: { method, requests }, response }: Transacted): string | null {
  if (!response) return null;
  const { status, results } = response;
  if (results.length !== requests.length) return `it has ${results.length} results for ${requests.length} items`;
  const done = results.filter((one) => SUCCESSES.includes(one.status)).length;
  if (status === 'ROLLED_BACK' && done > 0) return `${done} of its items are reported as done`;
  if (status !== 'APPLIED') return null;
  if (method === 'ALL_OR_NONE' && done < results.length) return `only ${done} of ${results.length} items are done`;
  return method === 'FIRST' && done !== 1 ? `${done} of its items are done` : null;
}

/** Compares answers with what was seen afterwards. */
function effectsOf(history: History) {
  const { byToken, holds } = holdsOf(history);
  const isLost = lossesOf(history);
  const isSteady = steadyNames(history);
  const releases = new Map<string, { readonly call: Call; readonly status: string | null }[]>();
  for (const { call, item, status } of history.calls.flatMap(releasesOf)) {
    const known = releases.get(item.releaseToken ?? '');
    if (known) known.push({ call, status });
    else releases.set(item.releaseToken ?? '', [{ call, status }]);
  }
  const told = new Map<string, readonly number[]>();
  for (const { tenant, events } of history.streams)
    for (const { event } of events) {
      const tokens = changesOf(event).flatMap(({ kind, token }) => (kind === 'made' && token !== null ? token : []));
      if (event.type === 'TRANSACTION_APPLIED') for (const token of tokens) told.set(`${tenant} ${token}`, tokens);
    }
  const end = new Map(
    history.end.map((one) => [one.tenant, new Set(one.active.map(({ fencingToken }) => fencingToken))]),
  );

  /**
   * A release that was rolled back left its reservation in force, so that it is not gone unless something else ended
   * it.
   */
  const vanished = (call: Transacted): string | null => {
    for (const item of call.request.requests) {
      if (item.requestType !== 'UNRESERVE') continue;
      const hold = byToken.get(item.releaseToken ?? '');
      const others = releases.get(item.releaseToken ?? '') ?? [];
      const isAlone = hold?.ends.every(({ call: by }) => others.some((one) => one.call === by && one.status !== null));
      const gone = others.find((one) => one.status === 'NOT_RESERVED' && one.call.invokedAt > call.completedAt);
      const isUnsure =
        !hold || !isSteady(call.tenant, item.resource) || isLost(hold.askedAt, gone?.call.completedAt ?? 0);
      if (isAlone && gone && !isUnsure && !others.some(({ status }) => status === 'RELINQUISHED'))
        return `${hold?.resource} was gone afterwards, as call ${gone.call.id} was told`;
    }
    return null;
  };

  return {
    against(call: Transacted): string | null {
      if (!call.response || isLost(call.invokedAt, call.completedAt)) return null;
      const { status, results } = call.response;
      if (status === 'ROLLED_BACK') return vanished(call);
      const made = results.flatMap((one) => ('fencingToken' in one && one.status === 'ACQUIRED' ? [one] : []));
      for (const { fencingToken } of made) {
        const together = told.get(`${call.tenant} ${fencingToken}`);
        const missing = made.find((one) => together && !together.includes(one.fencingToken ?? 0));
        if (missing) return `the event that tells of ${fencingToken} does not tell of ${missing.fencingToken}`;
      }
      const kept = holds.filter((hold) => hold.call === call && hold.endsFrom === Infinity);
      const active = end.get(call.tenant);
      const lost = kept.find(({ fencingToken }) => active && !active.has(fencingToken));
      return lost && !isLost(call.invokedAt, history.endedAt) ? `${lost.resource} is not held in the end` : null;
    },
  };
}

/** Repeats with one Idempotency-Key are answered the same. */
function repeatsOf(calls: readonly Transacted[], wrong: (call: Transacted, why: string) => Violation): Violation[] {
  const first = new Map<string, Transacted>();
  return calls.flatMap((call) => {
    if (call.idempotencyKey === undefined || call.response?.status === 'WAITING') return [];
    const key = `${call.tenant} ${call.idempotencyKey}`;
    const before = first.get(key);
    if (!before) first.set(key, call);
    if (!before || !call.isReplayed || JSON.stringify(before.response) === JSON.stringify(call.response)) return [];
    return [
      wrong(call, `call ${before.id} with the same Idempotency-Key was answered ${before.response?.status} otherwise`),
    ];
  });
}
