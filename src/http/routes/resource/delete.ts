/**
 * DELETE /api/v1/Resource/{name}: deletes a definition, and with `cascade` its subtree (docs/specification.md#operations,
 * #registration).
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { Deleted, DeleteQuery, NameParams } from '../../../contract/definitions.ts';
import { withRules } from '../../../contract/sizes.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { notByToken } from '../../middleware/notByToken.ts';
import { operation } from '../../operation.ts';
import { answer, parameterOperation, unregistered } from '../../responses.ts';
import { done } from '../../tally.ts';

export const deleteOperation = operation({
  method: 'delete',
  path: '/api/v1/Resource/{name}',
  operationId: 'delete',
  tags: ['Resource'],
  summary: 'Delete a definition',
  description:
    'Refused with 400 if the resource has children and `cascade` is not true, or if any resource that would be deleted is held.',
  request: { params: NameParams, query: DeleteQuery },
  responses: { 200: answer('The names of the deleted definitions.', Deleted), ...parameterOperation, ...unregistered },
});

export const deleteRoute = ({ definitions, sizes, unknownFields }: HttpDeps) => {
  const params = withRules(NameParams, { sizes, unknownFields });
  const route = { ...deleteOperation, middleware: notByToken, request: { ...deleteOperation.request, params } };
  return new OpenAPIHono<AppEnv>().openapi(route, async (c) => {
    const { name } = c.req.valid('param');
    const deleted = await definitions.delete(c.get('credential'), name, c.req.valid('query').cascade);
    c.set('outcome', done(1));
    return c.json({ deleted }, 200);
  });
};
