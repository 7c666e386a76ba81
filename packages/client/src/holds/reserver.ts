/**
 * Makes holds: finds the requester, asks until the service has decided, and checks that nobody else of this client has
 * it.
 */
import { ENDLESS } from '../durations.ts';
import { HoldfastError, holderIn, unexpected } from '../errors.ts';
import type { Answer, Api } from '../http/api.ts';
import type { ActiveReservation, HeldBy, ReserveResult } from '../types.ts';
import { askUntilDecided } from './ask.ts';
import { attemptOf, isGot, type Outcome } from './attempts.ts';
import { CLOCKS, type Clocks, offsetOf } from './clocks.ts';
import { type Hold, LiveHold, leaseOf } from './hold.ts';
import { Keeper } from './keeper.ts';
import { Lease } from './lease.ts';
import type { Plan } from './plan.ts';
import type { Requesters, Use } from './requesters.ts';
import { keyOf } from './reservation.ts';
import { type Wait, Waits } from './waits.ts';

/** A session that reservations are made in. */
export interface Owner {
  readonly id: string;
  readonly requester: string;
  readonly lease: Lease;
  readonly expiresAt: Date;
}

/** A hold, the lease behind it, and what renews that. */
export interface Held {
  readonly hold: Hold;
  readonly lease: Lease;
  readonly keeper: Keeper;
}

/** A grant of the service to a plan, which no other hold of this client has. */
interface Got {
  readonly use: Use;
  readonly answer: Answer<Outcome>;
  readonly first: ReserveResult;
  readonly others: readonly ReserveResult[];
  /** `offsetOf` before the request. */
  readonly offset: number;
}

/** The codes that say that somebody else has it. */
const TAKEN = /^(ALREADY_HELD|NOT_AVAILABLE)$/;

export class Reserver {
  readonly #api: Api;
  readonly #requesters: Requesters;
  readonly clocks: Clocks;
  readonly keeper = new Keeper();
  readonly waits = new Waits();

  constructor(api: Api, requesters: Requesters, clocks: Clocks = CLOCKS) {
    this.#api = api;
    this.#requesters = requesters;
    this.clocks = clocks;
  }

  /**
   * @returns the hold; null if somebody else has it, or its turn did not come in time
   * @throws HoldfastError; the reason of the plan's signal
   */
  async tryTake(plan: Plan, session?: Owner): Promise<Held | null> {
    try {
      return await this.take(plan, session);
    } catch (error) {
      const isTaken = error instanceof HoldfastError && TAKEN.test(error.code);
      if (isTaken) return null;
      throw error;
    }
  }

  /** @throws HoldfastError, also if somebody else has it; the reason of the plan's signal */
  async take(plan: Plan, session?: Owner): Promise<Held> {
    plan.signal?.throwIfAborted();
    const wait = plan.waitMs === undefined ? undefined : this.waits.begin(plan.title, plan.keys, plan.signal);
    const signal = wait?.signal ?? plan.signal;
    try {
      const got = await this.#get(plan, session, wait);
      // From here on it is no wait any more, but a hold.
      if (!signal?.aborted) return this.#made(plan, got, session);
      await this.#release(got.answer.result.results);
      this.#requesters.end(got.use);
      throw signal.reason;
    } finally {
      wait?.end();
    }
  }

  async #get(plan: Plan, session: Owner | undefined, wait: Wait | undefined): Promise<Got> {
    const until = plan.waitMs === undefined ? undefined : this.clocks.monotonic() + plan.waitMs;
    for (let above = 0; ; ) {
      wait?.signal.throwIfAborted();
      const use = this.#requesters.begin(plan.keys, session?.requester ?? plan.requester, above);
      if (wait !== undefined) wait.requester = use.requester;
      let offset = offsetOf(this.clocks);
      // The wall clock may be set during a wait: the lease begins with the last request.
      const asked = () => {
        offset = offsetOf(this.clocks);
      };
      const answer = await this.#ask(plan, use, { until, wait, asked, isInSession: session !== undefined });
      const { state, results, decisive } = answer.result;
      const [first, ...others] = results;
      const isWhole = results.length === plan.items.length && results.every(({ releaseToken }) => releaseToken);
      if (state !== 'GOT' || first === undefined || !isWhole) {
        this.#requesters.end(use);
        throw state !== 'REFUSED' || decisive === undefined ? unexpected() : await this.#refusal(plan, decisive, until);
      }
      const isOurs =
        this.#isNew(results) ||
        (await this.#isOurs(results, plan, session).catch((error: unknown) => {
          this.#requesters.end(use);
          throw error;
        }));
      if (isOurs) return { use, answer, first, others, offset };
      await this.#release(results.filter(({ status }) => status === 'ACQUIRED'));
      this.#requesters.end(use);
      if (use.number === 0) throw alreadyHad(plan.title, use.requester);
      above = use.number;
    }
  }

  #ask(
    plan: Plan,
    use: Use,
    how: { until: number | undefined; wait: Wait | undefined; asked: () => void; isInSession: boolean },
  ): Promise<Answer<Outcome>> {
    const { until, wait, asked, isInSession } = how;
    const { ttlMs, onWaiting } = plan;
    const signal = wait?.signal ?? plan.signal;
    const attempt = attemptOf(this.#api, plan, use.requester);
    const ended = () => this.#requesters.end(use);
    // A try that nobody gives up is one call.
    if (until === undefined && signal === undefined)
      return attempt.ask({ pollSeconds: 0 }).catch((error: unknown) => {
        ended();
        throw error;
      });
    return askUntilDecided({
      attempt,
      until,
      wait,
      // In a session, a grant lasts as long as the session, however long the response was held.
      ttlMs: isInSession ? ENDLESS : ttlMs,
      signal,
      onWaiting,
      asked,
      release: ({ results }) => this.#release(results),
      ended,
    });
  }

  #made(plan: Plan, got: Got, session: Owner | undefined): Held | Promise<Held> {
    const { use, answer, first, others, offset } = got;
    const lease = session?.lease ?? new Lease(plan.title, this.clocks);
    const { results } = answer.result;
    if (session === undefined) lease.extend(leaseOf(results, plan.ttlMs), answer.sentAt, offset);
    const tokens = results.map(({ releaseToken }) => releaseToken ?? '');
    this.#requesters.made(use, tokens, () => lease.latestEnd);
    const origin = {
      api: this.#api,
      requester: use.requester,
      lease,
      ttlSeconds: plan.ttlMs / 1000,
      session,
      waitedMs: first.waitedMs ?? 0,
      ended: () => this.#requesters.end(use),
      clocks: this.clocks,
      onEndFixed: plan.onEndFixed,
    };
    let hold: LiveHold;
    try {
      hold = new LiveHold(origin, first, others);
    } catch (error) {
      return this.#undo(use, results, error);
    }
    const wasHad = results.some(({ status }) => status === 'ALREADY_HAD');
    // A reservation from before: who knows when its lease ends. After a wait: much of it may have passed.
    const isOld = session === undefined && (wasHad || lease.isHalfOver);
    const held = { hold, lease, keeper: this.keeper };
    return isOld || plan.signal?.aborted ? renewed(held, isOld, plan.signal) : held;
  }

  /** Releases what was got, since a function of the user has thrown. */
  async #undo(use: Use, results: readonly ReserveResult[], error: unknown): Promise<never> {
    const unwanted = results.filter(({ booking }) => booking === undefined);
    await Promise.all(unwanted.map((result) => this.#api.unreserve(keyOf(result)).catch(() => {})));
    this.#requesters.end(use);
    throw error;
  }

  #isNew(results: readonly ReserveResult[]): boolean {
    return results.every((result) => result.status === 'ACQUIRED' && !this.#isHeld(result));
  }

  /**
   * Returns true if the results are nobody else's. ALREADY_HAD is another hold of this client, or ours: the process was
   * restarted, or a first response was lost. Then it has to match the request.
   */
  async #isOurs(results: readonly ReserveResult[], plan: Plan, session: Owner | undefined): Promise<boolean> {
    if (results.some((result) => this.#isHeld(result))) return false;
    const had = results.filter(({ status }) => status === 'ALREADY_HAD');
    if (had.length === 0) return true;
    if (session !== undefined) return this.#isIn(session, had);
    // No renewal makes a lease endless.
    return plan.ttlMs !== ENDLESS || had.every(({ expiresAt }) => expiresAt === null);
  }

  async #isIn({ id, requester }: Owner, results: readonly ReserveResult[]): Promise<boolean> {
    const path = '/Reservation/activeReservations';
    const { result: active } = await this.#api.request<ActiveReservation[]>({
      method: 'GET',
      path,
      query: { requester },
    });
    const inside = new Set(active.filter(({ session }) => session === id).map(({ resource }) => resource));
    return results.every(({ resource }) => inside.has(resource));
  }

  /** After a wait, the service does not say who holds it: so this asks once. */
  async #refusal({ title, waitMs = 0, items, signal }: Plan, result: ReserveResult, until = ENDLESS) {
    const { status, explanation, resource, heldBy } = result;
    if (this.clocks.monotonic() < until || !TAKEN.test(status))
      return new HoldfastError(status, `${title}: ${explanation}${holderIn(heldBy)}`, { heldBy });
    const holder = items[0].match === undefined ? await this.#holderOf(resource, signal) : heldBy;
    const message = `${title}: its turn did not come within ${waitMs / 1000} s${holderIn(holder)}`;
    return new HoldfastError(status, message, { heldBy: holder });
  }

  /** One attempt, of a second. */
  async #holderOf(resource: string, signal: AbortSignal | undefined): Promise<HeldBy | undefined> {
    const answer = await this.#api.check({ resource }, { signal, deadline: 0 }).catch(() => undefined);
    const [holder] = answer?.result.reason?.holders ?? [];
    if (holder === undefined) return undefined;
    const { slot, requester, since, until, note } = holder;
    return { resource: slot, requester, since, expiresAt: until, note };
  }

  #isHeld({ releaseToken }: ReserveResult): boolean {
    return releaseToken !== null && this.#requesters.isHeld(releaseToken);
  }

  /** Releases what nobody has got, but for what is booked. If that fails, the lease ends it. */
  async #release(results: readonly ReserveResult[]): Promise<void> {
    const unwanted = results.filter((one) => isGot(one) && one.booking === undefined && !this.#isHeld(one));
    await Promise.all(unwanted.map((result) => this.#api.unreserve(keyOf(result)).catch(() => {})));
  }
}

/** Renews a hold that may end soon. One that nobody wants any more is left. */
async function renewed(held: Held, isOld: boolean, signal: AbortSignal | undefined): Promise<Held> {
  try {
    if (isOld) await held.hold.renew();
    signal?.throwIfAborted();
    return held;
  } catch (error) {
    held.hold.leave().catch(() => {});
    throw error;
  }
}

const alreadyHad = (title: string, requester: string) =>
  new HoldfastError('ALREADY_HAD', `${title}: ${requester} holds it already`);
