/**
 * The long polls of a tenant at this instance, by the tickets and by the resources that they wait for.
 */
import type { LongPoll, QueuedTicket } from './longPoll.ts';

/** Of the calls that wait for a resource, so many are looked at for the first in the queue. */
const MAX_LOOKED = 16;

const NONE: readonly LongPoll[] = [];

export class TicketCalls {
  readonly #byTicket = new Map<string, readonly LongPoll[]>();
  /** Resource → the calls that it may be handed over to, with their tickets. */
  readonly #byResource = new Map<string, Map<LongPoll, QueuedTicket>>();

  /** Returns the calls that wait on a ticket. */
  of(ticket: string): readonly LongPoll[] {
    return this.#byTicket.get(ticket) ?? NONE;
  }

  /** Adds a call, unless it waits on the ticket already. Returns the calls that waited on it before. */
  add(ticket: string, call: LongPoll): readonly LongPoll[] {
    const calls = this.of(ticket);
    if (calls.includes(call)) return NONE;
    this.#byTicket.set(ticket, [...calls, call]);
    const { heir, queued } = call.request;
    const [one] = queued;
    if (heir === undefined || one === undefined) return calls;
    const heirs = this.#byResource.get(heir.resource);
    if (heirs === undefined) this.#byResource.set(heir.resource, new Map([[call, one]]));
    else heirs.set(call, one);
    return calls;
  }

  delete(ticket: string, call: LongPoll): void {
    const calls = this.of(ticket).filter((one) => one !== call);
    if (calls.length === 0) this.#byTicket.delete(ticket);
    else this.#byTicket.set(ticket, calls);
    const { heir } = call.request;
    const heirs = heir && this.#byResource.get(heir.resource);
    if (heir && heirs?.delete(call) === true && heirs.size === 0) this.#byResource.delete(heir.resource);
  }

  /**
   * Returns the call that is first in the queue for a resource, as far as this instance knows, and its ticket. Those do
   * not count whose tickets have other calls here.
   * @param credentialKey that of the call
   */
  firstFor(resource: string, credentialKey: string): { call: LongPoll; ticket: string } | undefined {
    let looked = 0;
    let first: readonly [LongPoll, QueuedTicket] | undefined;
    for (const [call, one] of this.#byResource.get(resource) ?? []) {
      const isSole = this.of(one.ticket).length === 1;
      const isFit = isSole && !call.isRunning && call.request.credential.credentialKey === credentialKey;
      if (isFit && (first === undefined || isAhead(one, first[1]))) first = [call, one];
      if (++looked === MAX_LOOKED) break;
    }
    return first && { call: first[0], ticket: first[1].ticket };
  }
}

const isAhead = (a: QueuedTicket, b: QueuedTicket): boolean =>
  a.priority === b.priority ? Number(a.ticket) < Number(b.ticket) : a.priority > b.priority;
