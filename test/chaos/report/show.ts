/** Prints a history as text that a person can read, one line for each call, event and fault. */
import type { Violation } from '../check.ts';
import { groupBy } from '../checks/outcomes.ts';
import { requestersIn, requestersOf } from '../checks/seen.ts';
import type { Call, FaultSeen, History, StreamSeen } from '../history.ts';

/** So many lines a report has at most; those in the middle are left out. */
const MOST = 120;

/** Returns a violation as text, with the history that shows it. */
export function show(history: History, violation: Violation): string {
  const { calls, faults, startedAt, setup, seed } = history;
  const from = Math.min(...calls.map(({ invokedAt }) => invokedAt));
  const by = Math.max(...calls.map(({ completedAt }) => completedAt));
  const timeOf = (at: number) => `${((at - startedAt) / 1000).toFixed(3).padStart(9)} s`;
  const lines = [
    ...calls.map((call) => ({ at: call.invokedAt, text: `${took(call)}  ${lineOf(call)}` })),
    ...eventsOf(history).map(({ at, text }) => ({ at, text: `${' '.repeat(9)}  ${text}` })),
    ...faults
      .filter((fault) => fault.startedAt <= by && fault.healedAt >= from)
      .map(({ startedAt: at, healedAt, kind, targets, detail }) => ({
        at,
        text: `${ms(healedAt - at)}  FAULT ${kind} ${targets.join(' ')} ${detail}`,
      })),
  ].sort((a, b) => a.at - b.at);
  const texts = lines.map(({ at, text }) => `${timeOf(at)}  ${text}`);
  const middle = texts.length > MOST ? [...texts.slice(0, MOST / 2), '    …', ...texts.slice(-MOST / 2)] : texts;
  return [
    `${violation.check}: ${violation.what}`,
    `setup ${setup}, seed ${seed}: npm run chaos -- --setup ${setup} --seed ${seed}`,
    '',
    ...middle,
  ].join('\n');
}

const ms = (duration: number) => `${duration.toFixed(0).padStart(6)} ms`;
const took = ({ invokedAt, completedAt }: Call) => ms(completedAt - invokedAt);

/** The events of one stream for each tenant that name the requesters of the calls. */
function eventsOf({ calls, streams }: History): { readonly at: number; readonly text: string }[] {
  const requesters = new Set(calls.flatMap((call) => requestersOf(call).map((one) => `${call.tenant} ${one}`)));
  const found = new Map<string, { readonly at: number; readonly text: string }>();
  for (const { tenant, events } of streams)
    for (const received of events) {
      if (!requestersIn(received.event).some((one) => requesters.has(`${tenant} ${one}`))) continue;
      const text = textOf(received);
      if (!found.has(text)) found.set(text, { at: received.receivedAt, text });
    }
  return [...found.values()];
}

function textOf({ event }: StreamSeen['events'][number]): string {
  const { type, resource, requester, explanation, fencingToken, changes } = event;
  const parts = (changes ?? []).map((one) => `${one.requestType} ${one.resource} ${one.requester} ${one.explanation}`);
  const words = [resource, requester, explanation, fencingToken, parts.join('; ')];
  return `event ${type} ${words.filter(Boolean).join(' ')}`;
}

interface Item {
  readonly requestType?: unknown;
  readonly resource?: unknown;
  readonly match?: unknown;
  readonly requester?: unknown;
  readonly ttlSeconds?: unknown;
  readonly waitSeconds?: unknown;
  readonly priority?: unknown;
  readonly count?: unknown;
  readonly mode?: unknown;
  readonly session?: unknown;
}

/** The request and the answer of a call in one line. */
function lineOf(call: Call): string {
  const answer = call.response === null ? `${call.status ?? 'no response'}: ${call.failure}` : answerOf(call);
  const notes = [call.isReplayed && 'replayed', call.pollSeconds !== undefined && `poll ${call.pollSeconds} s`];
  const words = [call.verb, requestOf(call), ...notes.filter(Boolean)].join(' ');
  return `${call.caller.padEnd(8)} ${call.at.padEnd(9)} #${call.id} ${words} → ${answer.slice(0, 300)}`;
}

function requestOf({ verb, request }: Call): string {
  if (verb === 'transaction') return `${request.method} ${request.requests.map(itemOf).join('; ')}`;
  if (Array.isArray(request)) return (request as readonly Item[]).map(itemOf).join('; ');
  return typeof request === 'string' ? request : JSON.stringify(request);
}

function itemOf({ requestType, resource, match, requester, ttlSeconds, waitSeconds, ...other }: Item): string {
  const { priority, count, mode, session } = other;
  const words = [
    requestType,
    resource ?? JSON.stringify(match),
    requester,
    ttlSeconds && `ttl ${ttlSeconds} s`,
    waitSeconds && `wait ${waitSeconds} s`,
    priority && `priority ${priority}`,
    count && `count ${count}`,
    mode,
    session && `session ${String(session).slice(-6)}`,
  ];
  return words.filter(Boolean).join(' ');
}

interface Answer {
  readonly status?: string;
  readonly explanation?: string;
  readonly fencingToken?: number | null;
  readonly expiresAt?: string | null;
  readonly heldBy?: { readonly requester: string | null } | undefined;
}

function answerOf({ verb, response }: Call): string {
  if (verb === 'transaction') return `${response?.status} ${(response?.results ?? []).map(resultOf).join('; ')}`;
  const isOfItems = verb === 'reserve' || verb === 'unreserve' || verb === 'renew' || verb === 'cancel';
  return isOfItems && response ? response.map(resultOf).join('; ') : JSON.stringify(response);
}

function resultOf({ status, explanation, fencingToken, expiresAt, heldBy }: Answer): string {
  const why = explanation === status ? '' : explanation;
  const lease = expiresAt && `until ${expiresAt.slice(11, 23)}`;
  return [status, why, fencingToken, lease, heldBy && `held by ${heldBy.requester}`].filter(Boolean).join(' ');
}

/** Time until everything was served again, as callers saw it. */

/** @returns the probes of each address, in the order of their invocation */
export const probesOf = ({ calls }: Pick<History, 'calls'>): ReadonlyMap<string, readonly Call[]> =>
  groupBy(
    calls.filter(({ caller }) => caller.startsWith('prober')),
    ({ at }) => at,
  );

/**
 * @param probes of probesOf()
 * @returns the ms from when the service had to recover until each address had answered a probe; null: the next fault
 * or the end came first
 */
export function servedAfter(
  { healedAt, servedFromAt = healedAt, startedAt }: FaultSeen,
  probes: ReadonlyMap<string, readonly Call[]>,
  { faults, endedAt }: History,
): number | null {
  const next = Math.min(endedAt, ...faults.map((other) => other.startedAt).filter((at) => at > startedAt));
  const first = [...probes.values()].map(
    (calls) => calls.find(({ status, invokedAt }) => status === 200 && invokedAt >= servedFromAt)?.completedAt,
  );
  const last = Math.max(...first.map((at) => at ?? Number.POSITIVE_INFINITY));
  return last < next ? last - servedFromAt : null;
}
