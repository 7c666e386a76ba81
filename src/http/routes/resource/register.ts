/**
 * POST /api/v1/Resource/register: registers resources, all or none (docs/specification.md#resources, #registration).
 */
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { Definition, RegisterBody } from '../../../contract/definitions.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { register } from '../../../operations/register.ts';
import { NOTE_HEADER, noteOf } from '../../ancestorsNote.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { refuseTokens } from '../../middleware/refuseTokens.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation } from '../../responses.ts';

export const registerOperation = operation({
  method: 'post',
  path: '/api/v1/Resource/register',
  operationId: 'registerResources',
  right: 'define',
  tags: ['Resource'],
  summary: 'Register resources',
  description:
    'Registers all items, or none if one is refused. A registered name gets the new definition; existing reservations keep their slots. Missing ancestors are registered with capacity 1, so that only one requester at a time can hold anything below them, or as groups if the item says `groups`. Labels, and whether it is a group, stay as they are unless the item has them.',
  body: RegisterBody,
  responses: {
    200: {
      ...answer('The definitions as stored, including ancestors that were registered along.', z.array(Definition)),
      headers: z.object({
        [NOTE_HEADER]: z.string().optional().meta({
          description: 'The ancestors that were registered along, and how. Names are percent-encoded.',
          example: '"phones" was registered with capacity 1',
        }),
      }),
    },
    ...bodyOperation,
  },
});

export const registerRoute = (deps: BodyDeps & Pick<OperationDeps, 'definitions' | 'activity'>) => {
  const app = new OpenAPIHono<AppEnv>();
  return app.openapi(withBody(registerOperation, deps, refuseTokens), async (c) => {
    const body = c.get('body');
    const { result, quota } = await register(deps, c.get('credential'), body);
    c.set('quota', quota);
    const note = noteOf(body, result);
    if (note !== null) c.header(NOTE_HEADER, note);
    return c.json(result, 200);
  });
};
