/**
 * GET /api/v1/events: the tenant's changes as server-sent events (docs/specification.md#the-stream).
 */
import { Event } from '../../contract/events.ts';
import type { Quota } from '../../domain/quota.ts';
import { chargeRead, watch } from '../../operations/charging.ts';
import type { OperationDeps } from '../../operations/deps.ts';
import { operation } from '../call/operation.ts';
import { asIs, headersOf, SENT } from '../call/reply.ts';
import { type Route, route } from '../call/route.ts';
import type { HttpDeps } from '../deps.ts';
import { anyOperation } from '../openapi/responses.ts';

const responses = {
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

export const eventsRoute = (deps: Pick<OperationDeps, 'activity' | 'reads'> & Pick<HttpDeps, 'streams'>): Route =>
  route(
    eventsOperation,
    async (call) => {
      const { credential } = call;
      // This handler serves HEAD too, which opens no stream.
      if (call.method === 'HEAD') {
        call.quota = await chargeRead(deps, credential, 'read');
        return { status: 200, body: null, headers: { 'Content-Type': 'text/event-stream' } };
      }
      await watch(deps, credential, (quota: readonly Quota[]) => {
        call.quota = quota;
        return deps.streams.open(call.c.env.outgoing, credential, headersOf(call));
      });
      return SENT;
    },
    asIs,
  );
