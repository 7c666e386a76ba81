/**
 * Grants in the model: reservations that tickets got, until a caller knows of them
 * (docs/specification.md#waiting-lifetimes).
 */
import type { TransactionResult } from '../../src/contract/reservations.ts';
import { type Asked, numbered } from './matching.ts';
import { Paper, undone } from './paper.ts';
import type { Reservation } from './state.ts';
import type { Request } from './tickets.ts';

/** A ticket whose request was carried out, and the reservations that this made, until they are claimed. */
export interface Grant extends Request {
  /** That of the ticket. */
  id: number;
  since: number;
  grantedAt: number;
  made: Reservation[];
}

export type Result = TransactionResult['results'][number];

export type Tokens = readonly (string | null)[];

export class Claims extends Paper {
  grants: Grant[] = [];
  /** Fencing token → the place of the item that the reservation was made for. */
  private readonly places = new Map<number, number>();

  /** Notes the result of an item of a request that may become a ticket's. */
  protected noted<T extends Result>(result: T, place: number): T {
    if (result.status === 'ACQUIRED' && result.fencingToken !== null) this.places.set(result.fencingToken, place);
    return result;
  }

  private placeOf({ fence }: Reservation): number {
    return this.places.get(fence) ?? 0;
  }

  /** A requester's reservation that is enough for an item: a SHARED one is not for an EXCLUSIVE item. */
  protected hadFor(
    { resource, mode, match, condition, nth = 1 }: Pick<Asked, 'resource' | 'mode' | 'match' | 'condition' | 'nth'>,
    requester: string,
  ): Reservation | undefined {
    if (match !== undefined) return this.heldByMatch({ match, condition }, requester)[nth - 1];
    const meant = this.meaning(resource);
    if (mode === 'SHARED' && meant !== null && this.whyNotSharable(meant) !== null) return undefined;
    const had = this.had(resource, requester);
    return had?.details.mode === 'SHARED' && mode !== 'SHARED' ? undefined : had;
  }

  /** Claims the grant that a reservation belongs to, if nobody did, or its booking. */
  claimAlong(had: Reservation, token: string | null): void {
    if (had.booking) had.booking.claimBy = null;
    const grant = this.grants.find(({ made }) => made.includes(had));
    if (grant) this.claim(grant, [token], grant.items);
  }

  /** Starts the leases of a grant. Reservations for which the request has no item get its first token. */
  protected claim(grant: Grant, tokens: Tokens, leases: Request['items']): void {
    this.grants = this.grants.filter((one) => one !== grant);
    for (const one of grant.made) {
      one.token = tokens[this.placeOf(one)] ?? tokens[0] ?? null;
      const lasting = leases[this.placeOf(one)] ?? { ttlSeconds: 0 };
      if (one.session !== undefined) continue;
      if ('session' in lasting) Object.assign(one, { session: lasting.session, expiresAt: null });
      else one.expiresAt = this.leaseOf(one, leases);
    }
  }

  /** When a reservation of a ticket ends if its lease begins so many ms from now. */
  protected leaseOf(one: Reservation, leases: Request['items'], claimMs = 0): number {
    const lasting = leases[this.placeOf(one)] ?? { ttlSeconds: 0 };
    return this.lastingUntil(one, this.termOf({ requester: one.requester, ...lasting }, claimMs));
  }

  /** The first of a grant's reservations that the lease of its claim does not fit, and the latest end that would do. */
  protected whyNotClaimed({ made }: Grant, leases: Request['items']): { place: number; bookedFrom: number } | null {
    for (const one of made) {
      const place = this.placeOf(one);
      const lasting = leases[place];
      if (lasting === undefined || one.session !== undefined) continue;
      const term = this.termOf({ requester: one.requester, ...lasting });
      const bookedFrom = this.lastingUntil(one, term);
      if (bookedFrom < term.least) return { place, bookedFrom };
    }
    return null;
  }

  /** The results of a request that was carried out: its requester has all items of it, or the one that counts. */
  protected tell({ requester, method, items }: Request, made: readonly Reservation[], tokens: Tokens): Result[] {
    // Grants by a name are told first: the name may mean something else by now.
    const hads = numbered(items.map((item) => ({ requester, ...item }))).map((item, i) => {
      const nth = method === '' ? items[i]?.nth : item.nth;
      const granted = made.find((one) => this.placeOf(one) === i);
      const named = item.match === undefined && made.find(({ requestedName }) => requestedName === item.resource);
      return granted ?? (named || this.hadFor({ ...item, nth }, requester));
    });
    const [first] = made;
    const counts = first === undefined ? hads.findIndex((had) => had !== undefined) : this.placeOf(first);
    return items.map(({ resource, match, ...asked }, i) => {
      const had = method === 'FIRST' && i !== counts ? undefined : hads[i];
      if (had === undefined) return undone({ requestType: 'RESERVE', resource, requester }, 'SKIPPED');
      if (!made.includes(had)) this.claimAlong(had, tokens[i] ?? null);
      const isFirst = made.includes(had) && (method === 'FIRST' || hads.indexOf(had) === i);
      const name = match === undefined ? resource : had.requestedName;
      return this.resultOf(had, name, isFirst ? 'ACQUIRED' : 'ALREADY_HAD', { requester, ...asked });
    });
  }
}
