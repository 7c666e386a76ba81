/**
 * The ceilings of requests: servers that answer from memory, with responses of the sizes of the service. CEILING names
 * one. `hono`: the service's framework and server, which starts requests that arrive together together, as the service
 * does: without that, each would wait for its body alone, and cost half as much again. `node`: node:http without a
 * framework, the least that HTTP in Node costs.
 */
import { createServer, IncomingMessage, type RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';

const RESULT = {
  resource: 'resource-000001',
  requester: 'worker-1',
  status: 'ACQUIRED',
  explanation: 'ACQUIRED',
  releaseToken: '05b2bb2c-34c7-4729-9651-f53e4666132e',
  expiresAt: '2026-01-31T12:01:00.000Z',
  acquiredSlots: null,
  acquiredBlockers: null,
  reservedAtPath: null,
  fencingToken: 1795214655103282,
};

/** A request with its body, which node-server reads from `rawBody`. */
class Incoming extends IncomingMessage {
  rawBody: Buffer | undefined;
}
type Listener = RequestListener<typeof Incoming>;

const app = new Hono()
  .post('/api/v1/Reservation/:verb', async (c) => {
    await c.req.json();
    return c.json([RESULT]);
  })
  .get('/api/v1/Resource/available/:resource', (c) => c.json(c.req.param('resource') !== ''));

const bare: Listener = ({ rawBody }, response) => {
  if (rawBody !== undefined) JSON.parse(rawBody.toString());
  const text = JSON.stringify(rawBody === undefined ? true : [RESULT]);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text);
};

const listener: Listener = process.env.CEILING === 'node' ? bare : getRequestListener(app.fetch);
let arrived: Parameters<Listener>[] = [];

/**
 * Starts the requests of an iteration of the event loop. By now Node has parsed the bodies that came with the heads.
 */
function start(): void {
  const together = arrived;
  arrived = [];
  for (const [request, response] of together) {
    const body: unknown = request.read();
    if (body instanceof Buffer) request.rawBody = body;
    listener(request, response);
  }
}

createServer({ IncomingMessage: Incoming, keepAliveTimeout: 65_000 }, (request, response) => {
  if (arrived.push([request, response]) === 1) setImmediate(start);
}).listen(Number(process.env.PORT), '127.0.0.1');
