/**
 * What the dashboard is given, and what its parts hand on to each other in a request.
 */
import type { Hono } from 'hono';
import type { Credential } from '../domain/tenants.ts';
import type { SessionUser } from '../engine/tenant/sessions.ts';
import type { AppEnv, HttpDeps } from '../http/env.ts';
import type { AdminStanding } from '../identity/admins.ts';
import type { ConfiguredKey } from '../identity/configuredTenants.ts';
import type { OidcClient } from '../identity/oidc.ts';

/** How people sign in: at an OpenID Connect provider; on this machine, by saying so; not at all. */
export type SignInWay =
  | { readonly kind: 'oidc'; readonly client: OidcClient; readonly issuer: string }
  | { readonly kind: 'local' }
  | { readonly kind: 'none' };

export interface DashboardDeps extends HttpDeps {
  readonly signIn: SignInWay;
  /** The origin at which people see the service; undefined: wherever they ask for it */
  readonly publicUrl: string | undefined;
  /** Of the in-memory mode. */
  readonly configuredKeys: readonly ConfiguredKey[];
  /** The service itself, for what forms ask of it. */
  readonly request: Hono<AppEnv>['request'];
}

/** Who looks at a page. */
export interface Viewer {
  readonly credential: Credential;
  readonly user: SessionUser;
  /** In the in-memory mode `admin`: its page of tenants changes nothing. */
  readonly standing: AdminStanding;
}

export interface DashboardEnv {
  Bindings: AppEnv['Bindings'];
  Variables: AppEnv['Variables'] & { viewer: Viewer };
}
