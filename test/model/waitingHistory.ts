/**
 * Carries out steps of a tenant with a queue on the engine and on the model, and compares: answers, reservations,
 * records in Redis, and the queue.
 */
import { expect } from 'vitest';
import type { TransactionItem, TransactionResult } from '../../src/contract/reservations.ts';
import { changeInRedis } from '../../src/definitions/change.ts';
import { setCondition } from '../../src/engine/reservations/conditions.ts';
import * as reserving from '../../src/engine/reservations/reserve.ts';
import * as transacting from '../../src/engine/reservations/transaction.ts';
import { loadTenant } from '../../src/engine/tenant/record.ts';
import { beat, leave } from '../../src/engine/waiting/beat.ts';
import { cancel } from '../../src/engine/waiting/cancel.ts';
import { setClock } from '../support/clock.ts';
import type { RunningEngine } from '../support/engine.ts';
import { renew, reset, transaction, unreserve } from '../support/verbs.ts';
import { BookingHistory } from './bookingHistory.ts';
import { BookingModel } from './bookings.ts';
import type { Result } from './claims.ts';
import { handOver } from './handOver.ts';
import { KEPT, numbered } from './matching.ts';
import { repeatEnded } from './past.ts';
import type { Outcome } from './queue.ts';
import { codeOf, refusable, SessionHistory } from './sessionHistory.ts';
import { iso, nothingHad, toDefinition } from './state.ts';
import { compareStored } from './stored.ts';
import type { Call, Lasting, Request, Wait } from './tickets.ts';
import { type Compare, compareQueue, expectWhy, inStep, noteListed, recordOf, withoutBooked } from './waitingQueue.ts';
import type { GiveBack, Step, Take } from './waitingSteps.ts';

const sorted = (list: readonly (string | { name: string })[] | string) => {
  const nameOf = (one: string | { name: string }) => (typeof one === 'string' ? one : one.name);
  return typeof list === 'string' ? list : list.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
};

/** An item of a request, as it is sent. */
type Item = Omit<Take, 'ttlSeconds' | 'session'> & Lasting;
/** The requester and the resources of a request. */
type Naming = { requester: string; items: readonly { resource: string }[] };

/** Returns what carries out a step of a tenant, and returns what compares it, and what `watch` does, with the model. */
export async function begin(
  running: RunningEngine,
  cap: number | null,
  watch: (model: BookingModel) => Compare = () => async () => {},
): Promise<(i: number, step: Step) => Promise<Compare>> {
  const { engine, credential } = running;
  const { tenant } = credential;
  const { redis } = engine;
  const changes = changeInRedis(engine);
  const model = new BookingModel();
  const sessions = new SessionHistory(running, model);
  const bookings = new BookingHistory(running, model);
  const watched = watch(model);
  model.cap = cap ?? Number.POSITIVE_INFINITY;
  /** The engine's ticket for each of the model's. */
  const tickets = new Map<number, string>();
  await engine.loadTenant(tenant);
  // Ahead of the time, so that instances on the same Redis end nothing.
  model.setClock(Date.now() + 600_000);
  await setClock(redis, tenant, model.nowMs);
  return async (i, step) => {
    await inStep(i, step, async () => {
      // A ticket that was continued with an end in the past ends with the next script.
      model.setClock(model.nowMs);
      await carryOut(step);
    });
    return () =>
      inStep(i, step, async () => {
        model.noteLacks();
        model.setClock(model.nowMs);
        await compareQueue(running, model, i % 5 === 0);
        if (i % 5 === 0) await sessions.compare();
        await compareStored(redis, tenant, model);
        await sessions.compareStored();
        if (model.definitions.size > 0) await bookings.compare();
        await watched();
      });
  };

  /** The model's outcome in the form of the engine's answer. */
  function toResults(outcome: Outcome, request: Naming, { pollMs }: Call): Result[] {
    if (!('ticket' in outcome)) return outcome.results;
    const { since, until } = outcome.ticket;
    return request.items.map(({ resource }) => ({
      resource,
      requester: request.requester,
      status: 'WAITING',
      explanation: expect.stringMatching(/^WAITING: (you are next|\d+ before you|booked from .*)$/),
      ...nothingHad,
      waiting: {
        ahead: expect.any(Number),
        waitsFor: expect.any(String),
        since: iso(since) ?? '',
        until: iso(until) ?? '',
        // A long poll is told when it ends.
        ...(pollMs === 0 && { reason: expect.any(Object) }),
      },
    }));
  }

  function lasting({ session, ttlSeconds, minTtlSeconds, ...item }: Take): Item {
    const lasts = sessions.lasting(item.requester, ttlSeconds, session);
    return { ...item, ...lasts, ...('ttlSeconds' in lasts && minTtlSeconds !== undefined && { minTtlSeconds }) };
  }

  /** @param nth which one of those with its match the first item is */
  async function reserve(items: Item[], call: Call, nth = 1) {
    const all = [...Array.from({ length: nth - 1 }, () => items.slice(0, 1)).flat(), ...items];
    const among = all.map(({ wait, ...item }) => ({ ...item, ...wait }));
    const sent = among.slice(nth - 1);
    const isWaiting = items.some(({ wait }) => wait !== null);
    const waitCall = isWaiting ? { ...call, isContinuation: false } : undefined;
    const answer = await reserving
      .reserve(engine, credential, sent, waitCall, undefined, among)
      .then((done) => ({ tickets: [], replies: [], ...done }))
      .then((issued) => repeatEnded(running, issued, sent, call, among, model.nowMs), codeOf);
    if (sessions.isForeign(sent)) return expect(answer).toBe('forbidden');
    const tokens = typeof answer === 'string' ? [] : answer.result.map(({ releaseToken }) => releaseToken);
    const outcomes = model.reserveAll(
      numbered(all)
        .slice(nth - 1)
        .map(({ wait, ...item }) => ({ item, wait })),
      call,
      tokens,
    );
    if (typeof answer === 'string' || outcomes === null) return expect(answer).toBe(outcomes ?? 'limited');
    const expected = outcomes.flatMap((outcome, i) => {
      const { resource = '', requester = '' } = items[i] ?? {};
      if ('ticket' in outcome) tickets.set(outcome.ticket.id, answer.tickets[i] ?? '');
      return toResults(outcome, { requester, items: [{ resource }] }, call);
    });
    expect(answer.result.map(withoutBooked)).toEqual(expected);
  }

  async function transact(request: Request, wait: Wait, call: Call) {
    const items = request.items.map((item) => ({
      requestType: 'RESERVE' as const,
      requester: request.requester,
      ...item,
    }));
    const method = request.method === 'FIRST' ? 'FIRST' : 'ALL_OR_NONE';
    const waitCall = { ...call, isContinuation: false };
    const sent = { wait, call: waitCall };
    const answer = await transacting.transaction(engine, credential, method, items, sent).catch(codeOf);
    if (sessions.isForeign(items)) return expect(answer).toBe('forbidden');
    const outcome = model.transactWaiting({ request, wait, tokens: tokensOf(answer) }, call);
    if (typeof answer === 'string' || outcome === null) return expect(answer).toBe(outcome ?? 'limited');
    if ('ticket' in outcome) tickets.set(outcome.ticket.id, answer.tickets[0] ?? '');
    const status = 'ticket' in outcome ? 'WAITING' : outcome.status;
    // Two items of a FIRST may name one reservation: once it is claimed, the second is ALREADY_HAD instead of SKIPPED.
    const expected = toResults(outcome, request, call).map((one, i) => {
      const result = answer.result.results[i];
      return one.explanation === 'SKIPPED' && result?.status === 'ALREADY_HAD' ? result : one;
    });
    // A waiting transaction that is refused says why for its first failing item only.
    const failing = status === 'ROLLED_BACK' ? expected.findIndex((one) => one.explanation !== 'ROLLED_BACK') : -1;
    const all = answer.result.results.map(withoutBooked);
    const told = failing < 0 ? all : all.slice(failing, failing + 1);
    expect(answer.result).toMatchObject({ method, status });
    expect(told).toEqual(failing < 0 ? expected : expected.slice(failing, failing + 1));
  }

  function chosen({ resource, requester, nth, left }: GiveBack) {
    const target = nth === null ? undefined : model.reservations[nth % model.reservations.length];
    const last = target?.details.slots?.at(-1) ?? target?.own.slot;
    const named = target && last ? { resource: last, requester: target.requester } : { resource, requester };
    const report = left === undefined ? {} : { condition: left };
    return { ...named, ...report, releaseToken: model.find(named.resource, named.requester)?.token ?? undefined };
  }

  async function carryOut(step: Step): Promise<void> {
    switch (step.do) {
      case 'book':
      case 'change booking':
      case 'cancel booking':
      case 'pass to':
        return bookings.carryOut(step);
      case 'register': {
        const items = step.items;
        const answer = await refusable(changes.register(credential, items.map(toDefinition)));
        await noteListed(running, model);
        expect(sorted(answer)).toEqual(sorted(model.register(items) ?? 'refused'));
        return;
      }
      case 'delete': {
        const answer = await refusable(changes.delete(credential, step.name, true));
        await noteListed(running, model);
        expect(sorted(answer)).toEqual(sorted(model.delete(step.name, true)));
        return;
      }
      case 'require registration':
        await loadTenant(
          redis,
          { ...recordOf(credential), requireRegistration: step.on },
          { definitionsVersion: 0, lease: null },
        );
        await noteListed(running, model);
        model.require(step.on);
        return;
      case 'reserve':
        return reserve(step.items.map(lasting), step.call);
      case 'wait as a whole': {
        const { requester, method, wait, call } = step;
        const items = step.items.map(
          ({ requester: _, wait: __, ttlSeconds, session: ___, minTtlSeconds, ...item }) => ({
            ...item,
            ...sessions.lasting(requester, ttlSeconds, step.session),
            ...(step.session === undefined && minTtlSeconds !== undefined && { minTtlSeconds }),
          }),
        );
        return transact({ requester, method, items }, wait, call);
      }
      case 'again': {
        const known: Request[] = [...(step.isGranted ? [] : model.queue), ...model.grants];
        const one = known[step.nth % known.length];
        if (one === undefined) return;
        const { requester, method } = one;
        const lasts = sessions.lasting(requester, step.ttlSeconds, step.session);
        const items = one.items.map(({ resource, match, count, mode, condition }) => ({
          resource,
          ...(match === undefined ? {} : { match }),
          ...(count === undefined ? {} : { count }),
          ...(mode === undefined ? {} : { mode }),
          ...(condition === undefined ? {} : { condition }),
          ...lasts,
        }));
        if (method !== '') return transact({ requester, method, items }, step.wait, step.call);
        return reserve(
          items.map((item) => ({ ...item, requester, wait: step.wait })),
          step.call,
          one.items[0]?.nth,
        );
      }
      case 'transaction': {
        const items = step.items.map((item): TransactionItem => {
          if ('nth' in item) return { requestType: 'UNRESERVE', ...chosen(item) };
          const { wait, ...taken } = lasting(item);
          return { requestType: 'RESERVE', ...taken };
        });
        const answer = await transaction(engine, credential, step.method, items).catch(codeOf);
        if (sessions.isForeign(step.items.flatMap((item) => ('nth' in item ? [] : lasting(item)))))
          return expect(answer).toBe('forbidden');
        const tokens = typeof answer === 'string' ? [] : tokensOf({ result: answer });
        const expected = model.transact(step.method, items, tokens);
        if (typeof answer === 'string' || expected === null) return expect(answer).toBe(expected ?? 'limited');
        // If all items together overtake, any of them may say so.
        const isKept =
          answer.status === 'ROLLED_BACK' && expected.results.some(({ explanation }) => explanation === KEPT);
        if (isKept) expectWhy(answer, expected);
        else expect(answer).toEqual(expected);
        return;
      }
      case 'unreserve': {
        const items = step.items.map(chosen);
        if (step.isHandOver) await handOver(running, model, tickets, items);
        else expect(await unreserve(engine, credential, items)).toEqual(model.unreserveAll(items));
        return;
      }
      case 'renew': {
        const items = step.items.map(({ nth, left: _, ...item }) => ({ ...item, ...chosen({ nth, ...item }) }));
        expect(await renew(engine, credential, items)).toEqual(items.map((item) => model.renew(item)));
        return;
      }
      case 'begin session':
      case 'renew session':
      case 'end session':
        return sessions.carryOut(step);
      case 'cancel': {
        const { result } = await cancel(engine, credential, step.items);
        expect(result.map(({ status }) => status)).toEqual(model.cancel(step.items));
        return;
      }
      case 'set condition': {
        const { result } = await setCondition(engine, credential, step.items);
        expect(result.map(({ status }) => status)).toEqual(model.setConditions(step.items));
        return;
      }
      case 'beat':
        await beat(engine, tenant, step.instance);
        return model.beat(step.instance);
      case 'leave': {
        const ticket = model.queue[step.nth % model.tickets.length];
        if (ticket === undefined) return;
        await leave(engine, tenant, ticket.call.instance, [tickets.get(ticket.id) ?? '']);
        return model.leave(ticket.call.instance, ticket.id);
      }
      case 'pass':
        model.setClock(model.nowMs + step.ms);
        await setClock(redis, tenant, model.nowMs);
        return;
      case 'reset':
        expect(await reset(engine, credential)).toBe(model.reset());
        return;
    }
  }
}

/** The tokens of a transaction's answer; none if it was refused as a whole. */
const tokensOf = (answer: string | { result: TransactionResult }): (string | null)[] =>
  typeof answer === 'string'
    ? []
    : answer.result.results.map((one) => ('releaseToken' in one ? one.releaseToken : null));
