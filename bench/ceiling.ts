/**
 * The ceiling of requests: the same server and framework, with responses of the same sizes from memory.
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

const app = new Hono()
  .post('/api/v1/Reservation/:verb', async (c) => {
    await c.req.json();
    return c.json([RESULT]);
  })
  .get('/api/v1/Resource/available/:resource', (c) => c.json(c.req.param('resource') !== ''));
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' });
