/**
 * What the interface has and the in-memory mode has not: 503, saying so (interface, "Errors"; decisions, sections 6 and 9). It is not
 * described in the OpenAPI document, since it is not offered.
 */
import { Hono } from 'hono';
import type { AppEnv } from '../env.ts';

const TENANT_PATHS = [
  '/Tenant',
  '/Tenant/keys',
  '/Tenant/keys/:id',
  '/Tenant/keys/:id/rotate',
  '/Tenant/settings',
  '/Tenant/issuers',
];

/** Paths that need an API key. */
export const tenantRoutes = () => {
  const app = new Hono<AppEnv>().basePath('/api/v1');
  for (const path of TENANT_PATHS) {
    app.all(path, (c) => c.json({ error: 'Tenants are kept in a database: this service runs without one.' }, 503));
  }
  return app;
};

/** Paths that need none: token exchange, and what is for administrators. */
export const keylessRoutes = () => {
  const app = new Hono<AppEnv>().basePath('/api/v1');
  app.post('/auth/token', (c) => c.json({ error: 'No issuer of JWTs is configured.' }, 503));
  app.all('/admin/*', (c) => c.json({ error: 'Tenants are kept in a database: this service runs without one.' }, 503));
  return app;
};
