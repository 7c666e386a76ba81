/**
 * The ceiling: the same server and framework, answering a POST of the same size from memory.
 */
import { serve } from '@hono/node-server';
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

const app = new Hono().post('/api/v1/Reservation/:verb', async (c) => {
  await c.req.json();
  return c.json([RESULT]);
});
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
