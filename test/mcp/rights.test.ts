/**
 * Rights of callers of /mcp (docs/specification.md#tools): each sees the tools that its key allows, and is told what
 * another one needs.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCallers } from '../support/callers.ts';
import { type Agent, HELLO, post, rpc, startAgent } from '../support/mcp.ts';
import { type Instance, startInstance } from '../support/service.ts';
import { databaseEnv, makeStore, type OwnStore, storeTenant } from '../support/tenancy.ts';

const LOOKING = ['check', 'list_bookings', 'list_reservations', 'list_resources', 'who_is_waiting'];
const RESERVING = ['book', 'cancel', 'cancel_booking', 'release', 'renew', 'reserve', ...LOOKING];
let store: OwnStore;
let service: Instance;
let callers: Awaited<ReturnType<typeof makeCallers>>;
beforeAll(async () => {
  store = await makeStore();
  const own = await storeTenant(store);
  service = await startInstance({ keys: [own], env: databaseEnv(store.url) });
  callers = await makeCallers(store, own, service);
});
afterAll(async () => {
  await service.stop();
  await store.close();
});

const headersOf = (caller: string) => ({ ...callers.get(caller) });
const agentOf = (caller: string): Promise<Agent> => startAgent(service, { headers: headersOf(caller) });

describe('the tools that a key sees', () => {
  it.each([
    ['read', LOOKING],
    ['reserve', RESERVING],
    ['derived token', RESERVING],
    ['full', [...RESERVING, 'register', 'set_condition']],
    ['full with a prefix', [...RESERVING, 'register', 'set_condition']],
  ])('are those that it may use: %s', async (caller, expected) => {
    const { client } = await agentOf(caller);
    expect((await client.listTools()).tools.map(({ name }) => name).sort()).toEqual(expected.toSorted());
  });

  it.each([
    ['read', 'reserve', '"reserve" or "full"'],
    ['reserve', 'register', '"full"'],
    ['derived token', 'register', '"full"'],
  ])('without others: %s gets an error that says what %s needs', async (caller, tool, needed) => {
    const { text, isError } = await (await agentOf(caller)).call(tool, { resource: 'a', name: 'a' });
    expect(isError).toBe(true);
    expect(text).toContain(`${tool} needs an API key with the permission ${needed}`);
    expect((await service.active()).body).toEqual([]);
  });
});

describe('a key with a prefix', () => {
  it('is told which names it may change', async () => {
    const { text } = await (await agentOf('full with a prefix')).call('reserve', { resource: 'printer' });
    expect(text).toMatch(/^resource must start with "ci\/": this key may change no other names\. Do not repeat/);
  });
});

describe('a derived token', () => {
  it('acts for its subject, whatever requester is named', async () => {
    const agent = await agentOf('derived token');
    const { data } = await agent.call('reserve', { resource: 'hers' });
    expect(data).toMatchObject({ status: 'ACQUIRED', requester: 'q' });
    const { text } = await agent.call('reserve', { resource: 'hers', requester: 'other' });
    expect(text).toContain('acts only for "q"');
    await agent.call('release', { resource: 'hers', releaseToken: data.releaseToken });
  });
});

describe('people and management tokens', () => {
  it.each(['owner', 'keys'])('cannot call /mcp: %s', async (caller) => {
    const answer = await post(service, rpc('initialize', HELLO), { 'X-Api-Key': '', ...headersOf(caller) });
    expect(answer).toMatchObject({ status: 403, body: { error: { message: 'This takes an API key.' } } });
  });
});

describe('a key that is replaced between two calls', () => {
  it('is refused from then on; the new one goes on for the same session', async () => {
    const headers = headersOf('reserve');
    const session = (await post(service, rpc('initialize', HELLO), headers)).headers.get('Mcp-Session-Id') ?? '';
    const reserve = rpc('tools/call', { name: 'reserve', arguments: { resource: 'kept' } });
    const call = (by: Readonly<Record<string, string>>) => post(service, reserve, { ...by, 'Mcp-Session-Id': session });
    expect((await call(headers)).body.result).toMatchObject({ structuredContent: { status: 'ACQUIRED' } });
    const manager = { 'X-Api-Key': '', ...headersOf('keys') };
    const { body: listed } = await service.request<{ id: string; permission: string }[]>(
      'GET',
      KEYS,
      undefined,
      manager,
    );
    const id = listed.find(({ permission }) => permission === 'reserve')?.id;
    expect((await service.request('DELETE', `${KEYS}/${id}`, undefined, manager)).status).toBe(200);
    expect((await call(headers)).status).toBe(401);
    expect((await call(headersOf('full'))).body.result).toMatchObject({
      structuredContent: { status: 'ALREADY_HAD', requester: session },
    });
  });
});

const KEYS = '/api/v1/Tenant/keys';
