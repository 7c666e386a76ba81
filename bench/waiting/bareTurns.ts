/**
 * The ceiling of changes of owner: a bare server that keeps one queue for each name in memory, and answers the next
 * caller at each release. Its responses have the sizes of the service's.
 */
import { createServer, type ServerResponse } from 'node:http';
import { z } from 'zod';

const Body = z.tuple([z.looseObject({ resource: z.string(), requester: z.string() })]);

/** Name → the callers that wait for it, while somebody has it. */
const queues = new Map<string, { readonly requester: string; readonly response: ServerResponse }[]>();

function answer(response: ServerResponse, result: object): void {
  const text = JSON.stringify([result]);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text);
}

const acquired = (resource: string, requester: string) => ({
  ...{ resource, requester, status: 'ACQUIRED', explanation: 'ACQUIRED' },
  releaseToken: 'AaIcZ6qKdpGqJrnmis3JiQ',
  expiresAt: '2026-01-31T12:01:00.000Z',
  ...{ acquiredSlots: null, acquiredBlockers: null, reservedAtPath: null },
  fencingToken: 1795214655103282,
});

createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  let body = '';
  request.setEncoding('latin1').on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    const [{ resource, requester }] = Body.parse(JSON.parse(body));
    const queue = queues.get(resource);
    if (request.url?.includes('/unreserve') === true) {
      answer(response, { resource, requester, status: 'RELINQUISHED', explanation: 'RELINQUISHED', released: [] });
      const next = queue?.shift();
      if (next === undefined) queues.delete(resource);
      else answer(next.response, acquired(resource, next.requester));
    } else if (queue !== undefined) {
      queue.push({ requester, response });
    } else {
      queues.set(resource, []);
      answer(response, acquired(resource, requester));
    }
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
