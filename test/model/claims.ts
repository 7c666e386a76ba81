/**
 * Grants in the model: reservations that tickets got, until a caller is told of them
 * (docs/specification.md#waiting-lifetimes).
 */
import type { TransactionResult } from '../../src/contract/reservations.ts';
import type { Asked } from './matching.ts';
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

const hasCount = ({ details }: Reservation, item: Request['items'][number] | undefined) =>
  (details.slots?.length ?? 1) === (item?.count ?? 1);

/**
 * The place of the item that a reservation was made for: the only one of a match; of those that name it, the first with
 * its count.
 */
function placeOf(made: Reservation, items: Request['items']): number {
  if (items[0]?.match !== undefined) return 0;
  const exact = items.findIndex((item) => item.resource === made.requestedName && hasCount(made, item));
  return exact < 0 ? items.findIndex(({ resource }) => resource === made.requestedName) : exact;
}

export class Claims extends Paper {
  grants: Grant[] = [];

  /** What a requester has that is enough for an item: a SHARED reservation is not for an EXCLUSIVE one. */
  protected hadFor(
    { resource, mode, match, nth = 1 }: Pick<Asked, 'resource' | 'mode' | 'match' | 'nth'>,
    requester: string,
  ): Reservation | undefined {
    if (match !== undefined) return this.heldByMatch(match, requester)[nth - 1];
    const meant = this.meaning(resource);
    if (mode === 'SHARED' && meant !== null && this.whyNotSharable(meant) !== null) return undefined;
    const had = this.had(resource, requester);
    return had?.details.mode === 'SHARED' && mode !== 'SHARED' ? undefined : had;
  }

  /** Claims the grant that a reservation belongs to, if nobody did. */
  claimAlong(had: Reservation, resource: string, token: string | null): void {
    const grant = this.grants.find(({ made }) => made.includes(had));
    if (grant) this.claim(grant, { ...grant, items: [{ resource, ttlSeconds: 0 }] }, [token], grant.items);
  }

  /** Starts the leases of a grant. Reservations that the request does not name get its first token. */
  protected claim(grant: Grant, request: Request, tokens: Tokens, leases: Request['items']): void {
    this.grants = this.grants.filter((one) => one !== grant);
    for (const one of grant.made) {
      one.token = tokens[Math.max(placeOf(one, request.items), 0)] ?? null;
      const lasting = leases[placeOf(one, leases)] ?? { ttlSeconds: 0 };
      if (one.session !== undefined) continue;
      if ('session' in lasting) Object.assign(one, { session: lasting.session, expiresAt: null });
      else one.expiresAt = this.nowMs + lasting.ttlSeconds * 1000;
    }
  }

  /** The results of a request that was carried out: its requester has all items of it, or the one that counts. */
  protected tell({ requester, method, items }: Request, made: readonly Reservation[], tokens: Tokens): Result[] {
    // What was granted by a name is told first: the name may mean something else by now.
    const hads = items.map((item) =>
      item.match === undefined
        ? (made.find(({ requestedName }) => requestedName === item.resource) ?? this.hadFor(item, requester))
        : (made[0] ?? this.hadFor(item, requester)),
    );
    const isOne = (had: Reservation | undefined) => had !== undefined && (made.length === 0 || made.includes(had));
    const isExact = (had: Reservation | undefined, i: number) =>
      had !== undefined && isOne(had) && (made.length === 0 || placeOf(had, items) === i);
    const exact = hads.findIndex(isExact);
    const counts = exact < 0 ? hads.findIndex(isOne) : exact;
    return items.map(({ resource, mode, match }, i) => {
      const had = method === 'FIRST' && i !== counts ? undefined : hads[i];
      if (had === undefined) return undone({ requestType: 'RESERVE', resource, requester }, 'SKIPPED');
      if (!made.includes(had)) this.claimAlong(had, resource, tokens[i] ?? null);
      const isFirst = made.includes(had) && (method === 'FIRST' || hads.indexOf(had) === i);
      const name = match === undefined ? resource : had.requestedName;
      return this.resultOf(had, name, isFirst ? 'ACQUIRED' : 'ALREADY_HAD', mode);
    });
  }
}
