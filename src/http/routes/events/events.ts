/**
 * GET /api/v1/events: the tenant's changes as server-sent events (docs/specification.md#the-stream).
 */

import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import { Event } from '../../../contract/events.ts';
import type { Quota } from '../../../domain/quota.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { chargeRead } from '../../../operations/read.ts';
import { watch } from '../../../operations/watch.ts';
import type { HttpDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
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
  operationId: 'streamEvents',
  right: 'read',
  tags: ['Events'],
  summary: 'Watch every change',
  description:
    'A stream of server-sent events, which does not end. It begins with the comment `: open`, and sends the comment `: keepalive` every 15 seconds. An event is the lines `event: <type>` and `data: <the object below>`, and an empty line. A stream sends each event once, in the order in which the state changed. There is no replay: a stream that may have missed something ends; connect again, then read the active reservations. The list may already include the first events of the new stream.',
  responses,
});

export const eventsRoute = (deps: Pick<OperationDeps, 'activity' | 'reads'> & Pick<HttpDeps, 'streams'>) =>
  new OpenAPIHono<AppEnv>().openapi(eventsOperation, async (c) => {
    const credential = c.get('credential');
    // This handler serves HEAD too, which opens no stream.
    if (c.req.method === 'HEAD') {
      c.set('quota', await chargeRead(deps, credential, 'read'));
      return c.body(null, 200, { 'Content-Type': 'text/event-stream' });
    }
    await watch(deps, credential, (quota: readonly Quota[]) =>
      deps.streams.open(c.env.outgoing, credential, { 'X-Request-Id': c.get('requestId'), ...quotaHeaders(quota) }),
    );
    return RESPONSE_ALREADY_SENT;
  });
