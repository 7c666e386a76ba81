/**
 * A model of Holdfast, written from docs/specification.md, with no thought of speed: the reference that
 * histories are compared with.
 */
import type { CheckItem, CheckResult } from '../../src/contract/check.ts';
import type { RenewItem, RenewResult } from '../../src/contract/renewals.ts';
import type {
  ReserveResult,
  TransactionItem,
  TransactionResult,
  UnreserveItem,
  UnreserveResult,
} from '../../src/contract/reservations.ts';
import type { Condition } from '../../src/domain/conditions.ts';
import type { TransactionMethod } from '../../src/domain/reservations.ts';
import { madeAtMs } from '../../src/engine/reservations/releaseToken.ts';
import { HeldAttributes } from './attributes.ts';
import { bookedWhy, type Lasts } from './booked.ts';
import { type Report, UNREADY } from './conditions.ts';
import { type Asked, numbered } from './matching.ts';
import type { Entry } from './plans.ts';
import { type Hold, iso, nothingHad, type Reservation, slotName } from './state.ts';

const SUCCESS = ['ACQUIRED', 'ALREADY_HAD', 'RELINQUISHED', 'NOT_RESERVED'];

export class Model extends HeldAttributes {
  private resetAtMs = Number.NEGATIVE_INFINITY;
  /** The worst condition of the slots of the reservation that ended last; null: all are ready. */
  private leftIn: Exclude<Condition, 'ready'> | null = null;

  /** A copy that shares nothing, for trying. */
  clone(): Model {
    const copy = new Model();
    return Object.assign(copy, structuredClone({ ...this }));
  }

  /** @param token what the reservation's token is to be, if one is made */
  reserve(item: Asked, token: string | null): ReserveResult {
    const { resource, requester, session } = item;
    if (session !== undefined && !this.sessions.has(session)) {
      const explanation = 'NOT_VALID: there is no such session, or it has ended';
      return { resource, requester, status: 'NOT_VALID', explanation, ...nothingHad };
    }
    return item.match === undefined
      ? this.reserveNamed(item, token)
      : this.reserveAny(item, (named) => this.reserveNamed(named, token));
  }

  protected reserveNamed(item: Asked, token: string | null): ReserveResult {
    const { resource: requestedName, requester, ttlSeconds, session, count = 1, mode, condition } = item;
    const fail = (
      status: 'ALREADY_HELD' | 'NOT_AVAILABLE' | 'NOT_VALID',
      explanation: string = status,
      lacked?: Entry,
    ): ReserveResult => ({
      resource: requestedName,
      requester,
      status,
      explanation,
      ...nothingHad,
      ...(lacked && this.heldBy(lacked)),
    });
    const meant = this.meaning(requestedName);
    if (meant === null) return fail('NOT_VALID', this.whyNotValid(requestedName));
    const { resource, slot } = meant;
    const unsharable = mode === 'SHARED' ? this.whyNotSharable(meant) : null;
    if (unsharable !== null) return fail('NOT_VALID', unsharable);
    const had = this.had(requestedName, requester);
    if (had?.details.mode === 'SHARED' && mode !== 'SHARED')
      return fail('ALREADY_HELD', 'ALREADY_HELD: you hold it SHARED; release it first');
    if (had !== undefined) return this.resultOf(had, requestedName, 'ALREADY_HAD', item);
    if (this.isGroup(resource)) return fail('NOT_VALID', `NOT_VALID: ${resource} is a group`);
    const fault = this.whyNotSeveral(meant, count);
    if (fault !== null) return fail('NOT_VALID', fault);
    if (condition !== undefined && !this.definitions.has(resource))
      return fail('NOT_VALID', `NOT_VALID: ${resource} is not registered: it has no condition`);

    // It holds along EXCLUSIVE.
    const isShared = mode === 'SHARED' && this.holdAt(slot ?? resource)?.owner !== requester;
    const choice = this.chooseFor(meant, item, isShared);
    if (choice !== null && 'bookedFrom' in choice) return { ...fail('NOT_AVAILABLE'), ...bookedWhy(choice.bookedFrom) };
    const plan = this.plan(resource, slot, requester, 'own', [], count, isShared, condition);
    if (choice !== null) for (const entry of plan) entry.fits = (one) => choice.slots.includes(one);
    const taken: { entry: Entry; hold: Hold }[] = [];
    for (const entry of plan) {
      const hold = this.meet(
        entry,
        taken.map((one) => one.hold),
      );
      if (hold !== null) {
        taken.push({ entry, hold: taken.find((one) => one.hold.slot === hold.slot)?.hold ?? hold });
        continue;
      }
      const name = entry.slot ?? entry.resource;
      if (entry.never) return fail('NOT_VALID', `NOT_VALID: blocker ${name} is ${entry.never}`);
      if (this.isUnready(entry)) return fail('NOT_AVAILABLE', UNREADY, entry);
      if (entry.role === 'ancestor')
        return fail('NOT_AVAILABLE', `NOT_AVAILABLE: ancestor ${name} is at capacity`, entry);
      if (entry.role === 'blocker') {
        return fail('NOT_AVAILABLE', `NOT_AVAILABLE: blocker ${name} is ${entry.valid ? 'held' : 'not valid'}`, entry);
      }
      const verySlot = entry.slot !== undefined && this.holdAt(entry.slot) !== undefined;
      const status = this.capacityOf(resource) === 1 || verySlot ? 'ALREADY_HELD' : 'NOT_AVAILABLE';
      return fail(status, status, entry);
    }

    const own = taken.find(({ entry }) => entry.role === 'own')?.hold;
    if (own === undefined) throw new Error('a plan without its own resource');
    const others = [...new Set(taken.map(({ hold }) => hold))].filter((hold) => hold !== own);
    const pools = taken.filter(
      ({ entry }) => ['own', 'ancestor'].includes(entry.role) && this.capacityOf(entry.resource) > 1,
    );
    const several = taken.filter(({ entry }) => ['own', 'moreSlot'].includes(entry.role)).map(({ hold }) => hold.slot);
    several.sort((a, b) => (slotName(a)?.[1] ?? 0) - (slotName(b)?.[1] ?? 0));
    const slotOf = ({ entry, hold }: (typeof taken)[number]) => (entry.role === 'own' && several[0]) || hold.slot;
    const blockers = [...new Set(taken.filter(({ entry }) => entry.role === 'blocker').map(({ hold }) => hold.slot))];
    const path = this.ancestorsOf(resource);
    this.fence = Math.max(this.fence + 1, this.nowMs * 1000);
    const reservation: Reservation = {
      requestedName,
      requester,
      token,
      fence: this.fence,
      reservedAt: this.nowMs,
      expiresAt: ttlSeconds === undefined ? null : (choice?.cutTo ?? this.nowMs + ttlSeconds * 1000),
      ...(session === undefined ? {} : { session }),
      ...(condition === undefined ? {} : { condition }),
      own,
      others,
      details: {
        acquiredSlots:
          pools.length === 0 ? null : Object.fromEntries(pools.map((one) => [one.entry.resource, slotOf(one)])),
        acquiredBlockers: blockers.length === 0 ? null : blockers,
        reservedAtPath: path.length === 0 ? null : [...path, resource].join('>'),
        ...(count > 1 ? { slots: several } : {}),
        ...(isShared ? { mode: 'SHARED' } : {}),
      },
    };
    this.reservations.push(reservation);
    return this.resultOf(reservation, requestedName, 'ACQUIRED', item);
  }

  /** The reservation that makes a request for this name ALREADY_HAD. */
  had(name: string, requester: string): Reservation | undefined {
    const { resource, slot } = this.meaning(name) ?? {};
    if (resource === undefined) return undefined;
    return this.tokenAt(slot ?? this.assigned(resource, requester)?.slot ?? resource, requester);
  }

  resultOf(
    reservation: Reservation,
    resource: string,
    status: 'ACQUIRED' | 'ALREADY_HAD',
    asked: Lasts = { requester: reservation.requester },
  ): ReserveResult {
    const { requester, token, details, fence, booking } = reservation;
    return {
      resource,
      requester,
      status,
      explanation: status,
      releaseToken: token,
      expiresAt: iso(this.endsAt(reservation)),
      ...this.cutLease(reservation, asked),
      ...(asked.mode === undefined ? {} : { mode: 'EXCLUSIVE' }),
      ...details,
      ...this.attributesOf(reservation),
      fencingToken: fence,
      ...(booking && { booking: booking.id }),
    };
  }

  /** Ends a reservation. Returns the slots that became free, its own first. */
  end(reservation: Reservation, report: Report = {}): string[] {
    this.reservations = this.reservations.filter((one) => one !== reservation);
    this.leftIn = this.afterUse(reservation, report);
    const still = this.holds;
    return [reservation.own, ...reservation.others].filter((hold) => !still.includes(hold)).map(({ slot }) => slot);
  }

  unreserve({ resource, requester, releaseToken, ...report }: UnreserveItem): UnreserveResult {
    const found = this.find(resource, requester);
    if (found === undefined) {
      const status = this.isHeld(resource) ? 'DOESNT_OWN_RESERVATION' : 'NOT_RESERVED';
      return { resource, requester, status, explanation: this.explain(status, releaseToken), released: null };
    }
    if (found.token !== releaseToken) {
      const explanation = 'INVALID_RELEASE_TOKEN';
      return { resource, requester, status: 'DOESNT_OWN_RESERVATION', explanation, released: null };
    }
    const released = this.end(found, report);
    const left = this.leftIn === null ? {} : { condition: this.leftIn };
    return { resource, requester, status: 'RELINQUISHED', explanation: 'RELINQUISHED', released, ...left };
  }

  renew({ resource, requester, releaseToken, ttlSeconds, minTtlSeconds }: RenewItem): RenewResult {
    const found = this.find(resource, requester);
    if (found === undefined) {
      const status = this.isHeld(resource) ? 'DOESNT_OWN_RESERVATION' : 'NOT_RESERVED';
      return { resource, requester, status, explanation: this.explain(status, releaseToken), expiresAt: null };
    }
    if (found.token !== releaseToken) {
      const explanation = 'INVALID_RELEASE_TOKEN';
      return { resource, requester, status: 'DOESNT_OWN_RESERVATION', explanation, expiresAt: null };
    }
    const bookedFrom = this.renewLease(found, { requester, ttlSeconds, minTtlSeconds });
    const expiresAt = iso(this.endsAt(found));
    const told = { resource, requester, expiresAt, ...(found.booking && { booking: found.booking.id }) };
    if (bookedFrom !== null) return { ...told, status: 'NOT_AVAILABLE', ...bookedWhy(bookedFrom) };
    const cut = this.cutLease(found, { requester, ttlSeconds });
    return { ...told, status: 'RENEWED', explanation: 'RENEWED', ...cut };
  }

  /** Explains why a requester has no reservation: a reset by a key without a label tells those from before it. */
  private explain(status: string, token: string | null | undefined): string {
    const isOfReset = madeAtMs(token ?? '') <= this.resetAtMs && this.nowMs < this.resetAtMs + 86_400_000;
    return isOfReset ? `${status}: everything was released by key at ${iso(this.resetAtMs)}` : status;
  }

  /** @param tokens for each item, as reserve() takes it */
  transaction(
    method: TransactionMethod,
    items: readonly TransactionItem[],
    tokens: readonly (string | null)[],
  ): TransactionResult {
    const before = this.clone();
    const results: TransactionResult['results'] = [];
    const succeeded = () => results.filter(({ status }) => SUCCESS.includes(status)).length;
    const undone = (item: TransactionItem, explanation: string): TransactionResult['results'][number] => {
      const { resource, requester, requestType } = item;
      const common = { resource, requester, status: 'NOT_AVAILABLE' as const, explanation };
      return requestType === 'UNRESERVE' ? { ...common, released: null } : { ...common, ...nothingHad };
    };
    this.fenceBefore = this.fence;
    for (const [i, item] of numbered(items).entries()) {
      if (method === 'FIRST' && succeeded() > 0) results.push(undone(item, 'SKIPPED'));
      else results.push(item.requestType === 'RESERVE' ? this.reserve(item, tokens[i] ?? null) : this.unreserve(item));
    }
    this.fenceBefore = Number.POSITIVE_INFINITY;
    const failed =
      (method === 'ALL_OR_NONE' && succeeded() < items.length) || (method === 'FIRST' && succeeded() === 0);
    if (!failed) return { method, status: 'APPLIED', results };
    Object.assign(this, { ...before });
    return {
      method,
      status: 'ROLLED_BACK',
      results: items.map((item, i) => {
        const result = results[i];
        if (result === undefined) throw new Error('an item without a result');
        return SUCCESS.includes(result.status) ? undone(item, 'ROLLED_BACK') : result;
      }),
    };
  }

  check({ resource: name, requester }: CheckItem): CheckResult {
    const meant = this.meaning(name);
    const one =
      meant === null ? name : (meant.slot ?? (this.capacityOf(meant.resource) === 1 ? meant.resource : undefined));
    const hold = one === undefined ? undefined : this.holdAt(one);
    const condition = one === undefined ? 'ready' : this.conditionAt(one);
    const mine = requester === undefined ? undefined : this.find(name, requester);
    const trial = this.clone();
    const sharing = hold === undefined ? [] : this.sharing(hold.slot);
    const told =
      mine ??
      (hold === undefined || sharing.length > 1
        ? undefined
        : this.tokenAt(hold.slot, sharing[0]?.requester ?? hold.owner));
    return {
      resource: name,
      reserved: !this.available(name),
      requester: (sharing.length === 0 ? hold?.owner : sharing.length === 1 ? sharing[0]?.requester : null) ?? null,
      heldByRequester: requester === undefined ? null : mine !== undefined,
      expiresAt: iso(told ? this.endsAt(told) : null),
      waiting: 0,
      reservable: SUCCESS.includes(trial.reserve({ resource: name, requester: requester ?? '(new)' }, null).status),
      ...(sharing.length === 0 ? {} : { mode: 'SHARED', holders: sharing.length }),
      ...(condition === 'ready' ? {} : { condition }),
    };
  }

  reset(): number {
    const cleared = this.reservations.length;
    this.reservations = [];
    this.doubtAll();
    this.resetAtMs = this.nowMs;
    return cleared;
  }

  /** Sets the clock, which ends what is due. */
  setClock(ms: number): void {
    this.nowMs = ms;
    for (const one of this.reservations) if (one.expiresAt !== null && one.expiresAt <= ms) this.end(one);
  }
}
