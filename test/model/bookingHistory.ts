/**
 * Carries out the steps of histories that have to do with bookings, on the engine and on the model, and compares the
 * bookings that there are. After each step, the promise is checked against the engine alone: from its start to its end,
 * a booked slot is its requester's, unless it is out of service.
 */
import { expect } from 'vitest';
import type { Conflict } from '../../src/contract/bookings.ts';
import { book, bookings, cancelBookings, changeBooking } from '../../src/engine/bookings.ts';
import { active } from '../../src/engine/reservations/active.ts';
import { newToken, packToken, unpackToken } from '../../src/engine/reservations/releaseToken.ts';
import { setClock } from '../support/clock.ts';
import type { RunningEngine } from '../support/engine.ts';
import { all } from '../support/listed.ts';
import type { Booking } from './booked.ts';
import type { Booked, BookingStep } from './bookingSteps.ts';
import type { Answer, BookingModel, Made, Wanted } from './bookings.ts';
import { iso } from './state.ts';

const toSeconds = (ms: number) => Math.floor(ms / 1000);

export class BookingHistory {
  private readonly running: RunningEngine;
  private readonly model: BookingModel;

  constructor(running: RunningEngine, model: BookingModel) {
    this.running = running;
    this.model = model;
  }

  async carryOut(step: BookingStep): Promise<void> {
    const { engine, credential } = this.running;
    switch (step.do) {
      case 'book':
        return this.book(step.items, step.skipConflicts);
      case 'change booking': {
        const one = this.nth(step.nth);
        if (one === undefined) return;
        const now = toSeconds(this.model.nowMs);
        const start = step.startsIn === null ? undefined : now + step.startsIn;
        const end = step.seconds === null ? undefined : (start ?? toSeconds(one.start)) + step.seconds;
        const change = { ...(start !== undefined && { start }), ...(end !== undefined && { end }) };
        const { result } = await changeBooking(engine, credential, one.id, change);
        const times = { start: start && start * 1000, end: end && end * 1000 };
        expect(result?.status ?? null).toBe(this.model.change(one.id, times));
        return;
      }
      case 'cancel booking': {
        const one = this.nth(step.nth);
        if (one === undefined) return;
        const { id, series, resource, start } = one;
        const isSeries = step.of === 'series' && series !== undefined;
        const which = isSeries
          ? { series, from: toSeconds(start) }
          : step.of === 'resource'
            ? { resource }
            : { booking: id };
        const { result } = await cancelBookings(engine, credential, which, new Map());
        const is = (other: Booking) =>
          'series' in which
            ? other.series === series && other.start >= start
            : 'resource' in which
              ? other.resource === resource
              : other.id === id;
        expect(result).toBe(this.model.cancelBookings(is));
        return;
      }
      case 'pass to': {
        const moments = this.model.listed().flatMap(({ start, end }) => [start, end]);
        const ahead = moments.filter((ms) => ms > this.model.nowMs).sort((a, b) => a - b);
        const ms = ahead[step.nth % Math.max(1, ahead.length)];
        if (ms === undefined) return;
        this.model.setClock(Math.max(this.model.nowMs, ms + step.off));
        await setClock(engine.redis, credential.tenant, this.model.nowMs);
      }
    }
  }

  private nth(nth: number): Booking | undefined {
    const listed = this.model.listed();
    return listed[nth % Math.max(1, listed.length)];
  }

  private async book(items: readonly Booked[], skipConflicts: boolean): Promise<void> {
    const { engine, credential } = this.running;
    const now = toSeconds(this.model.nowMs);
    const series = unpackToken(newToken());
    const sent = items.map(({ startsIn, seconds, series: nth, ...item }) => ({
      ...item,
      start: now + startsIn,
      end: now + startsIn + seconds,
      ...(nth !== undefined && { series }),
    }));
    const { result } = await book(engine, credential, { bookings: sent, skipConflicts });
    const wanted = sent.map(
      ({ start, end, ...item }): Wanted => ({
        ...item,
        ...(item.match && { resource: undefined }),
        start: start * 1000,
        end: end * 1000,
      }),
    );
    const made = await Promise.all(result.bookings.map(({ booking }) => this.madeOf(booking)));
    const before = structuredClone(this.model.bookings);
    const { status, answers } = this.model.book(wanted, skipConflicts, made);
    expect(result.status).toBe(status);
    const told = ({ status, slot }: Pick<Answer, 'status' | 'slot'>) => ({ status, slot });
    expect(result.bookings.map(told)).toEqual(answers.map(told));
    for (const [i, { conflict, ...one }] of result.bookings.entries()) {
      const item = wanted[i];
      expect([one.start, one.end, one.requester]).toEqual([
        iso(item?.start ?? 0),
        iso(item?.end ?? 0),
        item?.requester,
      ]);
      if (one.status === 'BOOKED') expect(one.resource).toBe(answers[i]?.resource);
      if (conflict !== undefined && item !== undefined) this.expectTrue(conflict, item, before);
    }
  }

  /** What the engine made of a booking. Its token is in Redis alone until it is told. */
  private async madeOf(id: string | null): Promise<Made | null> {
    if (id === null) return null;
    const { engine, credential } = this.running;
    const text = await engine.redis.hget(`{${credential.tenant}}:bookings`, packToken(id));
    return { id, key: packToken(id), token: unpackToken(JSON.parse(text ?? '{}').token) };
  }

  /** @throws if a conflict is none */
  private expectTrue({ kind, slot, requester, until }: Conflict, wanted: Wanted, before: readonly Booking[]): void {
    if (kind === 'HOLD') {
      const hold = this.model.holdAt(slot);
      expect(hold && iso(finite(this.model.endOfHold(hold))), 'end of the hold').toBe(until);
      return;
    }
    const isIt = (one: Booking) => one.slot === slot && one.requester === requester && iso(one.end) === until;
    const bookings = [...before, ...this.model.bookings, ...this.model.running.flatMap(({ booking }) => booking ?? [])];
    const found = bookings.find(isIt);
    if (found !== undefined) expect(found.start < wanted.end && found.end > wanted.start, 'a conflict').toBe(true);
  }

  /** @throws if the engine has other bookings than the model, or breaks its promise to one */
  async compare(): Promise<void> {
    const { engine, credential } = this.running;
    const listed = await all(bookings(engine, credential, {}));
    const told = listed.map(({ booking, resource, slot, requester, start, end, state, series }) => ({
      ...{ booking, resource, slot, requester, start, end, state },
      ...(series !== undefined && { series }),
    }));
    expect(told, 'bookings').toEqual(
      this.model.listed().map(({ id, resource, slot, requester, start, end, state, series }) => ({
        ...{ booking: id, resource, slot, requester, start: iso(start), end: iso(end), state },
        ...(series !== undefined && { series }),
      })),
    );
    await this.expectPromise(listed);
  }

  private async expectPromise(listed: readonly { slot: string; requester: string; start: string; state: string }[]) {
    const { engine, credential } = this.running;
    const held = await all(active(engine, credential));
    for (const { slot, requester, start, state } of listed) {
      const there = held.filter(({ resource, acquiredSlots, slots }) =>
        (acquiredSlots ? [...Object.values(acquiredSlots), ...(slots ?? [])] : [resource.split('>').at(-1)]).includes(
          slot,
        ),
      );
      const isTheirs = there.some((one) => one.requester === requester);
      if (state === 'RUNNING') expect(isTheirs, `${slot} of a running booking is ${requester}'s`).toBe(true);
      if (state === 'DELAYED')
        expect(isTheirs || this.model.conditionAt(slot) === 'out', `${slot} is delayed`).toBe(true);
      if (state !== 'BOOKED') continue;
      const crossing = there.filter((one) => one.requester !== requester && !(one.expiresAt && one.expiresAt <= start));
      expect(crossing, `holds of ${slot} that cross ${start}`).toEqual([]);
    }
  }
}

const finite = (ms: number) => (ms === Number.POSITIVE_INFINITY ? null : ms);
