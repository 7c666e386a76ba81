/**
 * /api/v1/Tenant/issuers: the issuers whose JWTs the tenant's users may exchange for tokens. With a session.
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { issuerTextFault, MAX_ISSUER_BYTES } from '../../../identity/issuerNames.ts';
import { jwksAddressFault } from '../../../identity/jwks.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { deleteIssuer, listIssuers, putIssuer } from '../../../operations/issuers.ts';
import type { Store } from '../../../store/records.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { item } from '../../fields.ts';
import { bySession, personOf } from '../../middleware/bySession.ts';
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

const names = { issuer: text('What the JWT has as `iss`.'), audience: text('What the JWT has in `aud`.') };
export const IssuerName = z.object(names);

/** @param allowPrivate whether keys may be fetched from private addresses, and without TLS */
export const issuerSchema = ({ unknownFields }: Pick<BodyDeps, 'unknownFields'>, allowPrivate: boolean) => {
  const jwksUrl = text('Where the issuer’s keys are.').superRefine((url, context) => {
    const fault = jwksAddressFault(url, allowPrivate);
    if (fault !== null) context.addIssue({ code: 'custom', message: fault });
  });
  return item({ ...names, jwksUrl }, unknownFields);
};

export const issuersRoutes = (
  deps: BodyDeps & Pick<OperationDeps, 'engine' | 'activity' | 'reads'>,
  store: Store,
  allowPrivate: boolean,
) => {
  const Issuer = issuerSchema(deps, allowPrivate).openapi('Issuer');
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
    request: { query: IssuerName },
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
      const { result, quota } = await listIssuers({ ...deps, store }, personOf(c));
      c.set('quota', quota);
      return c.json(result, 200);
    })
    .openapi(put, async (c) => {
      const { result, quota } = await putIssuer({ ...deps, store }, personOf(c), c.get('body'));
      c.set('quota', quota);
      return c.json(result, 200);
    })
    .openapi(deleted, async (c) => {
      const { issuer, audience } = c.req.valid('query');
      const { quota } = await deleteIssuer({ ...deps, store }, personOf(c), { issuer, audience });
      c.set('quota', quota);
      return c.json({ issuer, audience }, 200);
    });
};
