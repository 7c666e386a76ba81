/**
 * /api/v1/Tenant/issuers: the issuers whose JWTs the tenant's users may exchange for tokens. With a session.
 */
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { DeletedIssuer, DeleteIssuerQuery, Issuer } from '../../../contract/tenant.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { deleteIssuer, issuerSchema, listIssuers, putIssuer } from '../../../operations/issuers.ts';
import type { Store } from '../../../store/records.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { bySession, type SessionDeps } from '../../middleware/bySession.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, anyOperation, bodyOperation, parameterOperation, unknown } from '../../responses.ts';

const common = { path: '/api/v1/Tenant/issuers', tags: ['Authentication'] };

const listed = operation({
  ...common,
  method: 'get',
  operationId: 'listIssuers',
  right: 'settings',
  summary: 'List the issuers of JWTs',
  description: 'The identity providers whose JWTs the tenant accepts, with one audience each.',
  responses: { 200: answer('All issuers.', z.array(Issuer)), ...anyOperation },
});

const put = operation({
  ...common,
  method: 'put',
  operationId: 'registerIssuer',
  right: 'settings',
  summary: 'Register an issuer of JWTs',
  description:
    'From tier Starter on. The audience `holdfast:<tenant id>` is for that tenant alone. If the issuer and audience are registered already, `jwksUrl` replaces the old one.',
  body: Issuer,
  responses: { 200: answer('The issuer.', Issuer), ...bodyOperation },
});

const deleted = operation({
  ...common,
  method: 'delete',
  operationId: 'deleteIssuer',
  right: 'settings',
  summary: 'Delete an issuer of JWTs',
  description: 'Its JWTs are refused from now on, and tokens that were exchanged for them end.',
  request: { query: DeleteIssuerQuery },
  responses: { 200: answer('The deleted issuer.', DeletedIssuer), ...unknown, ...parameterOperation },
});

export const issuersOperations = [listed, put, deleted];

/** @param allowPrivate whether keys may be fetched from private addresses, and without TLS */
export const issuersRoutes = (
  deps: BodyDeps & SessionDeps & Pick<OperationDeps, 'engine' | 'activity' | 'reads'>,
  store: Store,
  allowPrivate: boolean,
) => {
  const body = issuerSchema(allowPrivate);
  const app = new OpenAPIHono<AppEnv>();
  return app
    .openapi({ ...listed, middleware: bySession(deps, listed.right) }, async (c) => {
      const { result, quota } = await listIssuers({ ...deps, store }, c.get('actor'));
      c.set('quota', quota);
      return c.json(result, 200);
    })
    .openapi(withBody({ ...put, body }, deps, bySession(deps, put.right)), async (c) => {
      const { result, quota } = await putIssuer({ ...deps, store }, c.get('actor'), c.get('body'));
      c.set('quota', quota);
      return c.json(result, 200);
    })
    .openapi({ ...deleted, middleware: bySession(deps, deleted.right) }, async (c) => {
      const { issuer, audience } = c.req.valid('query');
      const { quota } = await deleteIssuer({ ...deps, store }, c.get('actor'), { issuer, audience });
      c.set('quota', quota);
      return c.json({ issuer, audience }, 200);
    });
};
