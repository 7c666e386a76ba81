/**
 * Agents that share a session, and calls that reserve several names (docs/specification.md#tools).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, startAgent } from '../support/mcp.ts';
import { type Instance, startInstance } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: Instance;
let ann: Agent;
let bob: Agent;
beforeAll(async () => {
  service = await startInstance();
  [ann, bob] = await Promise.all([startAgent(service), startAgent(service)]);
});
afterAll(async () => {
  await Promise.all([ann.close(), bob.close()]);
  await service.stop();
});
beforeEach(async () => void (await service.reset()));

const held = async () => (await service.active()).body.map(({ resource }) => resource).sort();
const statuses = ({ data }: Awaited<ReturnType<Agent['call']>>) =>
  Array.isArray(data.results) ? data.results.map((one: { status: string }) => one.status) : undefined;

describe('two agents of one session', () => {
  it('are told to name requesters of their own, and exclude each other once they do', async () => {
    expect(ann.client.getInstructions()).toMatch(/If you are a subagent, .*each sends a requester of its own/);
    const { data } = await ann.call('reserve', { resource: 'db' });
    const sibling = await ann.call('reserve', { resource: 'db' });
    expect(sibling.text).toMatch(/^ALREADY_HAD: you \("\S+"\) hold "db" until/);
    const [, own] = /do not use it, and call reserve again with a requester of your own, such as "([^"]+)"/.exec(
      sibling.text,
    ) ?? [undefined, ''];
    expect(own).toBe(`${data.requester}-2`);
    const again = await ann.call('reserve', { resource: 'db', requester: own, waitSeconds: 0 });
    expect(again.data).toMatchObject({ status: 'ALREADY_HELD', heldBy: { requester: data.requester } });
  });
});

describe('reserve of several names', () => {
  it('takes all of them, each with a token of its own', async () => {
    const call = await ann.call('reserve', { resources: ['port', 'db'], ttlSeconds: 60, note: 'tests' });
    expect(call).toMatchObject({
      isError: false,
      data: {
        status: 'ACQUIRED',
        ttlSeconds: 60,
        results: [
          { resource: 'port', status: 'ACQUIRED' },
          { resource: 'db', status: 'ACQUIRED' },
        ],
      },
    });
    expect(call.text).toMatch(/^You have all 2\. .*\n- ACQUIRED: .*"port" until.*\n- ACQUIRED: .*"db" until/);
    expect((await service.active()).body.map(({ note }) => note)).toEqual(['tests', 'tests']);
    const [first] = Array.isArray(call.data.results) ? call.data.results : [];
    const { data } = await ann.call('release', { resource: 'port', releaseToken: first.releaseToken });
    expect(data.status).toBe('RELINQUISHED');
    expect(await held()).toEqual(['db']);
  });

  it('takes none of them if one is held, and says who holds it', async () => {
    await service.reserve({ resource: 'db', requester: 'carl', ttlSeconds: 300, note: 'demo' });
    const call = await ann.call('reserve', { resources: ['port', 'db'], waitSeconds: 0 });
    expect(call).toMatchObject({ isError: false, data: { status: 'ALREADY_HELD' } });
    expect(statuses(call)).toEqual(['NOT_AVAILABLE', 'ALREADY_HELD']);
    expect(call.text).toMatch(/"db" is held by "carl" until .*You have none of "port", "db" by this call\./);
    expect(await held()).toEqual(['db']);
  });

  it('waits until it can have all, and holds none of them meanwhile', async () => {
    const { data } = await bob.call('reserve', { resource: 'db' });
    const waits = ann.call('reserve', { resources: ['port', 'db'] });
    await until('ann to wait', async () => (await service.waiting()).body.length === 1);
    expect(await held()).toEqual(['db']);
    await bob.call('release', { resource: 'db', releaseToken: data.releaseToken });
    const call = await waits;
    expect([call.data.status, statuses(call)]).toEqual(['ACQUIRED', ['ACQUIRED', 'ACQUIRED']]);
    expect(await held()).toEqual(['db', 'port']);
  });

  it('keeps what it had: ALREADY_HAD if that is all', async () => {
    await ann.call('reserve', { resource: 'port' });
    const more = await ann.call('reserve', { resources: ['port', 'db'] });
    expect([more.data.status, statuses(more)]).toEqual(['ACQUIRED', ['ALREADY_HAD', 'ACQUIRED']]);
    expect((await ann.call('reserve', { resources: ['db', 'port'] })).data.status).toBe('ALREADY_HAD');
  });

  it('takes a quantity of what fits a match, also beside names', async () => {
    await service.register(...['p1', 'p2', 'p3'].map((name) => ({ name, labels: { os: 'x' } })));
    const call = await ann.call('reserve', { resources: ['db'], match: { os: 'x' }, quantity: 2 });
    expect(call).toMatchObject({ isError: false, data: { status: 'ACQUIRED' } });
    expect(await held()).toEqual(['db', 'p1', 'p2']);
    const more = await bob.call('reserve', { match: { os: 'x' }, quantity: 2, waitSeconds: 0 });
    expect(statuses(more)).toEqual(['NOT_AVAILABLE', 'NOT_AVAILABLE']);
    await service.reset();
    for (const name of ['p1', 'p2', 'p3']) await service.delete(name);
  });

  it.each([
    [{ resources: [] }, 'resources must be an array of 1 to 20 names. Nothing was done.'],
    [{ resources: Array.from({ length: 21 }, (_, i) => `r${i}`) }, 'resources must be an array of 1 to 20 names.'],
    [{ resources: ['a', ''] }, 'resources[1] must be 1 to 256 characters long. Nothing was done.'],
    [{ resources: ['a'], resource: 'b' }, 'resource must not stand beside resources. Nothing was done.'],
    [{ resource: 'a', match: { os: 'x' }, quantity: 2 }, 'resource must not stand beside quantity.'],
    [{ resource: 'a', quantity: 2 }, 'quantity needs match.'],
    [{ match: { os: 'x' }, quantity: 21 }, 'quantity must be an integer from 1 to 20.'],
    [{ resources: ['a'], count: 2 }, 'count must not stand beside resources.'],
    [{ resource: 'a', ttl: 60 }, 'did you mean ttlSeconds? Nothing was done.'],
  ])('refuses %j', async (args, expected) => {
    const { isError, text } = await ann.call('reserve', args);
    expect([isError, text]).toEqual([true, expect.stringContaining(expected)]);
    expect(await held()).toEqual([]);
  });
});

describe('the texts of tools', () => {
  it('count one row in the singular', async () => {
    await service.register({ name: 'room' });
    await ann.call('reserve', { resource: 'room' });
    await service.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
      { resource: 'room', requester: 'carl', ttlSeconds: 9, waitSeconds: 90 },
    ]);
    expect((await ann.call('list_reservations')).text).toMatch(/^1 reservation:\n/);
    expect((await ann.call('list_resources')).text).toMatch(/^1 resource:\n/);
    expect((await ann.call('who_is_waiting')).text).toMatch(/^1 waiting:\n/);
  });

  it('name who holds what takes a resource along, and no system requester', async () => {
    await service.register({ name: 'rig', blocks: ['arm'] }, { name: 'jig', blocks: ['arm'] });
    await service.reserve({ resource: 'rig', requester: 'carl', ttlSeconds: 300, note: 'test' });
    expect((await bob.call('check', { resources: ['rig'] })).text).toMatch(/^"rig": held by "carl" until/);
    const carl = /"arm" is held by "carl" until \S+ \(5 min from now\), note "test", taken along with "rig"/;
    const arm = (await bob.call('check', { resources: ['arm'] })).text;
    expect(arm).toMatch(/^"arm": nothing is free: /);
    expect(arm).toMatch(carl);
    const { text } = await bob.call('reserve', { resource: 'jig', waitSeconds: 0 });
    expect(text).toMatch(/it also needs "arm": "arm" is held by "carl"/);
    expect(text).toMatch(carl);
  });

  it('name who fills the resource above, and the slots of each', async () => {
    await service.register({ name: 'env', capacity: 2 }, { name: 'api', treePath: 'env' });
    await service.reserve({ resource: 'env', requester: 'carl', ttlSeconds: 300, count: 2 });
    const above = /"env" above it is full: "env_0" is held by "carl" until .*; "env_1" is held by "carl" until /;
    expect((await bob.call('check', { resources: ['api'] })).text).toMatch(above);
    expect((await bob.call('reserve', { resource: 'api', waitSeconds: 0 })).text).toMatch(above);
  });
});
