/**
 * The requests that wait, of both kinds: their results so far.
 */
import type { ReserveItem, ReserveResult, TransactionItem, TransactionResult } from '../contract/reservations.ts';
import type { Idempotency } from '../domain/idempotency.ts';
import type { Charged } from '../domain/quota.ts';
import type { TransactionMethod } from '../domain/reservations.ts';
import type { Credential } from '../domain/tenants.ts';
import { DEFAULT_PRIORITY, type Wait } from '../domain/waiting.ts';
import type { Engine } from '../engine/engine.ts';
import { newReleaseToken } from '../engine/reservations/releaseToken.ts';
import { refusal, reserve, toReserveResult } from '../engine/reservations/reserve.ts';
import { toTransactionResult, transaction } from '../engine/reservations/transaction.ts';
import { keepReply, standingOf, type WaitCall } from '../engine/waiting/call.ts';
import { parseItem, toText } from '../redis/reply.ts';
import { type Cost, costAfter, type Pending, type QueuedTicket } from './longPoll.ts';
import { type Ending, type OnWaitEnded, outcomeOf } from './news.ts';

/** A batch of reserve items of which some wait, each on a ticket of its own. */
export class PendingReserve implements Pending<ReserveResult[]> {
  readonly credential: Credential;
  readonly #engine: Engine;
  readonly #items: readonly ReserveItem[];
  readonly #onEnded: OnWaitEnded;
  readonly #idempotency: Idempotency | undefined;
  readonly #tokens: readonly string[];
  readonly #results: ReserveResult[] = [];
  /** The ticket of each item; '' if it does not wait. */
  readonly #tickets: string[] = [];
  #cost: Cost = { quota: [] };
  #hasAcquired = false;
  /** The replies of scripts to each item, if the request has an Idempotency-Key. */
  readonly #replies: string[] = [];
  /** True if a script of the request has kept its result, if nothing waits. */
  #isKept = false;

  constructor(
    engine: Engine,
    credential: Credential,
    items: readonly ReserveItem[],
    onEnded: OnWaitEnded,
    idempotency?: Idempotency,
  ) {
    this.#engine = engine;
    this.credential = credential;
    this.#items = items;
    this.#tokens = items.map(newReleaseToken);
    this.#onEnded = onEnded;
    this.#idempotency = idempotency;
  }

  get isDone(): boolean {
    return this.#hasAcquired || this.#tickets.every((ticket) => ticket === '');
  }

  get heir(): { resource: string; token: string } | undefined {
    const [item, another] = this.#items;
    const [token] = this.#tokens;
    // Its reply would have to be kept under its Idempotency-Key first.
    const isPlain = item?.match === undefined && another === undefined && this.#idempotency === undefined;
    return isPlain && item && token ? { resource: item.resource, token } : undefined;
  }

  get queued(): QueuedTicket[] {
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
      isWhole ? this.#idempotency : undefined,
      this.#items,
    );
    this.#isKept = isWhole;
    const { result, tickets } = issued;
    for (const [at, i] of indexes.entries()) {
      const one = result[at];
      if (this.#idempotency !== undefined) this.#replies[i] = toText(issued.replies[at]);
      this.#note(i, one, tickets[at] ?? '');
    }
    this.#cost = costAfter(this.#cost, issued);
    return tickets.filter((ticket) => ticket !== '');
  }

  take(reply: string): void {
    const [item] = this.#items;
    if (item !== undefined) this.#note(0, toReserveResult(item, parseItem(reply)), '');
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

  look(): Promise<void> | undefined {
    if (this.#tickets.every((ticket) => ticket === '')) return undefined;
    return standingOf(this.#engine, this.credential, this.#tickets).then(
      (standing) => {
        for (const [i, item] of this.#items.entries()) {
          const reply = standing.get(this.#tickets[i] ?? '');
          if (reply !== undefined) this.#results[i] = toReserveResult(item, parseItem(reply));
        }
      },
      () => {},
    );
  }

  /** @param ticket on which the item waits now */
  #note(i: number, result: ReserveResult | undefined, ticket: string): void {
    const before = this.#tickets[i] ?? '';
    this.#tickets[i] = ticket;
    if (result === undefined) return;
    this.#results[i] = result;
    this.#hasAcquired ||= result.status === 'ACQUIRED';
    // A grant whose ticket an earlier request got has waited too.
    const hasWaited = before !== '' || (result.waitedMs ?? 0) > 0;
    if (hasWaited && ticket === '') this.#onEnded(outcomeOf(result), result.waitedMs);
  }

  keep(): Promise<void> | undefined {
    if (this.#idempotency === undefined || this.#isKept || this.#tickets.some((ticket) => ticket !== ''))
      return undefined;
    return keepReply(this.#engine, this.credential, this.#idempotency, this.#replies).catch(() => {});
  }
}

const ROLLED_BACK: Ending = { status: 'NOT_AVAILABLE', explanation: 'ROLLED_BACK', failedAt: -1 };

/** A transaction that waits as a whole, on one ticket. */
export class PendingTransaction implements Pending<TransactionResult> {
  readonly credential: Credential;
  readonly #engine: Engine;
  readonly #method: TransactionMethod;
  readonly #items: readonly TransactionItem[];
  readonly #tokens: readonly string[];
  readonly #wait: Wait;
  readonly #onEnded: OnWaitEnded;
  readonly #idempotency: Idempotency | undefined;
  #result: TransactionResult;
  /** '' if it does not wait. */
  #ticket = '';
  #cost: Cost = { quota: [] };
  /** The end of its ticket, if no script of the request says so. */
  #ended: readonly Ending[] | null = null;

  constructor(
    engine: Engine,
    credential: Credential,
    method: TransactionMethod,
    items: readonly TransactionItem[],
    wait: Wait,
    onEnded: OnWaitEnded,
    idempotency?: Idempotency,
  ) {
    this.#engine = engine;
    this.credential = credential;
    this.#method = method;
    this.#items = items;
    this.#tokens = items.map(newReleaseToken);
    this.#wait = wait;
    this.#onEnded = onEnded;
    this.#idempotency = idempotency;
    this.#result = { method, status: 'WAITING', results: [] };
  }

  get isDone(): boolean {
    return this.#ticket === '';
  }

  get queued(): QueuedTicket[] {
    const { priority = DEFAULT_PRIORITY } = this.#wait;
    return this.isDone ? [] : [{ ticket: this.#ticket, priority }];
  }

  get charged(): Charged<TransactionResult> {
    return { ...this.#cost, result: this.#result };
  }

  async run(call: WaitCall): Promise<readonly string[]> {
    const waiting = { wait: this.#wait, call: { ...call, tokens: this.#tokens } };
    const issued = await transaction(
      this.#engine,
      this.credential,
      this.#method,
      this.#items,
      waiting,
      this.#idempotency,
    );
    const { result, tickets } = issued;
    this.#result = result;
    const before = this.#ticket;
    this.#ticket = (result.status === 'WAITING' && tickets.find((ticket) => ticket !== '')) || '';
    this.#cost = costAfter(this.#cost, issued);
    if (this.isDone) this.#noteEnd(result, before !== '');
    return this.isDone ? [] : [this.#ticket];
  }

  end(ticket: string, ending: Ending): void {
    if (ticket !== this.#ticket) return;
    const isCause = (i: number) => ending.failedAt === -1 || ending.failedAt === i;
    this.#ended = this.#items.map((_, i) => (isCause(i) ? ending : ROLLED_BACK));
    const results = this.#items.map((item, i) => {
      const { status, explanation } = isCause(i) ? ending : ROLLED_BACK;
      return refusal(item, status, explanation);
    });
    this.#result = { method: this.#method, status: 'ROLLED_BACK', results };
    this.#ticket = '';
    this.#onEnded(outcomeOf(ending), undefined);
  }

  look(): Promise<void> | undefined {
    if (this.isDone) return undefined;
    return standingOf(this.#engine, this.credential, [this.#ticket]).then(
      (standing) => {
        const reply = standing.get(this.#ticket);
        if (reply === undefined) return;
        const replies = ['WAITING', ...this.#items.map(() => reply)];
        this.#result = toTransactionResult(this.#method, this.#items, replies);
      },
      () => {},
    );
  }

  keep(): Promise<void> | undefined {
    if (this.#idempotency === undefined || this.#ended === null) return undefined;
    const reply = ['ROLLED_BACK', ...this.#ended.map(({ status, explanation }) => `${status}\n${explanation}`)];
    return keepReply(this.#engine, this.credential, this.#idempotency, reply).catch(() => {});
  }

  /** @param hadTicket false: an earlier request may have got one */
  #noteEnd({ status, results }: TransactionResult, hadTicket: boolean): void {
    const [waitedMs] = results.flatMap((one) => ('waitedMs' in one && one.waitedMs !== undefined ? one.waitedMs : []));
    if (!hadTicket && (waitedMs ?? 0) === 0) return;
    const cause = results.find(({ explanation }) => explanation !== ROLLED_BACK.explanation);
    if (waitedMs !== undefined) this.#onEnded('ACQUIRED', waitedMs);
    else if (cause !== undefined) this.#onEnded(status === 'APPLIED' ? 'ALREADY_HAD' : outcomeOf(cause), undefined);
  }
}
