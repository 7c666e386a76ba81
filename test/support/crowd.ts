/**
 * A crowd at several instances, in real time: requesters wait for open sets of things, hang up, come back, take and
 * release while waits elapse and leases end. Between two times of that, it rests and looks: nobody may be left who
 * could be served, and each call whose ticket has ended must have its answer.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ActiveReservation, ReserveResult } from '../../src/contract/reservations.ts';
import type { WaitingRequest } from '../../src/contract/waiting.ts';
import { expectSettled } from '../model/listed.ts';
import { type Registration, toDefinition } from '../model/state.ts';
import type { Request } from '../model/tickets.ts';
import { createClient } from './client.ts';
import { until } from './until.ts';

/** Pools, blockers whose holds are joined, a tree. What is not registered is a plain name. */
const REGISTERED: readonly Registration[] = [
  { name: 'p', capacity: 3, blocks: [], treePath: [] },
  { name: 'q', capacity: 2, blocks: [], treePath: [] },
  { name: 'a', capacity: 1, blocks: ['ink'], treePath: [] },
  { name: 'b', capacity: 2, blocks: ['ink'], treePath: [] },
  { name: 'lamps', capacity: 2, blocks: ['q_0'], treePath: [] },
  { name: 'floor', capacity: 2, blocks: [], treePath: [] },
  ...['x', 'y', 'z'].map((name) => ({ name, capacity: 1, blocks: [], treePath: ['floor'] })),
];
const THINGS = [...'pqabxyzdefgh', 'floor', 'lamps', 'ink', 'p_0', 'p_1', 'q_1', 'floor>x'];
const POOLS = ['p', 'q', 'b'];
const REQUESTERS = 40;
const CLAIM_SECONDS = 5;
/**
 * The answer of a call whose ticket has ended. A claim that fails since the queue is not settled for 2 s is repeated
 * with the next beat, up to 2 s later.
 */
const ANSWERED_WITHIN_MS = 5000;
const MAX_PLAIN = 6;

const below = (limit: number): number => Math.floor(Math.random() * limit);
const anyOf = <T>(list: readonly [T, ...T[]]): T => list[below(list.length)] ?? list[0];
const isChance = (share: number): boolean => Math.random() < share;

interface Wanted extends Omit<Request, 'items'> {
  items: { resource: string; ttlSeconds: number; count?: number; mode?: 'SHARED' }[];
}
type Owned = Pick<ReserveResult, 'resource' | 'requester' | 'releaseToken'>;

/** A call that may be held. */
interface Held {
  readonly key: string;
  readonly sentAt: number;
  readonly closing: AbortController;
}

interface Lists {
  waiting: WaitingRequest[];
  active: ActiveReservation[];
}

/** Tells a ticket from others, by what the list of them shows. */
const keyOf = (requester: string, method: string | null, resources: readonly string[]) =>
  JSON.stringify([requester, method ?? '', resources]);

export class Crowd {
  /** Answers that callers must never get. */
  readonly faults: string[] = [];
  readonly counts = { calls: 0, granted: 0, elapsed: 0, hungUp: 0, unavailable: 0, looks: 0, tickets: 0, slowestMs: 0 };
  readonly #urls: readonly [string, ...string[]];
  readonly #key: string;
  readonly #held = new Set<Held>();
  readonly #plain = new Set<Promise<unknown>>();
  /** The items of all requests so far, by key, and whether the last call was carried out, and is detached. */
  readonly #sent = new Map<string, { items: Wanted['items']; isDetached: boolean }>();
  /**
   * The keys of calls that waited and got no answer. The service may carry such a call out later than one that did not
   * wait, and then nobody attends the ticket.
   */
  readonly #unanswered = new Set<string>();
  readonly #owned: Owned[] = [];

  constructor(urls: readonly [string, ...string[]], key: string) {
    this.#urls = urls;
    this.#key = key;
  }

  async register(): Promise<void> {
    await this.#client().register(...REGISTERED.map(toDefinition));
  }

  /** Acts for some time, with up to so many calls that wait. */
  async act(ms: number, calls: number): Promise<void> {
    const end = performance.now() + ms;
    while (performance.now() < end) {
      for (let i = 0; i < 12 && this.#held.size < calls; i++)
        void this.#wait(this.#want(), anyOf([0, 1, 2, 5, 20, 20]));
      if (this.#plain.size < MAX_PLAIN) this.#doPlain();
      if (isChance(0.3)) this.#hangUp();
      await pause(below(15));
    }
  }

  /** Rests, and looks at the tenant a few times meanwhile. */
  async rest(): Promise<void> {
    for (let look = 0; look < 3; look++) {
      await Promise.all(this.#plain);
      const lists = await this.#look();
      this.counts.looks++;
      this.counts.tickets += lists.waiting.length;
      await this.#expectAnswers(lists);
      try {
        expectSettled(REGISTERED, lists.active, lists.waiting, (row) => this.#sentFor(row));
      } catch (error) {
        this.faults.push(String(error));
      }
      await pause(250);
    }
  }

  stop(): void {
    for (const { closing } of this.#held) closing.abort();
  }

  #client(signal?: AbortSignal) {
    return createClient(anyOf(this.#urls), this.#key, signal);
  }

  #sentFor({ requester, method, resources }: WaitingRequest) {
    const sent = this.#sent.get(keyOf(requester, method, resources));
    if (sent === undefined) throw new Error(`${requester} waits for ${resources}, and never asked for it`);
    return sent;
  }

  #item(): Wanted['items'][number] {
    const item = { resource: anyOf([THINGS[0] ?? '', ...THINGS]), ttlSeconds: 1 + below(3) };
    if (POOLS.includes(item.resource)) return isChance(0.2) ? { ...item, count: 2 } : item;
    return isChance(0.15) ? { ...item, mode: 'SHARED' } : item;
  }

  #want(): Wanted {
    const requester = `r${below(REQUESTERS)}`;
    if (isChance(0.25)) return { requester, method: '', items: [this.#item()] };
    const items = Array.from({ length: 2 + below(4) }, () => this.#item());
    return { requester, method: isChance(0.15) ? 'FIRST' : 'ALL_OR_NONE', items };
  }

  /** Sends a request that waits, and most often repeats it until it is granted or ends. */
  async #wait(wanted: Wanted, pollSeconds: number): Promise<void> {
    const { requester, method } = wanted;
    const key = keyOf(
      requester,
      method,
      wanted.items.map(({ resource }) => resource),
    );
    // Requests that the list could not tell apart are one request.
    const items = this.#sent.get(key)?.items ?? wanted.items;
    const sent = { items, isDetached: false };
    this.#sent.set(key, sent);
    const wait = {
      waitSeconds: anyOf([1, 2, 3, 5, 20, 60]),
      claimSeconds: CLAIM_SECONDS,
      priority: anyOf([0, 0, 0, 1, -1]),
    };
    const named = items.map((item) => ({ ...item, requester }));
    const path = `/api/v1/Reservation/${method === '' ? 'reserve' : 'transaction'}?pollSeconds=${pollSeconds}`;
    const body =
      method === ''
        ? named.map((item) => ({ ...item, ...wait }))
        : { method, requests: named.map((item) => ({ ...item, requestType: 'RESERVE' })), ...wait };
    const held: Held = { key, sentAt: performance.now(), closing: new AbortController() };
    this.#held.add(held);
    const results = await this.#send<ReserveResult[] | { results: ReserveResult[] }>(path, body, held.closing.signal);
    this.#held.delete(held);
    if (results === null) {
      if (pollSeconds > 0) this.#unanswered.add(key);
      return;
    }
    const mayBeAttended = this.#unanswered.has(key) || [...this.#held].some((other) => other.key === key);
    sent.isDetached = pollSeconds === 0 && !mayBeAttended;
    const all = 'results' in results ? results.results : results;
    if (all.some(({ status }) => status === 'WAITING')) {
      if (isChance(0.7)) await this.#wait({ ...wanted, items }, anyOf([0, 5, 20]));
      return;
    }
    const got = all.filter(({ status }) => status === 'ACQUIRED');
    this.counts[got.length > 0 ? 'granted' : 'elapsed']++;
    this.#own(got);
  }

  /** Some let their leases end. */
  #own(got: readonly ReserveResult[]): void {
    if (isChance(0.7)) this.#owned.push(...got);
    if (this.#owned.length > 60) this.#owned.splice(0, 20);
  }

  #doPlain(): void {
    const run = isChance(0.6) ? this.#release() : isChance(0.8) ? this.#take() : this.#cancel();
    this.#plain.add(run);
    void run.finally(() => this.#plain.delete(run));
  }

  async #release(): Promise<void> {
    const items = this.#owned.splice(below(this.#owned.length), 1 + below(2));
    if (items.length > 0)
      await this.#send(
        '/api/v1/Reservation/unreserve',
        items.map(({ resource, requester, releaseToken }) => ({ resource, requester, releaseToken })),
      );
  }

  /** Reserves free resources that are not kept: such holders wait for others, too. */
  async #take(): Promise<void> {
    const items = Array.from({ length: 1 + below(3) }, () => ({ ...this.#item(), requester: `r${below(REQUESTERS)}` }));
    const got = await this.#send<ReserveResult[]>('/api/v1/Reservation/reserve', items);
    this.#own(got?.filter(({ status }) => status === 'ACQUIRED') ?? []);
  }

  async #cancel(): Promise<void> {
    const [held] = this.#held;
    const [requester = '', , [resource = ''] = []] = held ? JSON.parse(held.key) : [];
    if (held) await this.#send('/api/v1/Reservation/cancel', [{ resource, requester }]);
  }

  #hangUp(): void {
    const held = [...this.#held][below(this.#held.size)];
    if (held === undefined) return;
    this.counts.hungUp++;
    held.closing.abort();
  }

  /** @returns null if the call was closed, or was not carried out */
  async #send<Body>(path: string, body: unknown, signal?: AbortSignal): Promise<Body | null> {
    this.counts.calls++;
    const answer = await this.#client(signal)
      .request<Body>('POST', path, body)
      .catch((error: unknown) => {
        if (!signal?.aborted) this.faults.push(`${path}: ${String(error)}`);
        return null;
      });
    if (answer?.status === 200) return answer.body;
    if (answer?.status === 503) this.counts.unavailable++;
    // The lease of a released reservation may have ended already. A process that stood still may have got half of a
    // request.
    else if (answer && ![403, 408].includes(answer.status))
      this.faults.push(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return null;
  }

  /** The lists, once they are the same twice: nothing has changed between the one and the other. */
  async #look(): Promise<Lists> {
    let before: Lists | undefined;
    return until('lists that are answered, and do not change', async () => {
      const [waiting, active] = [await this.#client().waiting(), await this.#client().active()];
      if (waiting.status !== 200 || active.status !== 200) return null;
      const now: Lists = { waiting: waiting.body, active: active.body };
      const isSame = isDeepStrictEqual(before, now);
      before = now;
      return isSame ? now : null;
    });
  }

  /**
   * Waits for the answers of calls whose tickets are not listed any more, or for new tickets of theirs. If claims fail
   * for longer than claimSeconds, since the queue is not settled, the grant ends, and the claim gets a new ticket.
   */
  async #expectAnswers({ waiting }: Lists): Promise<void> {
    const lookedAt = performance.now();
    const listed = (rows: readonly WaitingRequest[]) =>
      new Set(rows.map(({ requester, method, resources }) => keyOf(requester, method, resources)));
    const before = listed(waiting);
    const ended = [...this.#held].filter(({ key, sentAt }) => !before.has(key) && sentAt < lookedAt);
    const unanswered = () => ended.filter((one) => this.#held.has(one));
    const left = async () => {
      if (unanswered().length === 0) return [];
      const now = await until('a list', async () => {
        const { status, body } = await this.#client().waiting();
        return status === 200 ? listed(body) : null;
      });
      return unanswered().filter(({ key }) => !now.has(key));
    };
    await until('answers', async () => (await left()).length === 0, ANSWERED_WITHIN_MS).catch(() => {});
    this.counts.slowestMs = Math.max(this.counts.slowestMs, Math.round(performance.now() - lookedAt));
    if (unanswered().length === 0) return;
    // A machine that is busy for so long answers nobody: later callers must not be served before them.
    await Promise.all(this.#urls.map((url) => createClient(url, this.#key).check({ resource: 'probe' })));
    for (const { key, sentAt } of await left())
      this.faults.push(`no answer for ${Math.round(performance.now() - sentAt)} ms, and no ticket any more: ${key}`);
  }
}
