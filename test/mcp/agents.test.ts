/**
 * Agents that share resources on two instances (docs/specification.md#mcp): any instance serves any request of any
 * agent, and none remembers one.
 */
import { describe, expect, it } from 'vitest';
import { one, two as other, useTwo } from '../support/instance.ts';
import { HELLO, post, rpc, startAgent } from '../support/mcp.ts';
import { startInstance } from '../support/service.ts';
import { until } from '../support/until.ts';

const keys = useTwo();

const waiters = async (resource: string) => (await one.waiting(`?resource=${resource}`)).body;

describe('two agents that want one resource, at two instances', () => {
  it('have it one after the other, and the second one as soon as the first releases it', async () => {
    const [ann, bob] = [await startAgent(one), await startAgent(other)];
    const { data } = await ann.call('reserve', { resource: 'db' });
    const waits = bob.call('reserve', { resource: 'db' });
    await until('bob to wait', async () => (await waiters('db')).length === 1);
    await ann.call('release', { resource: 'db', releaseToken: data.releaseToken });
    const { data: his, text } = await waits;
    expect(his).toMatchObject({ status: 'ACQUIRED', waitedMs: expect.any(Number) });
    expect(his.fencingToken).toBeGreaterThan(Number(data.fencingToken));
    expect(text).toContain('(10 min from now)');
  });

  it('never have it at the same time, however often they try', async () => {
    const agents = await Promise.all([one, other, one, other].map((at) => startAgent(at)));
    let inside = 0;
    let most = 0;
    let rounds = 0;
    const work = async ({ call }: (typeof agents)[number]) => {
      for (let i = 0; i < 5; i++) {
        const { data } = await call('reserve', { resource: 'critical' });
        expect(data.status).toBe('ACQUIRED');
        most = Math.max(most, ++inside);
        rounds++;
        await new Promise((resolve) => setImmediate(resolve));
        inside--;
        await call('release', { resource: 'critical', releaseToken: data.releaseToken });
      }
    };
    await Promise.all(agents.map(work));
    expect([most, rounds]).toEqual([1, 20]);
  });
});

describe('an agent', () => {
  it('is one requester at every instance, by the session that any of them gave it', async () => {
    const hello = await post(one, rpc('initialize', HELLO));
    const session = hello.headers.get('Mcp-Session-Id') ?? '';
    expect(session).toMatch(/^raw-\w{10}$/);
    const reserve = rpc('tools/call', { name: 'reserve', arguments: { resource: 'roaming' } });
    const results = [];
    for (const at of [one, other]) results.push((await post(at, reserve, { 'Mcp-Session-Id': session })).body.result);
    expect(results).toMatchObject([
      { structuredContent: { status: 'ACQUIRED', requester: session } },
      { structuredContent: { status: 'ALREADY_HAD', requester: session } },
    ]);
  });

  it('without a session gets an error that asks for a requester, and proposes one that nobody has', async () => {
    const agent = await startAgent(one, { name: 'new agent', isModern: true });
    expect(agent.client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    const asked = await agent.call('reserve', { resource: 'modern' });
    expect(asked.isError).toBe(true);
    const name = /"requester": "(new-agent-\w{10})"/.exec(asked.text)?.[1];
    expect(name).toBeDefined();
    const { data } = await agent.call('reserve', { resource: 'modern', requester: name });
    expect(data).toMatchObject({ status: 'ACQUIRED', requester: name });
    const released = { resource: 'modern', requester: name, releaseToken: data.releaseToken };
    expect(await agent.call('release', released)).toMatchObject({ data: { status: 'RELINQUISHED' } });
  });

  it('that goes away while it waits has a minute to come back', async () => {
    const { body: held } = await one.reserve({ resource: 'gone', requester: 'carl' });
    const agent = await startAgent(other);
    const lost = agent.call('reserve', { resource: 'gone', requester: 'lost' }).catch(() => 'aborted');
    await until('it to wait', async () => (await waiters('gone')).length === 1);
    await agent.close();
    await lost;
    // The instance has seen the connection close before it answers this.
    await other.check({ resource: 'gone' });
    const { releaseToken = null } = held[0] ?? {};
    await one.unreserve({ resource: 'gone', requester: 'carl', releaseToken });
    // Nothing is claimed for a caller that is gone.
    const granted = await until('the grant', async () =>
      (await one.active('?resource=gone')).body.find(({ requester }) => requester === 'lost'),
    );
    const { claimBy, reservedAt } = granted;
    expect(Date.parse(claimBy ?? '') - Date.parse(reservedAt)).toBeGreaterThan(59_000);
    const { data } = await (await startAgent(one)).call('reserve', { resource: 'gone', requester: 'lost' });
    expect(data.status).toBe('ACQUIRED');
  });
});

describe('WAITING', () => {
  it('says how many are ahead, who holds it and what to do; the next call keeps the place', async () => {
    const leaving = await startInstance({ keys });
    const agent = await startAgent(leaving);
    const busy = { resource: 'busy', requester: 'carl', ttlSeconds: 60, note: 'deploy' };
    const { releaseToken = null } = (await one.reserve(busy)).body[0] ?? {};
    const wait = (requester: string) =>
      one.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
        { resource: 'busy', requester, ttlSeconds: 60, waitSeconds: 60 },
      ]);
    await wait('dora');
    const waits = agent.call('reserve', { resource: 'busy', requester: 'me' });
    await until('it to wait', async () => (await waiters('busy')).length === 2);
    leaving.leave(); // answers at once what it would answer after 20 s
    const { data, text, isError } = await waits;
    expect(isError).toBe(false);
    expect(data).toMatchObject({ status: 'WAITING', waiting: { waitsFor: 'busy' } });
    expect(text).toMatch(
      /^WAITING, (you are next|\d before you): call again\. You do not have it yet: "busy" is held by "carl" until .*"deploy".* The wait ends at \d{4}-/,
    );
    await wait('eve');
    const again = (await startAgent(other)).call('reserve', { resource: 'busy', requester: 'me' });
    await one.cancel({ resource: 'busy', requester: 'dora' });
    await one.unreserve({ resource: 'busy', requester: 'carl', releaseToken });
    expect((await again).data).toMatchObject({ status: 'ACQUIRED', requester: 'me' });
    expect((await waiters('busy')).map(({ requester }) => requester)).toEqual(['eve']);
    await one.reset();
    await leaving.stop();
  });
});

/** Sends a message. An instance that has too much to do says so with a 503: it is sent again, as agents do. */
const answered = (...message: Parameters<typeof post>) =>
  until('an answer', async () => {
    const answer = await post(...message);
    return answer.status === 503 ? undefined : answer;
  });

describe('two hundred sessions', () => {
  it('each begin at one instance, and reserve a thing of their own at the other', async () => {
    const left = Array.from({ length: 200 }, (_, i) => i);
    const requesters = new Set<unknown>();
    const work = async () => {
      for (let i = left.pop(); i !== undefined; i = left.pop()) {
        const [at, next] = i % 2 ? [one, other] : [other, one];
        const session = (await answered(at, rpc('initialize', HELLO))).headers.get('Mcp-Session-Id') ?? '';
        const reserve = rpc('tools/call', { name: 'reserve', arguments: { resource: `own-${i}` } });
        const { body } = await answered(next, reserve, { 'Mcp-Session-Id': session });
        const status = expect.stringMatching(/^(ACQUIRED|ALREADY_HAD)$/);
        expect(body.result).toMatchObject({ structuredContent: { status, requester: session } });
        requesters.add(session);
      }
    };
    await Promise.all(Array.from({ length: 32 }, work));
    expect(requesters.size).toBe(200);
  });
});
