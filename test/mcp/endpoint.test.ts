/**
 * The transport of /mcp (docs/specification.md#mcp): who may call, what is refused, and what it costs.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKey } from '../../src/identity/credentials.ts';
import { HELLO, post, rpc, startAgent } from '../support/mcp.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';

const keys = [makeConfiguredKey(makeTenant()), makeConfiguredKey(makeTenant())];
const [, stranger] = keys;
let service: Instance;
beforeAll(async () => {
  service = await startInstance({ keys, env: { METRICS_PORT: '1' } });
});
afterAll(async () => void (await service.stop()));

const call = (name: string, args: object = {}) => rpc('tools/call', { name, arguments: args });

describe('a caller of /mcp', () => {
  it.each([
    ['as X-Api-Key', (key: string) => ({ 'X-Api-Key': key })],
    ['as a bearer', (key: string) => ({ 'X-Api-Key': '', Authorization: `Bearer ${key}` })],
  ])('sends its key %s', async (_, headersOf) => {
    const { status, body } = await post(service, rpc('tools/list'), headersOf(service.key));
    expect([status, body]).toMatchObject([200, { result: { tools: expect.any(Array) } }]);
  });

  it.each([
    ['no key', () => ({ 'X-Api-Key': '' }), 401, 'UNAUTHENTICATED'],
    ['an unknown key', () => ({ 'X-Api-Key': makeKey(service.tenant) }), 401, 'UNAUTHENTICATED'],
    ['two keys', () => ({ Authorization: `Bearer ${makeKey(service.tenant)}` }), 401, 'UNAUTHENTICATED'],
    ['the page of another site', () => ({ Origin: 'https://evil.example' }), 403, 'FORBIDDEN'],
    ['a page without an origin', () => ({ Origin: 'null' }), 403, 'FORBIDDEN'],
    ['the session of nobody', () => ({ 'Mcp-Session-Id': 'a b' }), 400, 'REFUSED'],
  ])('is refused with %s, by an error of JSON-RPC', async (_, headersOf, status, code) => {
    const answer = await post(service, rpc('tools/list'), headersOf());
    expect(answer).toMatchObject({ status, body: { jsonrpc: '2.0', id: null, error: { data: { code } } } });
    expect(answer.text).not.toContain('hf_');
  });

  it('may be a page of the same machine', async () => {
    expect((await post(service, rpc('ping'), { Origin: 'http://localhost:6274' })).status).toBe(200);
  });

  it('sees nothing of another tenant, whatever names it uses', async () => {
    await service.reserve({ resource: 'secret', requester: 'ann' });
    const foreign = await startAgent({ url: service.url, key: stranger?.key ?? '' });
    expect((await foreign.call('check', { resources: ['secret'] })).text).toBe('"secret": free');
    expect((await foreign.call('list_reservations')).data).toMatchObject({ reservations: [] });
    const { data } = await foreign.call('reserve', { resource: 'secret', requester: 'ann' });
    expect(data).toMatchObject({ status: 'ACQUIRED' });
    expect((await service.active('?resource=secret')).body).toHaveLength(1);
  });
});

describe('a message that is none', () => {
  it.each([
    ['is not JSON', '{"jsonrpc":', 400, -32_700],
    ['is empty', '', 400, -32_700],
    ['is a batch', [rpc('ping'), rpc('ping')], 400, -32_700],
    ['has no method', { jsonrpc: '2.0', id: 1 }, 400, undefined],
    ['is larger than 1 MiB', JSON.stringify(rpc('ping', { x: 'a'.repeat(1_100_000) })), 413, -32_000],
    ['holds too many values', JSON.stringify(rpc('ping', { x: Array(50_000).fill(0) })), 400, -32_700],
  ])('is refused if it %s', async (_, body, status, code) => {
    const answer = await post(service, body);
    expect(answer.status).toBe(status);
    expect(answer.body.error?.code).toEqual(code ?? expect.any(Number));
    expect(answer.text).not.toMatch(/\bat .*\.(ts|js|mjs):\d/);
  });

  it('is refused if it is of another media type, or asks for an unknown method', async () => {
    expect((await post(service, rpc('ping'), { 'Content-Type': 'text/plain' })).status).toBe(415);
    expect((await post(service, rpc('resources/list'))).body.error?.code).toBe(-32_601);
    expect((await post(service, rpc('ping'), { Accept: 'text/html' })).status).toBe(406);
    expect((await post(service, rpc('ping'), { 'MCP-Protocol-Version': '1999-01-01' })).status).toBe(400);
  });

  it.each([
    ['none', {}],
    ['a client without a version', { ...HELLO, clientInfo: { name: 'x' } }],
    ['a number for the version of the protocol', { ...HELLO, protocolVersion: 1 }],
  ])('is refused if it is an initialize whose parameters are %s', async (_, params) => {
    const { status, body, headers } = await post(service, { jsonrpc: '2.0', id: 7, method: 'initialize', params });
    const message = 'params must have protocolVersion, capabilities, and clientInfo with name and version.';
    expect([status, body]).toEqual([400, { jsonrpc: '2.0', id: 7, error: { code: -32_602, message } }]);
    expect(headers.get('Mcp-Session-Id')).toBeNull();
  });

  it('is no GET and no DELETE: there are no streams and no state', async () => {
    for (const method of ['GET', 'DELETE']) {
      const response = await fetch(`${service.url}/mcp`, { method, headers: { 'X-Api-Key': service.key } });
      expect([response.status, response.headers.get('Allow')]).toEqual([405, 'POST']);
      expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { data: { code: 'METHOD_NOT_ALLOWED' } } });
    }
  });

  it('may be a notification, which gets no body', async () => {
    const { status, text } = await post(service, { jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([status, text]).toEqual([202, '']);
  });
});

describe('a message', () => {
  it('costs what its tool costs, or one read, and says so in the headers', async () => {
    const remaining = async (message: unknown) => (await post(service, message)).headers.get('RateLimit');
    expect(await remaining(rpc('initialize', HELLO))).toContain('"ReadsPerMinute"');
    expect(await remaining(call('check', { resources: ['a'] }))).toContain('"ReadsPerMinute"');
    expect(await remaining(call('reserve', { resource: 'a', requester: 'me' }))).toContain('"OperationsPerMinute"');
    expect(await remaining(call('reserve', {}))).toBeNull();
  });

  it('is counted as what it does, by the metrics of the API', async () => {
    const count = async () =>
      /holdfast_operations_total\{verb="reserve",outcome="ACQUIRED"\} (\d+)/.exec(await service.scrape())?.[1];
    const before = Number((await count()) ?? 0);
    await post(service, call('reserve', { resource: 'counted', requester: 'me' }));
    expect(Number(await count())).toBe(before + 1);
    expect(await service.scrape()).toContain('route="/mcp"');
  });

  it('has an id, and is not cached', async () => {
    const { headers } = await post(service, rpc('ping'), { 'X-Request-Id': 'mine' });
    expect([headers.get('X-Request-Id'), headers.get('Cache-Control')]).toEqual(['mine', 'no-store']);
  });
});

describe('limits', () => {
  it('refuse a call in the result of its tool, and say when to call again', async () => {
    const free = { ...makeConfiguredKey(makeTenant()), tier: 'Free' as const };
    const limited = await startInstance({ keys: [free] });
    const agent = await startAgent(limited);
    const rest = Array.from({ length: 300 }, (_, i) => ({ resource: `r${i}`, requester: 'me' }));
    expect((await limited.reserve(...rest)).status).toBe(200);
    const { text, isError } = await agent.call('reserve', { resource: 'one more' });
    expect(isError).toBe(true);
    expect(text).toMatch(
      /^The limit of tier Free is reached: 300 OperationsPerMinute\. Nothing was done\. Call again in \d+ s\./,
    );
    await agent.close();
    await limited.stop();
  });
});
