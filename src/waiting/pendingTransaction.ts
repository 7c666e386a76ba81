/**
 * A transaction that waits as a whole, on one ticket: its result so far.
 */
import type { TransactionItem, TransactionResult } from '../contract/reservations.ts';
import type { Once } from '../domain/once.ts';
import type { Charged } from '../domain/quota.ts';
import type { TransactionMethod } from '../domain/reservations.ts';
import type { Credential } from '../domain/tenants.ts';
import { DEFAULT_PRIORITY, type Wait } from '../domain/waiting.ts';
import type { Engine } from '../engine/engine.ts';
import { newReleaseToken } from '../engine/reservations/releaseToken.ts';
import { refusal } from '../engine/reservations/reserve.ts';
import { transaction } from '../engine/reservations/transaction.ts';
import { keepReply, type WaitCall } from '../engine/waiting/call.ts';
import { type Cost, costAfter, type Pending, type TicketInLine } from './pending.ts';
import { type OnWaitEnded, outcomeOf } from './waitEnd.ts';
import type { Ending } from './wakeUps.ts';

const ROLLED_BACK: Ending = { status: 'NOT_AVAILABLE', explanation: 'ROLLED_BACK', failedAt: -1 };

export class PendingTransaction implements Pending<TransactionResult> {
  readonly credential: Credential;
  readonly #engine: Engine;
  readonly #method: TransactionMethod;
  readonly #items: readonly TransactionItem[];
  readonly #tokens: readonly string[];
  readonly #wait: Wait;
  readonly #onEnded: OnWaitEnded;
  readonly #once: Once | undefined;
  #result: TransactionResult;
  /** '' if it does not wait. */
  #ticket = '';
  #cost: Cost = { quota: [] };
  /** How its ticket ended, if no script of the request says so. */
  #ended: readonly Ending[] | null = null;

  constructor(
    engine: Engine,
    credential: Credential,
    method: TransactionMethod,
    items: readonly TransactionItem[],
    wait: Wait,
    onEnded: OnWaitEnded,
    once?: Once,
  ) {
    this.#engine = engine;
    this.credential = credential;
    this.#method = method;
    this.#items = items;
    this.#tokens = items.map(newReleaseToken);
    this.#wait = wait;
    this.#onEnded = onEnded;
    this.#once = once;
    this.#result = { method, status: 'WAITING', results: [] };
  }

  get isDone(): boolean {
    return this.#ticket === '';
  }

  get lines(): TicketInLine[] {
    const { priority = DEFAULT_PRIORITY } = this.#wait;
    return this.isDone ? [] : [{ ticket: this.#ticket, priority }];
  }

  get charged(): Charged<TransactionResult> {
    return { ...this.#cost, result: this.#result };
  }

  async run(call: WaitCall): Promise<readonly string[]> {
    const waiting = { wait: this.#wait, call: { ...call, tokens: this.#tokens } };
    const issued = await transaction(this.#engine, this.credential, this.#method, this.#items, waiting, this.#once);
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

  keep(): Promise<void> | undefined {
    if (this.#once === undefined || this.#ended === null) return undefined;
    const reply = ['ROLLED_BACK', ...this.#ended.map(({ status, explanation }) => `${status}\n${explanation}`)];
    return keepReply(this.#engine, this.credential, this.#once, reply).catch(() => {});
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
