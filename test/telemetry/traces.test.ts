/**
 * Traces, as a collector receives them.
 */
import { createServer, type Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startRedis } from '../../scripts/redisServer.ts';
import { BUILD } from '../../src/domain/build.ts';
import { startInstance } from '../support/service.ts';

const Attribute = z.object({
  key: z.string(),
  value: z.object({ stringValue: z.string().optional(), intValue: z.number().optional() }),
});
const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  attributes: z.array(Attribute),
  status: z.object({ code: z.number() }),
});
const Export = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(Attribute) }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});

const valuesOf = (attributes: z.infer<typeof Attribute>[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));

let collector: Server;
let endpoint: string;
const received: { path: string | undefined; body: string }[] = [];
beforeAll(async () => {
  collector = createServer(async (request, response) => {
    const body = await new Response(request).text();
    received.push({ path: request.url, body });
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const address = collector.address();
  endpoint = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
});
beforeEach(() => {
  received.length = 0;
});
afterAll(() => {
  collector.closeAllConnections();
  collector.close();
});

/** An instance whose spans are all sent when it stops. */
const startTraced = (url = endpoint) => startInstance({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: url } });

const spans = () =>
  received.flatMap(({ body }) =>
    Export.parse(JSON.parse(body)).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap((scope) => scope.spans),
    ),
  );

describe('a request', () => {
  test('is a span by its route, with a span below it for each script', async () => {
    const holdfast = await startTraced();
    await holdfast.reserve({ resource: 'printer', requester: 'me' });
    await holdfast.stop();
    const [request, script] = [...spans()].sort((a, b) => a.name.localeCompare(b.name));
    expect(spans()).toHaveLength(2);
    expect(request?.name).toBe('POST /api/v1/Reservation/reserve');
    expect(valuesOf(request?.attributes ?? [])).toEqual({
      'http.request.method': 'POST',
      'http.route': '/api/v1/Reservation/reserve',
      'http.response.status_code': 200,
      'holdfast.tenant.id': holdfast.tenant,
      'holdfast.request.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(script).toMatchObject({ name: 'script reserve', traceId: request?.traceId, parentSpanId: request?.spanId });
    expect(request?.parentSpanId).toBeUndefined();
    expect(received.map(({ path }) => path)).toEqual(['/v1/traces']);
    const { resource } = Export.parse(JSON.parse(received[0]?.body ?? '')).resourceSpans[0] ?? {};
    expect(valuesOf(resource?.attributes ?? [])).toMatchObject({
      'service.name': 'holdfast',
      'service.version': BUILD.version,
      'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test('has the span of its script below it, also if the script waited in line', async () => {
    const redis = await startRedis(() => {});
    const holdfast = await startInstance({ redisUrl: redis.url, env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } });
    await holdfast.reserve({ resource: 'first', requester: 'me' });
    // Two are in flight, and the others wait. With an Idempotency-Key, they are in no batch.
    await holdfast.redis.call('CLIENT', 'PAUSE', '300', 'WRITE');
    const requests = Array.from({ length: 10 }, (_, i) =>
      holdfast.request('POST', '/api/v1/Reservation/reserve', [{ resource: `r${i}`, requester: 'me' }], {
        'Idempotency-Key': `key-${i}`,
      }),
    );
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual(requests.map(() => 200));
    await holdfast.stop();
    await redis.stop();
    const parents = spans().filter(({ name }) => name.startsWith('POST'));
    expect(parents).toHaveLength(11);
    for (const { spanId } of parents)
      expect(spans().filter(({ parentSpanId }) => parentSpanId === spanId)).not.toEqual([]);
  });

  test('and its log lines lead to each other: the span has the request’s id, the lines have the trace’s', async () => {
    const redis = await startRedis(() => {});
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, LOG_REQUESTS: 'all' };
    const holdfast = await startInstance({ redisUrl: redis.url, env });
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const ask = (flags: string) =>
      holdfast.request('GET', '/api/v1/Resource/tree', undefined, {
        traceparent: `00-${traceId}-00f067aa0ba902b7-${flags}`,
        'X-Request-Id': `asked-${flags}`,
      });
    await holdfast.redis.config('SET', 'min-replicas-to-write', '1');
    expect((await ask('01')).status).toBe(503);
    await ask('00');
    await holdfast.stop();
    await redis.stop();
    const [span] = spans().filter(({ name }) => name.startsWith('GET'));
    expect(valuesOf(span?.attributes ?? [])).toMatchObject({ 'holdfast.request.id': 'asked-01' });
    const lines = holdfast.logged.map((line) => JSON.parse(line));
    const ofRequest = (requestId: string) =>
      lines.filter((line) => line.requestId === requestId).map((line) => [line.msg, line.traceId]);
    expect(ofRequest('asked-01')).toEqual([['request', traceId]]);
    // A trace that is not recorded leads nowhere.
    expect(ofRequest('asked-00')).toEqual([['request', undefined]]);
  });

  test('goes on with its caller’s trace, or stays out of one that is not recorded', async () => {
    const holdfast = await startTraced();
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const ask = (flags: string) =>
      holdfast.request('GET', '/healthz', undefined, { traceparent: `00-${traceId}-00f067aa0ba902b7-${flags}` });
    await ask('01');
    await ask('00');
    await holdfast.stop();
    expect(spans()).toMatchObject([{ name: 'GET /healthz', traceId, parentSpanId: '00f067aa0ba902b7' }]);
  });

  test('that is let in nowhere names no tenant, and one that fails is marked', async () => {
    const holdfast = await startTraced();
    await holdfast.request('GET', '/api/v1/Resource/tree', undefined, {
      'X-Api-Key': `hf_${holdfast.tenant}_${'a'.repeat(32)}`,
    });
    holdfast.leave();
    await holdfast.request('GET', '/readyz');
    await holdfast.stop();
    const all = spans().filter(({ name }) => name.startsWith('GET'));
    const seen = all.map(({ name, attributes, status }) => [
      name,
      status.code,
      valuesOf(attributes)['holdfast.tenant.id'],
    ]);
    expect(seen).toEqual([
      ['GET /api/v1/Resource/tree', 0, undefined],
      ['GET /readyz', 2, undefined],
    ]);
  });
});

describe('what is sent', () => {
  test('holds no key, no token, no name and no query', async () => {
    const holdfast = await startTraced();
    const item = { resource: 'secret resource', requester: 'secret requester', resourceType: 'secret type' };
    const { body } = await holdfast.reserve(item);
    await holdfast.active('?requester=secret%20requester');
    await holdfast.available('secret resource');
    await holdfast.request('GET', '/secret/path?secret=query');
    await holdfast.unreserve({ ...item, releaseToken: body[0]?.releaseToken ?? undefined });
    await holdfast.stop();
    expect(spans().length).toBeGreaterThan(8);
    const text = received.map((one) => one.body).join();
    expect(text).not.toMatch(/secret/i);
    for (const secret of [holdfast.key, holdfast.key.slice(-32), body[0]?.releaseToken])
      expect(text).not.toContain(secret);
  });
});

describe('a collector that is away', () => {
  test('hinders neither requests nor leaving', async () => {
    const holdfast = await startTraced('http://127.0.0.1:1');
    expect((await holdfast.available('r')).status).toBe(200);
    // The collector has 2 s. A busy machine delays this timer as it delays that.
    const late = pause(2000).then(() => performance.now());
    await holdfast.stop();
    expect(performance.now() - (await late)).toBeLessThan(2000);
  });
});
