/** The calls of the service, over the store of the fake. */
import { HoldfastError } from '../errors.ts';
import type { Answer, Api, CallOptions, Request } from '../http/api.ts';
import { pause, Retries } from '../http/retries.ts';
import type * as T from '../types.ts';
import type { FakeClock } from './clock.ts';
import { titleOf, unsupported } from './definitions.ts';
import { eventStream } from './eventStream.ts';
import { activeOf, reasonOf, resultOf, waitingOf } from './results.ts';
import { Sessions } from './sessions.ts';
import { ended, isoOf, type Refusal, type Row, Store, type Ticket } from './store.ts';

type Route = (request: Request) => unknown;

export class FakeService implements Api {
  readonly retries = new Retries();
  readonly store: Store;
  readonly sessions: Sessions;
  readonly #clock: FakeClock;
  /** Tickets whose caller does not know the outcome yet. */
  readonly #untold = new Set<Ticket>();

  constructor(clock: FakeClock) {
    this.#clock = clock;
    this.store = new Store(clock);
    this.sessions = new Sessions(this.store);
  }

  reserve(item: T.ReserveItem, options: CallOptions & { pollSeconds?: number } = {}): Promise<Answer<T.ReserveResult>> {
    return this.#answer(options, async () => {
      const [result] = await this.#reserveAll([item], item, item.requester, options.pollSeconds);
      if (result === undefined) throw new Error('no result');
      return result;
    });
  }

  unreserve({ resource, requester, releaseToken, condition }: T.UnreserveItem): Promise<Answer<T.UnreserveResult>> {
    if (condition !== undefined && condition !== 'ready') throw unsupported('conditions');
    return this.#answer({}, () => {
      const { status, row } = this.#find(resource, requester, releaseToken);
      const released = row?.slots.slice() ?? null;
      if (row !== undefined) this.store.release(row);
      return {
        resource,
        requester,
        status: row === undefined ? status : 'RELINQUISHED',
        explanation: status,
        released,
      };
    });
  }

  renew({ resource, requester, releaseToken, ttlSeconds }: T.RenewItem): Promise<Answer<T.RenewResult>> {
    return this.#answer({}, () => {
      const { status, row } = this.#find(resource, requester, releaseToken);
      if (row === undefined) return { resource, requester, status, explanation: status, expiresAt: null };
      this.store.renew(row, ttlSeconds * 1000);
      this.store.tell({
        type: 'RENEWED',
        resource,
        requester,
        fencingToken: row.fencingToken,
        expiresAt: isoOf(row.expiresAt),
      });
      return { resource, requester, status: 'RENEWED', explanation: 'RENEWED', expiresAt: isoOf(row.expiresAt) };
    });
  }

  check({ resource, requester }: T.CheckItem, options: CallOptions = {}): Promise<Answer<T.CheckResult>> {
    return this.#answer(options, () => {
      const [choice] = this.store.definitions.choicesOf({ resource, requester: '' });
      const slots = choice?.slots ?? [];
      const held = slots.flatMap((slot) => this.store.holders(slot));
      const free = slots.filter((slot) => this.store.holders(slot).length === 0).length;
      const [first] = held;
      const own = held.find((row) => row.requester === requester);
      const owner = slots.length === 1 && held.length === 1 ? first : undefined;
      const { note } = owner?.item ?? {};
      const waiting = this.store.tickets.filter(({ items }) => items.some((item) => item.resource === resource));
      return {
        resource,
        reserved: free === 0,
        requester: owner?.requester ?? null,
        heldByRequester: requester === undefined ? null : own !== undefined,
        expiresAt: isoOf((own ?? owner)?.expiresAt ?? null),
        waiting: waiting.length,
        ...(note !== undefined && { note }),
        reservable: free > 0,
        ...(free === 0 && { reason: reasonOf(resource, [...new Set(held)], waiting) }),
      };
    });
  }

  cancel({ resource, requester }: T.CancelItem): Promise<Answer<T.CancelResult>> {
    return this.#answer({}, () => {
      const isNamed = (ticket: Ticket) =>
        ticket.requester === requester && ticket.items.some((item) => titleOf(item) === resource);
      const own = this.store.tickets.filter(isNamed);
      for (const ticket of own) {
        this.store.endWait(ticket, ended('cancelled'), 'CANCELLED');
        // Only calls that are held get CANCELLED. The next call begins a new wait.
        this.#untold.delete(ticket);
      }
      return { resource, requester, status: own.length > 0 ? 'CANCELLED' : 'NOT_WAITING' };
    });
  }

  request<Result>(request: Request): Promise<Answer<Result>> {
    const { method, path } = request;
    const route =
      this.#routes[`${method} ${path}`] ?? this.#routes[`${method} ${path.slice(0, path.lastIndexOf('/'))}`];
    if (route === undefined) throw unsupported(path);
    // As the OpenAPI description of the service says, from which the types are made.
    return this.#answer(request, async () => (await route(request)) as Result);
  }

  async open(_path: string, { signal }: CallOptions = {}): Promise<Response> {
    signal?.throwIfAborted();
    return eventStream(this.store);
  }

  /** Ends a reservation, or the session that it belongs to. */
  endLease(releaseToken: string): void {
    const row = [...this.store.rows].find((one) => one.releaseToken === releaseToken);
    if (row?.item.session !== undefined) this.sessions.end(row.item.session);
    else if (row !== undefined) this.store.release(row);
  }

  readonly #routes: Readonly<Record<string, Route>> = {
    'GET /Reservation/activeReservations': ({ query = {} }) =>
      [...this.store.rows].map(activeOf).filter(isWanted(query)),
    'GET /Reservation/waiting': ({ query: { resource, requester } = {} }) =>
      this.store.tickets
        .map((ticket) => ({ ...waitingOf(ticket), reason: { ...this.#reasonOf(ticket), next: [] } }))
        .filter((row) => resource === undefined || row.resources.includes(resource))
        .filter((row) => requester === undefined || row.requester === requester),
    'POST /Reservation/transaction': ({ body, query = {} }) =>
      this.#transaction(body as T.TransactionBody, Number(query.pollSeconds ?? 0)),
    'POST /Reservation/reset': () => {
      return { cleared: this.store.reset() };
    },
    'POST /Resource/register': ({ body }) => {
      const definitions = this.store.definitions.register(body as T.Registration[]);
      this.store.settle();
      return definitions;
    },
    'GET /Resource/definitions': ({ query = {} }) => this.store.definitions.list(query.label),
    'DELETE /Resource': ({ path }) => {
      const name = decodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
      if (this.store.holders(name).length > 0) throw new HoldfastError('REFUSED', `${name} is held.`, { status: 400 });
      this.store.definitions.delete(name);
      return { deleted: [name] };
    },
    'POST /Session': ({ body }) => this.sessions.begin(body as { requester: string; ttlSeconds: number }),
    'POST /Session/renew': ({ body }) => this.sessions.renew((body as { session: string }).session),
    'POST /Session/end': ({ body }) => this.sessions.end((body as { session: string }).session),
    'GET /Session': () => this.sessions.list(),
  };

  async #transaction(body: T.TransactionBody, pollSeconds: number): Promise<T.TransactionResult> {
    const { method, requests } = body;
    if (method !== 'ALL_OR_NONE') throw unsupported(`transactions ${method}`);
    const items = requests.map((request) => {
      if (request.requestType !== 'RESERVE') throw unsupported('releases in transactions');
      const { requestType: _, waitSeconds: _w, priority: _p, claimSeconds: _c, ...item } = request;
      return item;
    });
    const results = await this.#reserveAll(items, body, items[0]?.requester ?? '', pollSeconds, true);
    const isWaiting = results.some(({ status }) => status === 'WAITING');
    const isGot = results.every(({ releaseToken }) => releaseToken !== null);
    return { method, status: isGot ? 'APPLIED' : isWaiting ? 'WAITING' : 'ROLLED_BACK', results };
  }

  /** @returns a result for each item */
  async #reserveAll(
    items: readonly T.ReserveItem[],
    { waitSeconds = 0, priority = 0 }: { readonly waitSeconds?: number; readonly priority?: number },
    requester: string,
    pollSeconds = 0,
    isTransaction = false,
  ): Promise<T.ReserveResult[]> {
    const isKnown = (one: Ticket) => one.requester === requester && isSame(one.items, items);
    const known = [...this.#untold].find(isKnown);
    const isLike =
      ({ match }: T.ReserveItem) =>
      (one: T.ReserveItem) =>
        match !== undefined && one.match !== undefined && titleOf(one) === titleOf({ match, requester });
    const had = items.map((item, i) =>
      this.store.held(item, requester, items.slice(0, i + 1).filter(isLike(item)).length),
    );
    if (known === undefined && had.every((row) => row !== undefined))
      return items.map((item, i) => resultOf(item, requester, had[i], 'ALREADY_HAD'));
    const outcome = known ?? this.#begin(items, requester, waitSeconds, priority, isTransaction);
    if (!('decided' in outcome)) return items.map((item, i) => made(item, requester, outcome, i));
    if (pollSeconds > 0) await this.#decided(outcome, pollSeconds);
    const { outcome: decided, ...ticket } = outcome;
    if (decided === undefined) {
      const ahead = this.store.tickets.indexOf(outcome);
      const waiting = {
        ahead,
        waitsFor: titleOf(items[0] ?? { requester }),
        since: isoOf(ticket.since),
        until: isoOf(ticket.until),
        reason: this.#reasonOf(outcome),
      };
      return items.map((item) => ({
        ...resultOf(
          item,
          requester,
          undefined,
          'WAITING',
          `WAITING: ${ahead === 0 ? 'you are next' : `${ahead} before you`}`,
        ),
        waiting,
      }));
    }
    this.#untold.delete(outcome);
    return items.map((item, i) => made(item, requester, decided, i));
  }

  #begin(
    items: readonly T.ReserveItem[],
    requester: string,
    waitSeconds: number,
    priority: number,
    isTransaction: boolean,
  ): readonly Row[] | Refusal | Ticket {
    const got = this.store.tryTake(items, requester);
    if (!('status' in got) || waitSeconds === 0 || got.status === 'NOT_VALID') return got;
    const ticket = this.store.wait(items, requester, waitSeconds * 1000, priority, isTransaction);
    this.#untold.add(ticket);
    return ticket;
  }

  #reasonOf(ticket: Ticket): T.Reason {
    const [item = { requester: ticket.requester }] = ticket.items;
    const slots = this.store.definitions.choicesOf(item).flatMap((choice) => choice.slots);
    const holders = new Set(slots.flatMap((slot) => this.store.holders(slot)));
    return reasonOf(titleOf(item), [...holders], this.store.tickets.slice(0, this.store.tickets.indexOf(ticket)));
  }

  /** Until it has an outcome, or the response has been held long enough. */
  async #decided(ticket: Ticket, pollSeconds: number): Promise<void> {
    if (ticket.outcome !== undefined) return;
    const over = new AbortController();
    ticket.decided.push(() => over.abort());
    await pause(pollSeconds * 1000, over.signal);
  }

  #find(resource: string, requester: string, token = '') {
    const rows = this.store.holders(resource);
    const row = rows.find((one) => one.requester === requester && one.releaseToken === token);
    const isOther = row === undefined && rows.length > 0;
    return { row, status: isOther ? ('DOESNT_OWN_RESERVATION' as const) : ('NOT_RESERVED' as const) };
  }

  async #answer<Result>({ signal }: CallOptions, act: () => Result | Promise<Result>): Promise<Answer<Result>> {
    signal?.throwIfAborted();
    const sentAt = this.#clock.monotonic();
    return { result: await act(), sentAt, repeated: false };
  }
}

const isWanted =
  ({ resource, requester }: Readonly<Record<string, string | undefined>>) =>
  (row: { readonly resource: string; readonly requester: string }) =>
    (resource === undefined || row.resource === resource) && (requester === undefined || row.requester === requester);

const isSame = (items: readonly T.ReserveItem[], others: readonly T.ReserveItem[]) =>
  items.length === others.length &&
  items.every((item, i) => titleOf(item) === titleOf(others[i] ?? item) && item.count === others[i]?.count);

function made(item: T.ReserveItem, requester: string, outcome: readonly Row[] | Refusal, i: number): T.ReserveResult {
  if (!('status' in outcome)) return resultOf(item, requester, outcome[i], 'ACQUIRED');
  const { status, explanation, heldBy } = outcome;
  return { ...resultOf(item, requester, undefined, status, explanation), ...(heldBy && { heldBy }) };
}
