/**
 * POST /api/v1/Resource/register: registers resources, all or none (docs/specification.md#resources, #registration).
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { batch, blocks, capacity, item, registeredName, treePath } from '../../fields.ts';
import { documentBody, jsonBody } from '../../middleware/jsonBody.ts';
import { notByToken } from '../../middleware/notByToken.ts';
import { answer, bodyOperation } from '../../responses.ts';
import { done } from '../../tally.ts';

export const Definition = z
  .object({
    name: z.string(),
    capacity: z.int(),
    blocks: z.array(z.string()),
    treePath: z.string().nullable().openapi({ description: 'What is above it; null for a root.' }),
  })
  .openapi('Definition');

export const registerRoute = ({ definitions, sizes, unknownFields }: HttpDeps) => {
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
  const Registration = item(fields, unknownFields)
    .refine(({ name, blocks }) => !blocks.includes(name), {
      path: ['blocks'],
      message: 'must not name the resource itself',
    })
    .refine(({ name, treePath }) => !treePath.includes(name), {
      path: ['treePath'],
      message: 'must not name the resource itself',
    })
    .openapi('Registration');

  const Body = batch(Registration, sizes);
  const route = createRoute({
    method: 'post',
    path: '/api/v1/Resource/register',
    operationId: 'register',
    tags: ['Resource'],
    summary: 'Register resources',
    description:
      'Registers all items or, where one is refused, none. A name that is registered already gets its new definition; reservations in force keep what they hold. Ancestors that are not registered are, with capacity 1.',
    middleware: [notByToken, jsonBody(Body, sizes)] as const,
    hide: true,
    responses: {
      200: answer('The definitions as stored, ancestors that were registered along included.', z.array(Definition)),
      ...bodyOperation,
    },
  });

  const app = new OpenAPIHono<AppEnv>();
  documentBody(app, route, Body);
  return app.openapi(route, async (c) => {
    const items = c.get('body');
    const stored = await definitions.register(c.get('credential'), items);
    c.set('outcome', done(items.length));
    return c.json(stored, 200);
  });
};
