/**
 * A batch of reserve items of which some wait, each on a ticket of its own: its results so far.
 */
import type { ReserveItem, ReserveResult } from '../contract/reservations.ts';
import type { Once } from '../domain/once.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import { DEFAULT_PRIORITY } from '../domain/waiting.ts';
import type { Engine } from '../engine/engine.ts';
import { newReleaseToken } from '../engine/reservations/releaseToken.ts';
import { refusal, reserve } from '../engine/reservations/reserve.ts';
import { keepReply, type WaitCall } from '../engine/waiting/call.ts';
import { toText } from '../redis/reply.ts';
import { type Cost, costAfter, type Pending, type TicketInLine } from './pending.ts';
import { type OnWaitEnded, outcomeOf } from './waitEnd.ts';
import type { Ending } from './wakeUps.ts';

export class PendingReserve implements Pending<ReserveResult[]> {
  readonly credential: Credential;
  readonly #engine: Engine;
  readonly #items: readonly ReserveItem[];
  readonly #onEnded: OnWaitEnded;
  readonly #once: Once | undefined;
  readonly #tokens: readonly string[];
  readonly #results: ReserveResult[] = [];
  /** The ticket of each item; '' if it does not wait. */
  readonly #tickets: string[] = [];
  #cost: Cost = { quota: [] };
  #hasAcquired = false;
  /** What scripts returned for each item, if the request has an Idempotency-Key. */
  readonly #replies: string[] = [];
  /** Whether a script of the request has kept its result, if nothing waits. */
  #isKept = false;

  constructor(
    engine: Engine,
    credential: Credential,
    items: readonly ReserveItem[],
    onEnded: OnWaitEnded,
    once?: Once,
  ) {
    this.#engine = engine;
    this.credential = credential;
    this.#items = items;
    this.#tokens = items.map(newReleaseToken);
    this.#onEnded = onEnded;
    this.#once = once;
  }

  get isDone(): boolean {
    return this.#hasAcquired || this.#tickets.every((ticket) => ticket === '');
  }

  get lines(): TicketInLine[] {
    return this.#items.flatMap(({ priority = DEFAULT_PRIORITY }, i) => {
      const ticket = this.#tickets[i] ?? '';
      return ticket === '' ? [] : [{ ticket, priority }];
    });
  }

  get charged(): Charged<ReserveResult[]> {
    return { ...this.#cost, result: this.#results };
  }

  async run(call: WaitCall, only?: ReadonlySet<string>): Promise<readonly string[]> {
    // Other items have their results. A try among them is not tried again, and a ticket that has just ended stays so.
    const indexes = [...this.#items.keys()].filter((i) => only?.has(this.#tickets[i] ?? '') ?? true);
    const items = indexes.flatMap((i) => this.#items[i] ?? []);
    const tokens = indexes.flatMap((i) => this.#tokens[i] ?? []);
    const isWhole = items.length === this.#items.length;
    const issued = await reserve(
      this.#engine,
      this.credential,
      items,
      { ...call, tokens },
      isWhole ? this.#once : undefined,
      this.#items,
    );
    this.#isKept = isWhole;
    const { result, tickets } = issued;
    for (const [at, i] of indexes.entries()) {
      const one = result[at];
      const before = this.#tickets[i] ?? '';
      this.#tickets[i] = tickets[at] ?? '';
      if (this.#once !== undefined) this.#replies[i] = toText(issued.replies[at]);
      if (one === undefined) continue;
      this.#results[i] = one;
      // A grant whose ticket an earlier request got has waited too.
      const hasWaited = before !== '' || (one.waitedMs ?? 0) > 0;
      if (hasWaited && this.#tickets[i] === '') this.#onEnded(outcomeOf(one), one.waitedMs);
    }
    this.#hasAcquired ||= result.some(({ status }) => status === 'ACQUIRED');
    this.#cost = costAfter(this.#cost, issued);
    return tickets.filter((ticket) => ticket !== '');
  }

  end(ticket: string, ending: Ending): void {
    for (const [i, item] of this.#items.entries()) {
      if (this.#tickets[i] !== ticket) continue;
      this.#results[i] = refusal(item, ending.status, ending.explanation);
      this.#replies[i] = `${ending.status}\n${ending.explanation}`;
      this.#isKept = false;
      this.#tickets[i] = '';
      this.#onEnded(outcomeOf(ending), undefined);
    }
  }

  keep(): Promise<void> | undefined {
    if (this.#once === undefined || this.#isKept || this.#tickets.some((ticket) => ticket !== '')) return undefined;
    return keepReply(this.#engine, this.credential, this.#once, this.#replies).catch(() => {});
  }
}
