/**
 * The held calls of a tenant at this instance, by the tickets and by the resources that they wait for.
 */
import type { HeldCall } from './heldCall.ts';

/** Of the calls that wait for a resource, so many are looked at for the first in line. */
const MAX_LOOKED = 16;

const NONE: readonly HeldCall[] = [];

export class TicketCalls {
  readonly #byTicket = new Map<string, readonly HeldCall[]>();
  /** Those to which a resource may be handed over. */
  readonly #byResource = new Map<string, Set<HeldCall>>();

  /** Returns the calls that wait on a ticket. */
  of(ticket: string): readonly HeldCall[] {
    return this.#byTicket.get(ticket) ?? NONE;
  }

  /** Adds a call, unless it waits on the ticket already. Returns the calls that waited on it before. */
  add(ticket: string, call: HeldCall): readonly HeldCall[] {
    const calls = this.of(ticket);
    if (calls.includes(call)) return NONE;
    this.#byTicket.set(ticket, [...calls, call]);
    const { heir } = call.request;
    if (heir === undefined) return calls;
    const heirs = this.#byResource.get(heir.resource);
    if (heirs === undefined) this.#byResource.set(heir.resource, new Set([call]));
    else heirs.add(call);
    return calls;
  }

  delete(ticket: string, call: HeldCall): void {
    const calls = this.of(ticket).filter((one) => one !== call);
    if (calls.length === 0) this.#byTicket.delete(ticket);
    else this.#byTicket.set(ticket, calls);
    const { heir } = call.request;
    const heirs = heir && this.#byResource.get(heir.resource);
    if (heir && heirs?.delete(call) === true && heirs.size === 0) this.#byResource.delete(heir.resource);
  }

  /**
   * Returns the call that is first in the line for a resource, as far as this instance knows. Those do not count whose
   * tickets have other calls here.
   * @param credentialKey that of the call
   */
  firstFor(resource: string, credentialKey: string): HeldCall | undefined {
    let looked = 0;
    let first: HeldCall | undefined;
    for (const call of this.#byResource.get(resource) ?? NONE) {
      const [line] = call.request.lines;
      const isSole = line !== undefined && this.of(line.ticket).length === 1;
      const isFit = isSole && !call.isRunning && call.request.credential.credentialKey === credentialKey;
      if (isFit && (first === undefined || isAhead(call, first))) first = call;
      if (++looked === MAX_LOOKED) break;
    }
    return first;
  }
}

function isAhead(one: HeldCall, other: HeldCall): boolean {
  const [a] = one.request.lines;
  const [b] = other.request.lines;
  if (a === undefined || b === undefined) return false;
  return a.priority === b.priority ? Number(a.ticket) < Number(b.ticket) : a.priority > b.priority;
}
