/**
 * Endpoints that need a database, or JWT issuers, answer 503 without them and say what to configure
 * (docs/specification.md#errors, #operations, #identity). The OpenAPI document leaves them out.
 */
import { Hono } from 'hono';
import { verifyCredential } from '../../engine/tenant/verifyCredential.ts';
import type { OperationDeps } from '../../operations/deps.ts';
import type { AppEnv } from '../env.ts';
import { fail } from '../errors.ts';

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
  '/Tenant/members',
  '/Tenant/members/:id',
  '/Tenant/invitations',
  '/Tenant/invitations/:id',
  '/Tenant/groups',
  '/Tenant/groups/:group',
  '/Tenant/audit',
  '/Tenant/tokens',
  '/Tenant/tokens/:id',
];

/**
 * Paths that need an API key. No script verifies it here, and a 503 for an invalid one would tell that its tenant
 * exists: other tenants get a 401.
 */
export const withoutTenants = ({ engine }: Pick<OperationDeps, 'engine'>) => {
  const app = new Hono<AppEnv>().basePath('/api/v1');
  for (const path of TENANT_PATHS) {
    app.all(path, async (c) => {
      await verifyCredential(engine, c.get('credential'));
      return fail(c, 503, 'NOT_CONFIGURED', WITHOUT_DATABASE);
    });
  }
  return app;
};

/** Paths for administrators, who need no key. */
export const withoutAdministration = () =>
  new Hono<AppEnv>().basePath('/api/v1').all('/admin/*', (c) => fail(c, 503, 'NOT_CONFIGURED', WITHOUT_DATABASE));

/** Token exchange, which needs no key. */
export const withoutIssuers = () =>
  new Hono<AppEnv>().basePath('/api/v1').post('/auth/token', (c) => fail(c, 503, 'NOT_CONFIGURED', WITHOUT_ISSUERS));
