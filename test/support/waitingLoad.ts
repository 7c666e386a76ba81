/**
 * Callers that wait for a few things at several instances, whatever fails meanwhile: a name, another name, a set of
 * both, a pool. They note when each of them owned what, and by which fencing token.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { ReserveResult } from '../../src/contract/reservations.ts';
import { createClient } from './client.ts';
import { until } from './until.ts';

export const CLAIM_SECONDS = 5;
/** Dead instances count as alive for 6 s, their tickets for claimSeconds more, and a last grant lasts as long. */
export const GRANTED_WITHIN_MS = 6000 + 2 * CLAIM_SECONDS * 1000 + 5000;
/** Leases end, beats repeat wake-ups, connections are made again. */
export const SOON_MS = 10_000;
/** Longer than any wait here may last: a call that is forgotten is noticed. */
const POLL_SECONDS = 30;
const TTL_SECONDS = 2;

/** Where the callers call. */
export interface Target {
  readonly key: string;
  /** Addresses of the instances, which may change. */
  readonly urls: readonly string[];
}

/** A time in which a requester owned a slot: from the response that said so until it was given back or expired. */
interface Owned {
  readonly slot: string;
  readonly requester: string;
  readonly fencingToken: number;
  readonly from: number;
  to: number;
}

interface Grant {
  readonly owned: Owned[];
  readonly items: { readonly resource: string; readonly requester: string; readonly releaseToken: string }[];
}

type Results = readonly ReserveResult[] | { readonly results: readonly ReserveResult[] };

type Want = readonly string[];
const WANTS: readonly Want[] = [['a'], ['b'], ['pool'], ['a', 'b'], ['a']];

const anyOf = <T>(list: readonly T[]): T | undefined => list[Math.floor(Math.random() * list.length)];

/** One long poll. */
interface Waiting {
  readonly url: string;
  readonly requester: string;
  readonly closing: AbortController;
  /** True if its caller does not come back. */
  isGivenUp: boolean;
}

/**
 * Has callers wait while something happens, and checks that nothing was granted twice and nobody was told what must
 * never be told.
 * @param happen resolves when its effect is over
 */
export async function underLoad(load: WaitingLoad, happen: (load: WaitingLoad) => Promise<void>): Promise<void> {
  try {
    await load.moreGrants(10);
    await happen(load);
    await load.moreGrants(10);
    await load.drain();
  } finally {
    await load.kill();
  }
  expect(load.doubles(), 'granted twice').toEqual([]);
  expect(load.faults).toEqual([]);
}

export class WaitingLoad {
  readonly owned: Owned[] = [];
  /** Answers that callers must never get. */
  readonly faults: string[] = [];
  /** Called when a caller is about to give something back at an instance. */
  onRelease: (url: string) => void = () => {};
  readonly #target: Target;
  readonly #withinMs: number;
  readonly #waiting = new Set<Waiting>();
  readonly #running: Promise<void>[];
  #isOver = false;
  #isDead = false;

  /** @param withinMs the time in which all who wait must be granted once nothing fails any more */
  constructor(target: Target, withinMs = GRANTED_WITHIN_MS, callers = 8) {
    this.#target = target;
    this.#withinMs = withinMs;
    const all = Array.from({ length: callers }, (_, i) => this.#live(`caller${i}`));
    this.#running = [...all, this.#watchClaims()];
  }

  /** Closes the connections of some calls that wait. Half of their callers come back. */
  hangUp(count: number): void {
    for (const one of [...this.#waiting].slice(0, count)) {
      one.isGivenUp = Math.random() < 0.5;
      one.closing.abort();
    }
  }

  /** Has the caller of a call that waits at an instance give up when it fails. */
  abandon(url: string): void {
    for (const one of this.#waiting) {
      if (one.url !== url) continue;
      one.isGivenUp = true;
      return;
    }
  }

  /** Waits until so many more grants were told. */
  async moreGrants(count: number): Promise<void> {
    const before = this.owned.length;
    await this.#within('more grants', () => this.owned.length >= before + count);
  }

  /** Resolves when an instance is about to get a release. */
  async release(url: string): Promise<void> {
    let isSeen = false;
    this.onRelease = (at) => {
      isSeen ||= at === url;
    };
    await this.#within('a release', () => isSeen);
    this.onRelease = () => {};
  }

  /** Waits until every caller has its grant, and stops. Nobody may wait for long. */
  async drain(): Promise<void> {
    this.#isOver = true;
    let isDone = false;
    void Promise.all(this.#running).then(() => {
      isDone = true;
    });
    await this.#within('all who wait are granted', () => isDone);
  }

  /** Gives all up, after a failure. */
  async kill(): Promise<void> {
    this.#isOver = true;
    this.#isDead = true;
    for (const { closing } of this.#waiting) closing.abort();
    await Promise.allSettled(this.#running);
  }

  /** Pairs of which the later one, by its fencing token, owned a slot before the earlier one had given it back. */
  doubles(): (readonly [Owned, Owned])[] {
    const owned = this.owned.toSorted((one, other) => one.fencingToken - other.fencingToken);
    return owned.flatMap((one, i) => {
      const next = owned.slice(i + 1).find(({ slot }) => slot === one.slot);
      return next !== undefined && next.from < one.to ? [[one, next] as const] : [];
    });
  }

  async #within(label: string, isMet: () => boolean): Promise<void> {
    try {
      await until(label, isMet, this.#withinMs);
    } catch (error) {
      const left = [...this.#waiting].map(({ requester, url }) => `${requester} at ${url}`);
      const client = createClient(this.#target.urls[0] ?? '', this.#target.key);
      const state = [(await client.waiting()).body, (await client.active()).body];
      throw new Error(`${String(error)}; waiting: ${left.join(', ')}; state: ${JSON.stringify(state)}`);
    }
  }

  async #live(name: string): Promise<void> {
    for (let i = 0; !this.#isOver; i++) {
      const grant = await this.#obtain(anyOf(WANTS) ?? [], `${name}-${i}`);
      if (grant === null) continue;
      await pause(Math.random() * 20);
      // Some let their leases end. Not at the end of the load: by chance, many would, one after the other.
      if (this.#isOver || Math.random() < 0.9) await this.#release(grant);
      await pause(Math.random() * 20);
    }
  }

  /** Repeats a request until it is granted. Returns null if its caller has given up. */
  async #obtain(want: Want, requester: string): Promise<Grant | null> {
    const wait = { waitSeconds: 120, claimSeconds: CLAIM_SECONDS };
    const items = want.map((resource) => ({ resource, requester, ttlSeconds: TTL_SECONDS }));
    const requests = items.map((item) => ({ ...item, requestType: 'RESERVE' }));
    const isSet = want.length > 1;
    const path = `/api/v1/Reservation/${isSet ? 'transaction' : 'reserve'}?pollSeconds=${POLL_SECONDS}`;
    const body = isSet ? { method: 'ALL_OR_NONE', requests, ...wait } : items.map((item) => ({ ...item, ...wait }));
    for (;;) {
      const call = { url: anyOf(this.#target.urls) ?? '', requester, closing: new AbortController(), isGivenUp: false };
      this.#waiting.add(call);
      const answer = await this.#send<Results>(call.url, path, body, call.closing.signal);
      this.#waiting.delete(call);
      if (call.isGivenUp || this.#isDead) return null;
      if (answer === null) continue;
      const results = 'results' in answer ? answer.results : answer;
      const statuses = new Set(results.map(({ status }) => status));
      if (statuses.has('WAITING')) continue;
      if (statuses.has('ACQUIRED') || statuses.has('ALREADY_HAD')) return this.#note(results);
      this.faults.push(`${requester} was refused ${want}: ${results.map(({ explanation }) => explanation)}`);
      return null;
    }
  }

  #note(results: readonly ReserveResult[]): Grant {
    const from = Date.now();
    const items = results.map(({ resource, requester, releaseToken }) => ({
      resource,
      requester,
      releaseToken: releaseToken ?? '',
    }));
    const owned = results.map(({ resource, requester, fencingToken, expiresAt, acquiredSlots }) => {
      const slot = Object.values(acquiredSlots ?? {})[0] ?? resource;
      return { slot, requester, fencingToken: fencingToken ?? 0, from, to: Date.parse(expiresAt ?? '') };
    });
    this.owned.push(...owned.filter(({ to }) => to > from));
    return { owned, items };
  }

  /** Releases the reservations of a caller. Those that it cannot release end with their leases. */
  async #release({ owned, items }: Grant): Promise<void> {
    for (const one of owned) one.to = Math.min(one.to, Date.now());
    for (let i = 0; i < 3 && !this.#isDead; i++) {
      const url = anyOf(this.#target.urls) ?? '';
      this.onRelease(url);
      if ((await this.#send(url, '/api/v1/Reservation/unreserve', items)) !== null) return;
    }
  }

  /** Sends a request. Returns null if its outcome is unknown. */
  async #send<Body>(url: string, path: string, body: unknown, signal?: AbortSignal): Promise<Body | null> {
    const client = createClient(url, this.#target.key, signal);
    const answer = await client.request<Body>('POST', path, body).catch(() => null);
    if (answer?.status === 200) return answer.body;
    if (answer !== null && answer.status !== 503) this.faults.push(`${path}: ${JSON.stringify(answer)}`);
    await pause(20);
    return null;
  }

  /** Looks for grants that stay unclaimed for too long. */
  async #watchClaims(): Promise<void> {
    const firstSeenAt = new Map<number, number>();
    for (; !this.#isOver; await pause(100)) {
      const askedAt = Date.now();
      const { active } = createClient(anyOf(this.#target.urls) ?? '', this.#target.key);
      const answer = await active().catch(() => null);
      if (answer?.status !== 200) continue;
      for (const { requester, resource, fencingToken, claimBy } of answer.body) {
        if (claimBy === null) continue;
        const seenAt = firstSeenAt.get(fencingToken) ?? Date.now();
        firstSeenAt.set(fencingToken, seenAt);
        if (Math.min(Date.parse(claimBy), seenAt + CLAIM_SECONDS * 1000) < askedAt - 1000)
          this.faults.push(`${requester} has not claimed ${resource} by ${claimBy}`);
      }
    }
  }
}
