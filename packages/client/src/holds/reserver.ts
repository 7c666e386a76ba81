/**
 * Makes holds: finds the requester, asks until the service has decided, and checks that nobody else of this client has
 * it.
 */
import { HoldfastError } from '../errors.ts';
import type { Answer, Api } from '../http/api.ts';
import type { ReserveResult } from '../types.ts';
import { askUntilDecided } from './ask.ts';
import { attemptOf, isGot, type Outcome } from './attempts.ts';
import { CLOCKS, type Clocks, offsetOf } from './clocks.ts';
import { Hold } from './hold.ts';
import { Lease } from './lease.ts';
import type { Plan } from './plan.ts';
import type { Requesters, Use } from './requesters.ts';

/** A session that reservations are made in. */
export interface Owner {
  readonly id: string;
  readonly requester: string;
  readonly lease: Lease;
  readonly expiresAt: Date;
}

/** A hold, and the lease behind it. */
export interface Held {
  readonly hold: Hold;
  readonly lease: Lease;
}

export class Reserver {
  readonly #api: Api;
  readonly #requesters: Requesters;
  readonly #clocks: Clocks;

  constructor(api: Api, requesters: Requesters, clocks: Clocks = CLOCKS) {
    this.#api = api;
    this.#requesters = requesters;
    this.#clocks = clocks;
  }

  /**
   * @returns the hold; null if somebody else has it, or its turn did not come in time
   * @throws HoldfastError; the reason of the plan's signal
   */
  async tryTake(plan: Plan, session?: Owner): Promise<Held | null> {
    try {
      return await this.take(plan, session);
    } catch (error) {
      const isTaken = error instanceof HoldfastError && /^(ALREADY_HELD|NOT_AVAILABLE)$/.test(error.code);
      if (isTaken) return null;
      throw error;
    }
  }

  /** @throws HoldfastError, also if somebody else has it; the reason of the plan's signal */
  async take(plan: Plan, session?: Owner): Promise<Held> {
    const until = plan.waitMs === undefined ? undefined : this.#clocks.monotonic() + plan.waitMs;
    for (let above = 0; ; ) {
      const use = this.#requesters.begin(plan.keys, session?.requester ?? plan.requester, above);
      const offset = offsetOf(this.#clocks);
      const answer = await this.#ask(plan, use, until, session);
      const { state, results, decisive } = answer.result;
      const [first, ...others] = results;
      if (state !== 'GOT' || first === undefined) {
        this.#requesters.end(use);
        throw refusalOf(plan.title, decisive);
      }
      if (results.some((result) => this.#isHeld(result))) {
        await this.#release(results);
        this.#requesters.end(use);
        if (use.number === 0) throw alreadyHad(plan.title, use.requester);
        above = use.number;
        continue;
      }
      return this.#made(plan, use, { answer, first, others, offset }, session);
    }
  }

  async #ask(plan: Plan, use: Use, until: number | undefined, session: Owner | undefined): Promise<Answer<Outcome>> {
    const { ttlMs, signal, onWaiting } = plan;
    return askUntilDecided({
      attempt: attemptOf(this.#api, plan, use.requester),
      until,
      // In a session, a grant lasts as long as the session, however long the response was held.
      ttlMs: session === undefined ? ttlMs : Number.POSITIVE_INFINITY,
      signal,
      onWaiting,
      release: ({ results }) => this.#release(results),
      ended: () => this.#requesters.end(use),
    });
  }

  async #made(
    plan: Plan,
    use: Use,
    got: { answer: Answer<Outcome>; first: ReserveResult; others: readonly ReserveResult[]; offset: number },
    session: Owner | undefined,
  ): Promise<Held> {
    const { answer, first, others, offset } = got;
    const lease = session?.lease ?? new Lease(plan.title, this.#clocks);
    if (session === undefined) lease.extend(plan.ttlMs, answer.sentAt, offset);
    const { results } = answer.result;
    const tokens = results.flatMap(({ releaseToken }) => releaseToken ?? []);
    this.#requesters.made(use, tokens, () => lease.latestEnd);
    const origin = {
      api: this.#api,
      requester: use.requester,
      lease,
      ttlSeconds: plan.ttlMs / 1000,
      session,
      waitedMs: first.waitedMs ?? 0,
      ended: () => this.#requesters.end(use),
      clocks: this.#clocks,
    };
    const hold = new Hold(origin, first, others);
    const wasHad = results.some(({ status }) => status === 'ALREADY_HAD');
    try {
      if (session !== undefined && wasHad) await this.#checkSession(hold, session);
      else if (wasHad && plan.ttlMs === Number.POSITIVE_INFINITY) checkEndless(hold);
      else if (session === undefined && (wasHad || lease.isHalfOver)) await hold.renew();
      return { hold, lease };
    } catch (error) {
      hold.release().catch(() => {});
      throw error;
    }
  }

  /** A reservation from before may have a lease of its own, or another session. */
  async #checkSession({ reservations, requester }: Hold, { id }: Owner): Promise<void> {
    const path = '/Reservation/activeReservations';
    const { result } = await this.#api.request<{ resource: string; session?: string }[]>({
      method: 'GET',
      path,
      query: { requester },
    });
    const isIn = (name: string) => result.some(({ resource, session }) => resource === name && session === id);
    if (!reservations.every(({ resource }) => isIn(resource))) {
      throw new HoldfastError('ALREADY_HAD', `${requester} holds it already, outside this session`);
    }
  }

  #isHeld({ releaseToken }: ReserveResult): boolean {
    return releaseToken !== null && this.#requesters.isHeld(releaseToken);
  }

  /** Releases what nobody has got. If that fails, the lease ends it. */
  async #release(results: readonly ReserveResult[]): Promise<void> {
    const unwanted = results.filter((result) => isGot(result) && !this.#isHeld(result));
    await Promise.all(
      unwanted.map(({ resource, requester, releaseToken }) =>
        this.#api.unreserve({ resource, requester, releaseToken: releaseToken ?? '' }).catch(() => {}),
      ),
    );
  }
}

/** A lease cannot be made endless, so one from before is not what was asked for. */
function checkEndless({ expiresAt, requester }: Hold): void {
  if (expiresAt !== null) throw alreadyHad('It', requester);
}

const alreadyHad = (title: string, requester: string) =>
  new HoldfastError('ALREADY_HAD', `${title}: ${requester} holds it already`);

function refusalOf(title: string, result: ReserveResult | undefined): HoldfastError {
  if (result === undefined) return new HoldfastError('UNEXPECTED_RESPONSE', `${title}: a response without a result`);
  const { status, explanation, heldBy } = result;
  return new HoldfastError(status, `${title}: ${explanation}`, { heldBy });
}
