/**
 * DELETE /api/v1/Tenant: deletes the tenant (docs/specification.md#deleting-a-tenant). With a session of an owner.
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { DeletedTenant, DeleteTenantQuery } from '../../../contract/members.ts';
import { deleteTenant } from '../../../operations/tenant.ts';
import type { Store } from '../../../store/records.ts';
import type { AppEnv } from '../../env.ts';
import { bySession, type SessionDeps } from '../../middleware/bySession.ts';
import { operation } from '../../operation.ts';
import { answer, parameterOperation } from '../../responses.ts';

export const deleteTenantOperation = operation({
  method: 'delete',
  path: '/api/v1/Tenant',
  operationId: 'deleteTenant',
  right: 'tenant',
  tags: ['Tenant'],
  summary: 'Delete the tenant',
  description:
    'Its reservations, waits, keys, tokens, sessions and event streams have ended on every instance once this call returns. Nothing can be undone. The audit trail stays.',
  request: { query: DeleteTenantQuery },
  responses: { 200: answer('The tenant is gone.', DeletedTenant), ...parameterOperation },
});

export const deleteTenantRoute = (deps: SessionDeps, store: Store) =>
  new OpenAPIHono<AppEnv>().openapi(
    { ...deleteTenantOperation, middleware: bySession(deps, deleteTenantOperation.right) },
    async (c) => {
      const actor = c.get('actor');
      await deleteTenant({ ...deps, store }, actor, c.req.valid('query').confirm);
      return c.json({ deleted: actor.credential.tenant }, 200);
    },
  );
