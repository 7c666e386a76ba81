/**
 * One caller: it has one call at a time, records each, and repeats those whose outcome it does not know, as a good
 * client does.
 */

import type { Call, CallOf, Verb } from '../history.ts';
import type { Random } from '../random.ts';
import { now } from '../random.ts';
import type { System, Tenant } from '../system.ts';
import { type Requests, ROUTES, send } from './http.ts';
import type { Shift } from './shift.ts';

/** Time that a call may take, without the time for which its response may be held. */
const DEADLINE_MS = 8000;

export type Address = System['addresses'][number];

export interface Manner {
  readonly pollSeconds?: number;
  readonly idempotencyKey?: string;
  /** The caller closes the connection after so many ms. */
  readonly withinMs?: number;
  readonly at?: Address;
}

/** With 503 and without a response nobody knows what came of a call. */
export const isUnknown = ({ status }: { readonly status: number | null }): boolean => status === null || status === 503;

const isStillWaiting = ({ response }: Pick<Call, 'response'>): boolean =>
  JSON.stringify(response).includes('"WAITING"');

export class Caller {
  readonly name: string;
  readonly tenant: Tenant;
  readonly random: Random;
  readonly shift: Shift;
  #requesters: string[] = [];
  #drawn = 0;
  /** Sends the calls with an Idempotency-Key that were answered since it last forgot its requesters. */
  #repeats: (() => Promise<unknown>)[] = [];

  constructor(name: string, tenant: Tenant, random: Random, shift: Shift) {
    this.name = name;
    this.tenant = tenant;
    this.random = random;
    this.shift = shift;
  }

  /** Returns another caller of the same tenant. */
  another(name: string): Caller {
    return new Caller(name, this.tenant, this.random.fork(name), this.shift);
  }

  /** Returns a requester that nobody has been before. */
  requester(): string {
    const requester = `${this.name}-${this.#drawn++}`;
    this.#requesters.push(requester);
    this.shift.busy.add(requester);
    return requester;
  }

  /** Says that it is done with its requesters so far. */
  forget(): void {
    for (const requester of this.#requesters) this.shift.busy.delete(requester);
    this.#requesters = [];
    this.#repeats = [];
  }

  /** Repeats some of the calls that were answered, as a client does whose response got lost on the way. */
  async repeatAnswered(): Promise<void> {
    for (const repeat of this.#repeats) if (this.random.chance(0.5)) await repeat();
  }

  idempotencyKey(): string {
    return `${this.name}-key-${this.#drawn++}`;
  }

  pause(from: number, to: number): Promise<void> {
    return this.shift.pause(this.random.between(from, to));
  }

  /** Makes one call, and records it. It never throws. */
  async call<V extends Verb>(verb: V, request: Requests[V], manner: Manner = {}): Promise<CallOf<V>> {
    const { pollSeconds, idempotencyKey, at = this.random.pick(this.shift.system.addresses) } = manner;
    const { method, path, body } = ROUTES[verb](request);
    const query = pollSeconds === undefined ? '' : `?pollSeconds=${pollSeconds}`;
    const headers = {
      'x-api-key': this.tenant.key,
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    };
    const id = this.shift.recorder.invoke();
    const invokedAt = now();
    const withinMs = manner.withinMs ?? DEADLINE_MS + (pollSeconds ?? 0) * 1000;
    const url = `${at.url}/api/v1${path}${query}`;
    const answer = await send(this.shift.agent, { url, method, headers, body }, withinMs);
    const isReplayed = answer.status !== null && answer.headers['idempotency-replayed'] === 'true';
    // The service answers each verb as its schema says, which its own tests prove: so what it sends is not parsed
    // again.
    const call = {
      verb,
      id,
      caller: this.name,
      tenant: this.tenant.tenant,
      at: at.name,
      request,
      invokedAt,
      completedAt: now(),
      status: answer.status,
      response: answer.status === 200 ? JSON.parse(answer.text) : null,
      failure: answer.status === 200 ? null : answer.text,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(isReplayed ? { isReplayed } : {}),
      ...(pollSeconds === undefined ? {} : { pollSeconds }),
    } as unknown as CallOf<V>;
    this.shift.recorder.call(call);
    return call;
  }

  /** Makes a call, and repeats it some times while its outcome is unknown. Returns the last one. */
  async ask<V extends Verb>(verb: V, request: Requests[V], manner: Manner = {}): Promise<CallOf<V>> {
    let call = await this.call(verb, request, manner);
    for (let left = this.random.between(0, 6); left > 0 && isUnknown(call); left--) {
      await this.pause(50, 400);
      call = await this.call(verb, request, manner);
    }
    if (manner.idempotencyKey !== undefined && call.status === 200 && !isStillWaiting(call))
      this.#repeats.push(() => this.call(verb, request, manner));
    return call;
  }
}
