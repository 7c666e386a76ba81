/**
 * /api/v1/Tenant/issuers: the issuers whose JWTs the tenant's users may exchange for tokens. With a session.
 */
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { DeletedIssuer, DeleteIssuerQuery, Issuer } from '../../../contract/tenant.ts';
import { HoldfastError } from '../../../domain/errors.ts';
import { audienceFault } from '../../../domain/issuerNames.ts';
import { chargeWrite } from '../../../engine/tenant/charge.ts';
import { jwksAddressFault } from '../../../identity/jwks.ts';
import { deleteIssuer, listIssuers, putIssuer } from '../../../store/issuers.ts';
import type { Store } from '../../../store/records.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { actorName, bySession } from '../../middleware/bySession.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, anyOperation, bodyOperation, parameterOperation, unknown } from '../../responses.ts';

const common = { path: '/api/v1/Tenant/issuers', tags: ['Tenant'], security: [{ session: [] }] };

const listed = operation({
  ...common,
  method: 'get',
  operationId: 'issuers',
  summary: 'List the issuers of JWTs',
  responses: { 200: answer('All issuers.', z.array(Issuer)), ...anyOperation },
});

const put = operation({
  ...common,
  method: 'put',
  operationId: 'putIssuer',
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
  summary: 'Delete an issuer of JWTs',
  description: 'Its JWTs are refused from now on, and tokens that were exchanged for them end.',
  request: { query: DeleteIssuerQuery },
  responses: { 200: answer('The deleted issuer.', DeletedIssuer), ...unknown, ...parameterOperation },
});

export const issuersOperations = [listed, put, deleted];

/** @param allowPrivate whether keys may be fetched from private addresses, and without TLS */
export const issuersRoutes = (deps: HttpDeps, store: Store, allowPrivate: boolean) => {
  const body = Issuer.superRefine(({ jwksUrl }, context) => {
    const fault = jwksAddressFault(jwksUrl, allowPrivate);
    if (fault !== null) context.addIssue({ code: 'custom', path: ['jwksUrl'], message: fault });
  });
  const app = new OpenAPIHono<AppEnv>();
  return app
    .openapi({ ...listed, middleware: bySession(deps) }, async (c) => {
      const credential = c.get('credential');
      await deps.reads.charge(credential);
      return c.json(await listIssuers(store, credential.tenant), 200);
    })
    .openapi(withBody({ ...put, body }, deps, bySession(deps)), async (c) => {
      const credential = c.get('credential');
      const issuer = c.get('body');
      const fault = audienceFault(issuer.audience, credential.tenant);
      if (fault !== null) throw new HoldfastError('refused', `audience ${fault}`);
      await chargeWrite(deps.engine, credential);
      await putIssuer(store, credential.tenant, issuer, actorName('user', c.get('user')));
      return c.json(issuer, 200);
    })
    .openapi({ ...deleted, middleware: bySession(deps) }, async (c) => {
      const credential = c.get('credential');
      await chargeWrite(deps.engine, credential);
      const { issuer, audience } = c.req.valid('query');
      await deleteIssuer(store, credential.tenant, issuer, audience, actorName('user', c.get('user')));
      return c.json({ issuer, audience }, 200);
    });
};
