/**
 * DELETE /api/v1/Resource/{name}: deletes a definition, and with `cascade` its subtree
 * (docs/specification.md#deletion).
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { Deleted, DeleteQuery, NameParams } from '../../../contract/definitions.ts';
import { withRules } from '../../../contract/sizes.ts';
import { deleteDefinition } from '../../../operations/deleteDefinition.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { refuseTokens } from '../../middleware/refuseTokens.ts';
import { operation } from '../../operation.ts';
import { answer, parameterOperation, unregistered } from '../../responses.ts';

export const deleteOperation = operation({
  method: 'delete',
  path: '/api/v1/Resource/{name}',
  operationId: 'deleteResource',
  right: 'define',
  tags: ['Resource'],
  summary: 'Delete a definition',
  description:
    'Refused with 400 if the resource has children and `cascade` is not true, or if any resource that would be deleted is held.',
  request: { params: NameParams, query: DeleteQuery },
  responses: { 200: answer('The names of the deleted definitions.', Deleted), ...parameterOperation, ...unregistered },
});

export const deleteRoute = (deps: BodyDeps & Pick<OperationDeps, 'definitions' | 'activity'>) => {
  const params = withRules(NameParams, deps);
  const route = { ...deleteOperation, middleware: refuseTokens, request: { ...deleteOperation.request, params } };
  return new OpenAPIHono<AppEnv>().openapi(route, async (c) => {
    const { name } = c.req.valid('param');
    const { cascade } = c.req.valid('query');
    const { result: deleted, quota } = await deleteDefinition(deps, c.get('credential'), name, cascade);
    c.set('quota', quota);
    return c.json({ deleted }, 200);
  });
};
