/** The lists of a client. */

import { refuseUnknown } from './errors.ts';
import type { Api } from './http/api.ts';
import type { ActiveReservation, Booking, Definition, SessionInfo, TreeNode, WaitingRequest } from './types.ts';

/** Any call can be ended by a signal. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Which reservations or waits to list. */
export interface ListOptions extends CallOptions {
  /** As it was requested. */
  readonly resource?: string | undefined;
  readonly requester?: string | undefined;
}

/** Which bookings to list. */
export interface BookingsOptions extends ListOptions {
  /** Only those that end after it. */
  readonly from?: Date | undefined;
  /** Only those that start before it. */
  readonly to?: Date | undefined;
}

export class Lists {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Lists reservations. */
  active(options?: ListOptions): Promise<ActiveReservation[]> {
    return this.#list('/Reservation/activeReservations', options, 'resource', 'requester');
  }

  /** Lists who waits, in the order of the queue. */
  waiting(options?: ListOptions): Promise<WaitingRequest[]> {
    return this.#list('/Reservation/waiting', options, 'resource', 'requester');
  }

  /** Lists sessions. */
  sessions(options?: CallOptions): Promise<SessionInfo[]> {
    return this.#list('/Session', options);
  }

  /** Lists bookings that are to come or running, in the order of their starts. */
  bookings({ from, to, ...options }: BookingsOptions = {}): Promise<Booking[]> {
    const times = { from: from?.toISOString(), to: to?.toISOString() };
    return this.#list('/Booking', { ...options, ...times }, 'resource', 'requester', 'from', 'to');
  }

  /** Lists definitions. `label`: `os=android`. */
  definitions(options?: CallOptions & { readonly label?: string | undefined }): Promise<Definition[]> {
    return this.#list('/Resource/definitions', options, 'label');
  }

  /** The tree of all definitions, with free slots and waits. */
  tree(options?: CallOptions): Promise<TreeNode[]> {
    return this.#list('/Resource/tree', options);
  }

  /** @param names of options that are filters, as the service calls them */
  async #list<Row>(
    path: string,
    { signal, ...query }: CallOptions & Filters = {},
    ...names: readonly string[]
  ): Promise<Row[]> {
    refuseUnknown(query, ...names);
    return (await this.#api.request<Row[]>({ method: 'GET', path, query, signal })).result;
  }
}

type Filters = Readonly<Partial<Record<'resource' | 'requester' | 'label' | 'from' | 'to', string | undefined>>>;
