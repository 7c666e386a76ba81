/**
 * GET /api/v1/events: the tenant's changes as server-sent events (docs/specification.md#events).
 */

import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import { Event } from '../../../contract/events.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { quotaHeaders } from '../../middleware/rateLimitHeaders.ts';
import { operation } from '../../operation.ts';
import { anyOperation } from '../../responses.ts';

// Of the wider type that lets the handler answer by itself.
const responses: RouteConfig['responses'] = {
  200: {
    description: 'The stream. Each event is named by its type, and its data is one Event.',
    content: { 'text/event-stream': { schema: Event } },
  },
  ...anyOperation,
};

export const eventsOperation = operation({
  method: 'get',
  path: '/api/v1/events',
  operationId: 'events',
  tags: ['Events'],
  summary: 'Watch every change',
  description:
    'A stream of server-sent events: listen by event name. Events come in the order in which the state changed. There is no replay: a stream that may have missed something ends; connect again, then read the active reservations.',
  responses,
});

export const eventsRoute = ({ reads, streams }: HttpDeps) =>
  new OpenAPIHono<AppEnv>().openapi(eventsOperation, async (c) => {
    // A HEAD is served by the handler of GET; it is no reader.
    await reads.charge(c.get('credential'));
    if (c.req.method === 'HEAD') {
      return c.body(null, 200, { 'Content-Type': 'text/event-stream' });
    }
    const headers = { 'X-Request-Id': c.get('requestId'), ...quotaHeaders(c.get('credential').quota) };
    await streams.open(c.env.outgoing, c.get('credential'), headers);
    return RESPONSE_ALREADY_SENT;
  });
