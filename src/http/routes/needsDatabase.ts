/**
 * Endpoints that need a database, or JWT issuers, answer 503 without them and say what to configure
 * (docs/specification.md#errors, #operations, #identity). The OpenAPI document leaves them out.
 */
import { METHOD_NAME_ALL as ALL } from 'hono/router';
import { verifyCredential } from '../../engine/tenant/credentials.ts';
import type { OperationDeps } from '../../operations/deps.ts';
import type { ObserveDeps } from '../call/observe.ts';
import { asIs } from '../call/reply.ts';
import { openRoute, type Route, route } from '../call/route.ts';
import { Refusal } from '../errors.ts';

const WITHOUT_DATABASE =
  'Tenants are kept in a database, and this service runs without one: configure DATABASE_URL (and KEY_SECRET).';
const WITHOUT_ISSUERS = 'No issuer of JWTs is configured: configure JWT_ISSUERS, or DATABASE_URL.';

const TENANT_PATHS = [
  '/Tenant',
  '/Tenant/keys',
  '/Tenant/keys/:id',
  '/Tenant/keys/:id/rotate',
  '/Tenant/settings',
  '/Tenant/issuers',
  '/Tenant/notices',
  '/Tenant/notices/:id',
  '/Tenant/notices/:id/rotate',
  '/Tenant/notices/:id/test',
  '/Tenant/notices/:id/deliveries',
  '/Tenant/members',
  '/Tenant/members/:id',
  '/Tenant/invitations',
  '/Tenant/invitations/:id',
  '/Tenant/groups',
  '/Tenant/groups/:group',
  '/Tenant/audit',
  '/Tenant/tokens',
  '/Tenant/tokens/:id',
  '/Tenant/slack',
];

const refusal = (message: string) => new Refusal(503, 'NOT_CONFIGURED', message);

/**
 * Paths that need an API key. No script verifies it here, and a 503 for an invalid one would tell that its tenant
 * exists: other tenants get a 401.
 */
export const withoutTenants = ({ engine }: Pick<OperationDeps, 'engine'>): readonly Route[] =>
  TENANT_PATHS.map((path) =>
    route(
      { method: ALL, path: `/api/v1${path}`, right: 'usage' },
      (call) => verifyCredential(engine, call.credential),
      () => {
        throw refusal(WITHOUT_DATABASE);
      },
    ),
  );

/** Paths for administrators, who need no key. */
export const withoutAdministration = (): Route<ObserveDeps> => refused(ALL, '/api/v1/admin/*', WITHOUT_DATABASE);

/** Requests of Slack apps. */
export const withoutSlack = (): Route<ObserveDeps> => refused(ALL, '/integrations/slack/:tenant', WITHOUT_DATABASE);

/** Token exchange, which needs no key. */
export const withoutIssuers = (): Route<ObserveDeps> => refused(ALL, '/api/v1/auth/token', WITHOUT_ISSUERS);

const refused = (method: string, path: string, message: string): Route<ObserveDeps> =>
  openRoute({ method, path }, () => Promise.reject(refusal(message)), asIs);
