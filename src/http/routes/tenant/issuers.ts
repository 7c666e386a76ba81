/**
 * /api/v1/Tenant/issuers: the issuers whose JWTs the tenant's users may exchange for tokens. With a session.
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { HoldfastError } from '../../../domain/errors.ts';
import { chargeWrite } from '../../../engine/tenant/charge.ts';
import { audienceFault, issuerTextFault, MAX_ISSUER_BYTES } from '../../../identity/issuerNames.ts';
import { jwksAddressFault } from '../../../identity/jwks.ts';
import { deleteIssuer, listIssuers, putIssuer } from '../../../store/issuers.ts';
import type { Store } from '../../../store/records.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { item } from '../../fields.ts';
import { actorName, bySession } from '../../middleware/bySession.ts';
import { documentBody, jsonBody } from '../../middleware/jsonBody.ts';
import { answer, anyOperation, bodyOperation, parameterOperation, unknown } from '../../responses.ts';

const text = (description: string) =>
  z
    .string('must be a string')
    .superRefine((value, context) => {
      const fault = issuerTextFault(value);
      if (fault !== null) context.addIssue({ code: 'custom', message: fault });
    })
    .openapi({ description, minLength: 1, maxLength: MAX_ISSUER_BYTES });

/** @param allowPrivate whether keys may be fetched from private addresses, and without TLS */
export const issuersRoutes = (deps: HttpDeps, store: Store, allowPrivate: boolean) => {
  const names = { issuer: text('What the JWT has as `iss`.'), audience: text('What the JWT has in `aud`.') };
  const jwksUrl = text('Where the issuer’s keys are.').superRefine((url, context) => {
    const fault = jwksAddressFault(url, allowPrivate);
    if (fault !== null) context.addIssue({ code: 'custom', message: fault });
  });
  const Issuer = item({ ...names, jwksUrl }, deps.unknownFields).openapi('Issuer');
  const common = { path: '/api/v1/Tenant/issuers', tags: ['Tenant'], security: [{ session: [] }] };
  const listed = createRoute({
    ...common,
    method: 'get',
    operationId: 'issuers',
    summary: 'List the issuers of JWTs',
    middleware: bySession(deps),
    responses: { 200: answer('All of them.', z.array(Issuer)), ...anyOperation },
  });
  const put = createRoute({
    ...common,
    method: 'put',
    operationId: 'putIssuer',
    summary: 'Register an issuer of JWTs',
    description:
      'From tier Starter on. The audience `holdfast:<tenant id>` is for that tenant alone. An issuer and audience that are registered get the new address of keys.',
    middleware: [bySession(deps), jsonBody(Issuer, deps.sizes)] as const,
    hide: true,
    responses: { 200: answer('The issuer.', Issuer), ...bodyOperation },
  });
  const deleted = createRoute({
    ...common,
    method: 'delete',
    operationId: 'deleteIssuer',
    summary: 'Forget an issuer of JWTs',
    description: 'Its JWTs are refused, and tokens that were exchanged for them end.',
    middleware: bySession(deps),
    request: { query: z.object(names) },
    responses: {
      200: answer('Done.', z.object(names).openapi('DeletedIssuer')),
      ...unknown,
      ...parameterOperation,
    },
  });

  const app = new OpenAPIHono<AppEnv>();
  documentBody(app, put, Issuer);
  return app
    .openapi(listed, async (c) => {
      const credential = c.get('credential');
      await deps.reads.charge(credential);
      return c.json(await listIssuers(store, credential.tenant), 200);
    })
    .openapi(put, async (c) => {
      const credential = c.get('credential');
      const issuer = c.get('body');
      const fault = audienceFault(issuer.audience, credential.tenant);
      if (fault !== null) throw new HoldfastError('refused', `audience ${fault}`);
      await chargeWrite(deps.engine, credential);
      await putIssuer(store, credential.tenant, issuer, actorName('user', c.get('user')));
      return c.json(issuer, 200);
    })
    .openapi(deleted, async (c) => {
      const credential = c.get('credential');
      await chargeWrite(deps.engine, credential);
      const { issuer, audience } = c.req.valid('query');
      await deleteIssuer(store, credential.tenant, issuer, audience, actorName('user', c.get('user')));
      return c.json({ issuer, audience }, 200);
    });
};
