/**
 * The long polls of one tenant at this instance: which ticket wakes which call, and what a call does when it wakes up
 * (docs/specification.md#waiting-lifetimes).
 */
import { isTemporary } from '../domain/errors.ts';
import { MAX_LONG_POLLS_OF_TICKET } from '../domain/waiting.ts';
import type { HandOver } from '../engine/engine.ts';
import type { LongPoll } from './longPoll.ts';
import { EarlyNews, type Ending, type News, RESET, type WakeUp } from './news.ts';
import { TicketCalls } from './ticketCalls.ts';

/** The parts of an instance that the calls of a tenant need. */
export interface TenantCallsDeps {
  readonly instance: string;
  /** Called when a long poll begins, and when it has ended. */
  readonly onLongPoll: (call: LongPoll) => void;
  readonly onOver: (call: LongPoll) => void;
  /** Called with tickets that no call of this instance attends any more, before Redis expects it. */
  readonly onLeft: (tickets: readonly string[]) => void;
  /** Called with the oldest long poll of a ticket that has too many. */
  readonly onCrowded: (call: LongPoll) => void;
}

export class TenantCalls {
  readonly #deps: TenantCallsDeps;
  readonly #longPolls = new Set<LongPoll>();
  readonly #byTicket = new TicketCalls();
  /** Calls whose scripts are running, also long polls. */
  readonly #running = new Set<LongPoll>();
  readonly #early = new EarlyNews();
  #isLeaving = false;
  /** Number of beats that were sent. */
  beats = 0;

  constructor(deps: TenantCallsDeps) {
    this.#deps = deps;
  }

  get longPolls(): ReadonlySet<LongPoll> {
    return this.#longPolls;
  }

  /** Returns true if a long poll waits on a ticket. */
  attends(ticket: string): boolean {
    return this.#byTicket.of(ticket).length > 0;
  }

  /** Calls the script of a request for the first time. `done` of the call settles when its response is due. */
  start(call: LongPoll): void {
    call.caller.onGone(() => {
      if (!call.isRunning) this.end(call);
    });
    if (!call.isOver) void this.#run(call);
  }

  /** Wakes the calls that wait on tickets which were granted or have ended. */
  receive(wakeUps: readonly WakeUp[]): void {
    const woken = new Set<LongPoll>();
    for (const wakeUp of wakeUps) {
      if (wakeUp.kind === 'reset') {
        this.endAll(RESET, () => true);
        for (const call of this.#running) call.wasReset = true;
      } else this.#spread(wakeUp.ticket, wakeUp, woken);
    }
    this.#wakeAll(woken);
  }

  /**
   * Continues tickets that calls attend again. To be called once Redis was told that they were left: it may have heard
   * of these calls before that.
   */
  noteLeft(tickets: Iterable<string>): void {
    const woken = new Set<LongPoll>();
    for (const ticket of tickets) this.#spread(ticket, { kind: 'left' }, woken);
    this.#wakeAll(woken);
  }

  /**
   * Prepares the first calls that wait for some resources: these are handed over to them, if it is their turn.
   * @param credentialKey of the request that releases them: calls of others have to show that theirs are still valid
   * @returns undefined if there are none
   */
  handOver(credentialKey: string, resources: readonly string[]): HandOver | undefined {
    const heirs = new Map<string, LongPoll>();
    for (const resource of resources) {
      const first = this.#byTicket.firstFor(resource, credentialKey);
      if (first !== undefined) heirs.set(first.ticket, first.call);
    }
    if (heirs.size === 0) return undefined;
    const since = performance.now();
    for (const call of heirs.values()) this.#begin(call);
    return {
      arg: () => this.#handOverArg(heirs),
      answered: (replies) => this.#handed(heirs, replies, since),
      failed: () => {
        for (const [ticket, call] of heirs) this.#goOnLater(call, [ticket]);
        this.#clearNews();
      },
    };
  }

  /** Ends all tickets of some long polls. */
  endAll(ending: Ending, isMeant: (call: LongPoll) => boolean): void {
    for (const call of this.#longPolls) {
      if (!isMeant(call)) continue;
      if (call.isRunning) {
        call.wasReset = true;
        continue;
      }
      for (const { ticket } of call.request.queued) this.#take(call, ticket, { kind: 'ended', ending });
      this.end(call);
    }
  }

  /**
   * Calls the scripts of all long polls again, in the order of their tickets: these go on where Redis has them, and are
   * issued again where it has lost them.
   * @returns false if Redis was away, or the tenant too busy: some are left
   */
  async continueAll(): Promise<boolean> {
    const queued = [...this.#longPolls].flatMap((call) => call.request.queued.map((one) => ({ ...one, call })));
    queued.sort((one, other) => other.priority - one.priority || Number(one.ticket) - Number(other.ticket));
    for (const { call, ticket } of queued) {
      if (call.isOver || !call.request.queued.some((one) => one.ticket === ticket)) continue;
      if (call.isRunning) {
        // Its script may have run before the loss.
        call.grant(ticket);
        continue;
      }
      await this.#run(call, new Set([ticket]));
      if (call.takeGranted().has(ticket)) return false;
    }
    return true;
  }

  /** Claims grants again whose claims failed because Redis was away, or the tenant too busy. */
  claimAgain(): void {
    for (const call of this.#longPolls) if (!call.isRunning) this.#wake(call);
  }

  /** Ends all long polls, with their results so far, and holds no more. */
  leave(): void {
    this.#isLeaving = true;
    for (const call of this.#longPolls) if (!call.isRunning) this.end(call);
  }

  /**
   * Lets a response be sent.
   * @param error is sent instead of the result
   */
  end(call: LongPoll, error?: unknown): void {
    if (call.isOver) return;
    this.#longPolls.delete(call);
    this.#unregister(call);
    call.end(error);
    this.#deps.onOver(call);
    // Redis knows by itself when the time of the call is over.
    if (call.leftMs <= 0 && !call.givesWay && !call.isOutlasting) return;
    const left: string[] = [];
    for (const { ticket } of call.request.queued) {
      const others = this.#byTicket.of(ticket);
      for (const other of others) other.isOutlasting = true;
      if (others.length === 0) left.push(ticket);
    }
    if (left.length > 0) this.#deps.onLeft(left);
  }

  /** Gives the calls of a ticket its news, and adds them to `woken`. */
  #spread(ticket: string, news: News, woken: Set<LongPoll>): void {
    if (this.#running.size > 0) this.#early.add(ticket, news);
    for (const call of this.#byTicket.of(ticket)) {
      this.#take(call, ticket, news);
      woken.add(call);
    }
  }

  #wakeAll(calls: ReadonlySet<LongPoll>): void {
    for (const call of calls) if (!call.isRunning) this.#wake(call);
  }

  /** Ends a call if nothing waits any more. Else calls its script for the tickets that were granted. */
  #wake(call: LongPoll): void {
    if (call.request.isDone) {
      this.end(call);
      return;
    }
    const noted = call.takeGranted();
    if (noted.size === 0) return;
    const granted = call.request.queued.map(({ ticket }) => ticket).filter((ticket) => noted.has(ticket));
    if (granted.length === 0) return;
    // A grant without a call falls to the next in the queue soon.
    if (call.caller.isGone) this.end(call);
    else void this.#run(call, new Set(granted));
  }

  /** @param only the tickets to continue or claim; undefined: the first call of the script */
  async #run(call: LongPoll, only?: ReadonlySet<string>): Promise<void> {
    const { instance } = this.#deps;
    const since = performance.now();
    this.#begin(call);
    try {
      const pollMs = Math.max(1, call.leftMs);
      const tickets = await call.request.run({ instance, pollMs, isContinuation: call.hasRun }, only);
      call.hasRun = true;
      call.answeredAtBeat = this.beats;
      for (const ticket of only ?? []) this.#byTicket.delete(ticket, call);
      this.#goOn(call, tickets, since);
    } catch (error) {
      if (call.hasRun && isTemporary(error)) return this.#goOnLater(call, only ?? []);
      this.#stop(call);
      this.end(call, error);
    } finally {
      this.#clearNews();
    }
  }

  #clearNews(): void {
    if (this.#running.size === 0) this.#early.clear();
  }

  #handOverArg(heirs: ReadonlyMap<string, LongPoll>): string {
    const named = [...heirs].flatMap(([ticket, { caller, request }]) =>
      caller.isGone || request.heir === undefined ? [] : `\n${ticket} ${request.heir.token}`,
    );
    return this.#deps.instance + named.join('');
  }

  #handed(heirs: ReadonlyMap<string, LongPoll>, replies: ReadonlyMap<string, string>, since: number): void {
    for (const [ticket, call] of heirs) {
      const reply = replies.get(ticket);
      if (reply !== undefined) {
        this.#byTicket.delete(ticket, call);
        call.request.take?.(reply);
      }
      this.#goOn(call, reply === undefined ? [ticket] : [], since);
    }
    this.#clearNews();
  }

  /** Notes that a call's fate is in a script's hands: it is not ended before that has answered. */
  #begin(call: LongPoll): void {
    call.isRunning = true;
    this.#running.add(call);
  }

  /**
   * Lets a long poll go on whose script failed: the next beat that gets through has it called again.
   * @param tickets for which it is called
   */
  #goOnLater(call: LongPoll, tickets: Iterable<string>): void {
    this.#stop(call);
    if (this.#isOverdue(call)) this.end(call);
    else for (const ticket of tickets) call.grant(ticket);
  }

  #stop(call: LongPoll): void {
    call.isRunning = false;
    this.#running.delete(call);
  }

  /** Returns true if a response is due, whatever the request still waits for. */
  #isOverdue(call: LongPoll): boolean {
    return call.caller.isGone || call.leftMs <= 0 || this.#isLeaving;
  }

  /**
   * Lets a long poll go on, or ends it, once its script has answered.
   * @param since when the script was called
   */
  #goOn(call: LongPoll, tickets: readonly string[], since: number): void {
    this.#stop(call);
    if (call.request.isDone || this.#isOverdue(call)) {
      this.end(call);
      return;
    }
    for (const ticket of tickets) this.#register(call, ticket);
    if (!this.#longPolls.has(call)) {
      this.#longPolls.add(call);
      this.#deps.onLongPoll(call);
      call.caller.onLongPoll?.();
    }
    for (const ticket of tickets) {
      const news = this.#early.take(ticket, since);
      if (news !== undefined) this.#take(call, ticket, news);
    }
    // The reset came before the tickets were issued or after: the script knows.
    if (call.wasReset) for (const { ticket } of call.request.queued) call.grant(ticket);
    call.wasReset = false;
    this.#wake(call);
  }

  /**
   * Notes news of a ticket. A ticket that was left is continued, as a granted one is claimed: by another script call.
   */
  #take(call: LongPoll, ticket: string, news: News): void {
    if (news.kind !== 'ended') {
      call.grant(ticket);
      return;
    }
    this.#byTicket.delete(ticket, call);
    call.request.end(ticket, news.ending);
  }

  #register(call: LongPoll, ticket: string): void {
    const calls = this.#byTicket.add(ticket, call);
    if (calls.length < MAX_LONG_POLLS_OF_TICKET) return;
    const staying = calls.filter(({ givesWay }) => !givesWay);
    const [oldest] = staying;
    if (oldest !== undefined && staying.length >= MAX_LONG_POLLS_OF_TICKET) this.#deps.onCrowded(oldest);
  }

  #unregister(call: LongPoll): void {
    for (const { ticket } of call.request.queued) this.#byTicket.delete(ticket, call);
  }
}
