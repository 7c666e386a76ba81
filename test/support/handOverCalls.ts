/**
 * Generates the calls of tenants whose requests wait for names, and hand over what they release
 * (docs/specification.md#waiting-order), from the seed of plainCalls.ts.
 */
import { itemArgs } from '../../src/redis/layouts.ts';
import { toText } from '../../src/redis/reply.ts';
import { type Args, below, isOneIn, newToken, pick } from './plainCalls.ts';
import { INSTANCES } from './plainTwins.ts';

type Names = readonly [string, ...string[]];
/** A call of a function of Redis. */
export interface FunctionCall {
  readonly verb: 'reserve' | 'unreserve' | 'setCondition';
  readonly flags: string;
  readonly args: Args;
}
export type Step =
  | ({ readonly do: 'call' } & FunctionCall)
  | { readonly do: 'leave'; readonly instance: string; readonly tickets: readonly string[] }
  | { readonly do: 'cancel'; readonly resource: string; readonly requester: string };

/** A request, and the call that it made last. */
interface Asked {
  readonly resource: string;
  readonly requester: string;
  readonly token: string;
  readonly args: Args;
  readonly instance: string;
  /** undefined: it did not wait, or does not any more */
  ticket?: string | undefined;
  /** ms: when its wait ends */
  until?: number;
}

/** Most calls that an instance names, and requests that are remembered. */
const MAX_NAMED = 50;
const MAX_ASKED = 300;
const [ONE, OTHER] = INSTANCES;

/** Returns by how many ms the time moves on, at times so far that something of the queue is due, or all has ended. */
export function passing(): number {
  if (isOneIn(120)) return 70_000;
  if (isOneIn(60)) return pick([3000, 7000, 12_000]);
  return isOneIn(15) ? pick([490, 499, 500, 600]) : pick([0, 0, 1, 7, 40]);
}

const instance = () => (isOneIn(12) ? OTHER : ONE);
/** Leases that differ by as much as the time moves on: that which is handed over may end with the one before. */
const lease = () => (isOneIn(15) ? pick([4000, 4999, 5000]) : pick([60_000, 60_001, 60_007, 60_040, 9000]));
const WAITS = [
  '60000 0 5000',
  '60000 0 5000',
  '20000 0 5000',
  '60000 1 9000',
  '60000 -3 5000',
  '8000 0 5000',
  '600 0 5000',
] as const;

export class HandOverCalls {
  readonly #names: Names;
  readonly #requesters: number;
  readonly #asked: Asked[] = [];

  /** @param requesters how many there are */
  constructor(names: Names, requesters: number) {
    this.#names = names;
    this.#requesters = requesters;
  }

  /** Once a ticket asks for a slot that is not ready, no request goes short until there are no tickets. */
  readonly #options = (name: string) => {
    if (name === 'washed' && isOneIn(40)) return '{"condition":"dirty"}';
    return isOneIn(25) ? pick(['{"note":"n"}', '{"mode":"SHARED"}']) : '';
  };
  /** Every other one is a person. */
  readonly #requester = () => {
    const nth = below(this.#requesters);
    return `${nth % 2 === 0 ? 'p' : 'person:p'}${String(nth).padStart(3, '0')}`;
  };

  /**
   * Returns a step.
   * @param recordOf returns the record of a slot, as it is stored; '' none
   */
  async next(nowMs: number, recordOf: (name: string) => Promise<string>): Promise<Step> {
    this.#forget(({ until = 0 }) => until <= nowMs);
    const name = pick(this.#names);
    const record = await recordOf(name);
    const granted = record.includes('!!!!!!') && this.#ofRecord(name, record, false);
    if (granted && !isOneIn(4)) return this.#again(granted);
    const kind = below(43);
    if (kind === 40) {
      const [one, other] = [this.#held(name, record), this.#held('a', await recordOf('a'))];
      return { do: 'call', verb: 'unreserve', flags: 's1,1', args: [...one, ...other] };
    }
    if (name === 'washed' && (record === '' || kind === 41) && isOneIn(2))
      return { do: 'call', verb: 'setCondition', flags: '', args: ['washed', 'ready', ''] };
    // What nobody waits for is seldom worth a release.
    const isWorthIt = record !== '' && this.#waitingFor(name).length > 0;
    if (kind < 12 || (!isWorthIt && kind < 30)) return { do: 'call', ...this.#ask(name) };
    if (kind < 13) return this.#reserve(name);
    if (kind < 37) return this.#release(name, record);
    const waiting = this.#asked.filter(({ ticket }) => ticket !== undefined);
    const one = pick([this.#last(), ...waiting]);
    if (kind === 37 || kind > 40) return this.#again(one);
    if (kind === 38) return { do: 'leave', instance: one.instance, tickets: [one.ticket ?? '1'] };
    return { do: 'cancel', resource: one.resource, requester: one.requester };
  }

  /** Takes the reply to a call. */
  note({ verb, args }: FunctionCall, [code, , ...items]: readonly unknown[]): void {
    if (code !== 'OK') return;
    for (const item of items) {
      const [first, second, ticket, , , , until] = toText(item).split('\n');
      if (verb === 'unreserve') this.#forget((one) => one.ticket === first);
      else if (first === 'WAITING') this.#note(args[2], ticket, Number(until));
      else if (second !== undefined) this.#note(args[2], undefined);
    }
  }

  #note(token: unknown, ticket: string | undefined, until = 0): void {
    if (ticket !== undefined) this.#forget((one) => one.ticket === ticket && one.token !== token);
    for (const one of this.#asked) if (one.token === token) Object.assign(one, { ticket, until });
  }

  #forget(isOver: (one: Asked) => boolean): void {
    for (const one of this.#asked) if (isOver(one)) one.ticket = undefined;
  }

  #add(one: Asked): void {
    this.#asked.push(one);
    if (this.#asked.length > MAX_ASKED) this.#asked.shift();
  }

  #waitingFor(name: string): Asked[] {
    return this.#asked.filter((one) => one.resource === name && one.ticket !== undefined);
  }

  #last(): Asked {
    const none = { resource: 'a', requester: 'nobody', token: newToken(), args: [], instance: ONE };
    return this.#asked.at(-1) ?? none;
  }

  /** Returns the request that the record of a name is of, by its token or its requester. */
  #ofRecord(name: string, record: string, isClaimed: boolean): Asked | undefined {
    return this.#asked.findLast(
      ({ resource, requester, token }) =>
        resource === name && record.includes(requester) && (!isClaimed || record.includes(token)),
    );
  }

  #ask(resource: string): FunctionCall {
    const [requester, token, calls] = [this.#requester(), newToken(), instance()];
    const item = { resource, requester, token, lease: lease(), type: pick(['', 'Device']), wait: pick(WAITS) };
    const count = isOneIn(50) ? 2 : '';
    const poll = isOneIn(20) ? pick([0, 40, 5000]) : 30_000;
    const args = [...itemArgs('reserve', { ...item, count, options: this.#options(resource) }), `${calls} ${poll}`];
    this.#add({ resource, requester, token, args, instance: calls });
    return { verb: 'reserve', flags: isOneIn(30) ? pick(['wr', 'wd']) : 'w', args };
  }

  #reserve(resource: string): Step {
    const [requester, token] = [this.#requester(), newToken()];
    const item = {
      resource,
      requester,
      token,
      lease: pick<number | ''>(['', 4000, 60_000]),
      type: '',
      wait: '',
      count: '',
    };
    const args = itemArgs('reserve', { ...item, options: this.#options(resource) });
    this.#add({ resource, requester, token, args, instance: ONE });
    return { do: 'call', verb: 'reserve', flags: '', args };
  }

  /** Calls again for a request that waits or was granted, at times by another instance. */
  #again({ args, ticket }: Asked): Step {
    if (ticket === undefined || args.length === 0) return { do: 'call', ...this.#ask('a') };
    const called = isOneIn(3) ? [...args.slice(0, -1), `${OTHER} 30000`] : args;
    return { do: 'call', verb: 'reserve', flags: pick(['w', 'cw']), args: called };
  }

  /** Returns the arguments of a release: mostly of what somebody has. */
  #held(name: string, record: string): Args {
    const holder = this.#ofRecord(name, record, true);
    const { requester, token } = (!isOneIn(15) && holder) || this.#last();
    const right = isOneIn(25) ? pick(['', newToken()]) : token;
    return [name, isOneIn(25) ? this.#requester() : requester, right];
  }

  /** Releases what somebody has, mostly, and names the calls that wait for it. */
  #release(name: string, record: string): Step {
    const args = this.#held(name, record);
    if (isOneIn(name === 'washed' ? 3 : 15)) return { do: 'call', verb: 'unreserve', flags: '', args };
    const waiting = this.#waitingFor(name);
    const named = isOneIn(20) ? waiting.slice(1) : waiting.slice(0, MAX_NAMED);
    const lines = named.map((one) => `\n${one.ticket} ${one.token}`);
    return {
      do: 'call',
      verb: 'unreserve',
      flags: isOneIn(40) ? 'hd' : 'h',
      args: [...args, instance() + lines.join('')],
    };
  }
}
