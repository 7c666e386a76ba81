/**
 * The parts that the dashboard is made of, and the values that its parts pass on within one request.
 */
import type { Booking } from '../contract/bookings.ts';
import type { Joined, Membership, Memberships } from '../domain/memberships.ts';
import type { SlotCondition } from '../engine/reservations/slotConditions.ts';
import type { SessionUser } from '../engine/tenant/signIns.ts';
import type { Standing } from '../engine/waiting/list.ts';
import type { AppEnv, BodyDeps, CallerDeps, HttpDeps, TenantDeps } from '../http/deps.ts';
import type { AdminRule, AdminStanding } from '../identity/admins.ts';
import type { ConfiguredKey } from '../identity/configured.ts';
import type { OneTimeToken, Sealer } from '../identity/credentials.ts';
import type { OidcClient } from '../identity/oidc.ts';
import type { OperationDeps } from '../operations/deps.ts';
import type { Actor, SignedInDeps } from '../operations/permissions.ts';
import type { Changed, Released } from './actions/undoable.ts';

/** How people sign in: at an OpenID Connect provider; by the link that the start prints; by a key; not at all. */
export type SignInWay =
  | {
      readonly kind: 'oidc';
      readonly client: OidcClient;
      readonly issuer: string;
      /** Encrypts the cookies of sign-ins in progress. */
      readonly sealer: Sealer;
    }
  | { readonly kind: 'local'; readonly token: OneTimeToken }
  | { readonly kind: 'key' }
  | { readonly kind: 'none' };

export interface DashboardDeps extends OperationDeps, SignedInDeps, BodyDeps, CallerDeps, Pick<HttpDeps, 'streams'> {
  readonly signIn: SignInWay;
  /** The origin at which people see the service; undefined: the one that they ask for */
  readonly publicUrl: string | undefined;
  /** Keys of the in-memory mode. */
  readonly configuredKeys: readonly ConfiguredKey[];
  readonly adminRule: AdminRule;
  /** null: there is no database */
  readonly tenants: TenantDeps | null;
  /** Who belongs to which tenant. */
  readonly memberships: Memberships;
}

/** Where a request of the person stands. */
export interface OwnStanding extends Standing {
  /** Who gets what was granted if the person does not take it; null: nobody waits; undefined: not known */
  readonly next?: string | null | undefined;
}

/** A booking of the person that is not as they booked it: the slot is out of service, or not free in time. */
export interface Trouble {
  /** The first such booking of the slot. */
  readonly booking: Booking;
  /** The number of later ones of the same slot. */
  readonly later: number;
  /** Since when and why the slot is out of service; null: it is in use */
  readonly out: SlotCondition | null;
}

/** The person who looks at a page. */
export interface Viewer extends Actor {
  readonly user: SessionUser;
  readonly standing: AdminStanding;
  /** The tenants that the person can switch to, this one among them; none if there is only this one. */
  readonly memberships: readonly Membership[];
  /** The tenants that the sign-in has made the person a member of, until a page has said so. */
  readonly joined: readonly Joined[];
  /** True if the person can leave the tenant: in the in-memory mode there are no memberships. */
  readonly mayLeave: boolean;
  /** Where the person's own requests stand that wait or can be taken. */
  readonly standings: readonly OwnStanding[];
  /** Bookings of the next days that the person should look at. */
  readonly troubles: readonly Trouble[];
  /** The last releases of the browser, newest first; for a page those that can still be taken back. */
  readonly releases: readonly Released[];
  /** The last change of a condition by the browser, if it can be taken back. */
  readonly changed: Changed | null;
  /** The address of the page. */
  readonly page: string;
}

export interface DashboardEnv {
  Bindings: AppEnv['Bindings'];
  Variables: AppEnv['Variables'] & { viewer: Viewer };
}
