/**
 * POST /api/v1/Resource/register: registers resources, all or none (docs/specification.md#resources, #registration).
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { OperationDeps } from '../../../operations/deps.ts';
import { register } from '../../../operations/register.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { batch, blocks, capacity, item, registeredName, treePath } from '../../fields.ts';
import { documentBody, jsonBody } from '../../middleware/jsonBody.ts';
import { refuseTokens } from '../../middleware/refuseTokens.ts';
import { answer, bodyOperation } from '../../responses.ts';

export const Definition = z
  .object({
    name: z.string(),
    capacity: z.int(),
    blocks: z.array(z.string()),
    treePath: z.string().nullable().openapi({ description: 'What is above it; null for a root.' }),
  })
  .openapi('Definition');

export const registrationSchema = ({ sizes, unknownFields }: BodyDeps) => {
  // What is optional may be null too, so that what the definitions listing returns can be registered as it is.
  const fields = {
    name: registeredName(sizes),
    capacity: capacity(sizes)
      .nullish()
      .transform((slots) => slots ?? 1),
    blocks: blocks(sizes)
      .nullish()
      .transform((names) => names ?? []),
    treePath: treePath(sizes)
      .nullish()
      .transform((segments) => segments ?? []),
  };
  return item(fields, unknownFields)
    .refine(({ name, blocks }) => !blocks.includes(name), {
      path: ['blocks'],
      message: 'must not name the resource itself',
    })
    .refine(({ name, treePath }) => !treePath.includes(name), {
      path: ['treePath'],
      message: 'must not name the resource itself',
    })
    .openapi('Registration');
};

export const registerRoute = ({
  sizes,
  unknownFields,
  ...deps
}: BodyDeps & Pick<OperationDeps, 'definitions' | 'activity'>) => {
  const Body = batch(registrationSchema({ sizes, unknownFields }), sizes);
  const route = createRoute({
    method: 'post',
    path: '/api/v1/Resource/register',
    operationId: 'register',
    tags: ['Resource'],
    summary: 'Register resources',
    description:
      'Registers all items or, where one is refused, none. A name that is registered already gets its new definition; reservations in force keep what they hold. Ancestors that are not registered are, with capacity 1.',
    middleware: [refuseTokens, jsonBody(Body, sizes)] as const,
    hide: true,
    responses: {
      200: answer('The definitions as stored, ancestors that were registered along included.', z.array(Definition)),
      ...bodyOperation,
    },
  });

  const app = new OpenAPIHono<AppEnv>();
  documentBody(app, route, Body);
  return app.openapi(route, async (c) => {
    const { result, quota } = await register(deps, c.get('credential'), c.get('body'));
    c.set('quota', quota);
    return c.json(result, 200);
  });
};
