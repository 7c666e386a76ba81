/** `holdfast mcp`, as a client of the Model Context Protocol starts it. */
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../scripts/freePort.ts';
import { BIN, holdfast, startHoldfast } from '../../support/commandLine.ts';
import { type Agent, agentOf, HELLO, rpc } from '../../support/mcp.ts';
import { type Instance, startInstance } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Instance;
let env: Record<string, string>;
const agents: Agent[] = [];
beforeAll(async () => {
  service = await startInstance();
  env = { HOLDFAST_URL: service.url, HOLDFAST_KEY: service.key, PATH: process.env.PATH ?? '' };
  expect((await holdfast(['--version'])).code).toBe(0); // builds it
});
afterAll(async () => {
  await Promise.all(agents.map(({ close }) => close()));
  await service.stop();
});

async function start(mode: 'legacy' | 'auto' = 'legacy', args: string[] = []): Promise<Agent> {
  const client = new Client({ name: 'stdio agent', version: '1' }, { versionNegotiation: { mode } });
  const command = join(BIN, 'holdfast');
  await client.connect(new StdioClientTransport({ command, args: ['mcp', ...args], env }));
  const agent = agentOf(client);
  agents.push(agent);
  return agent;
}

describe('holdfast mcp', () => {
  it('serves the tools of the service; each start is a requester of its own', async () => {
    const [ann, bob] = await Promise.all([start(), start()]);
    expect((await ann.client.listTools()).tools).toHaveLength(13);
    const { data } = await ann.call('reserve', { resource: 'port' });
    expect(data).toMatchObject({ status: 'ACQUIRED', requester: expect.stringMatching(/^stdio-agent-\w{10}$/) });
    const waits = bob.call('reserve', { resource: 'port' });
    await until('bob to wait', async () => (await service.waiting('?resource=port')).body.length === 1);
    await ann.call('release', { resource: 'port', releaseToken: data.releaseToken });
    expect((await waits).data).toMatchObject({ status: 'ACQUIRED' });
  });

  it('knows the protocol without sessions too', async () => {
    const agent = await start('auto');
    expect(agent.client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    const { data } = await agent.call('reserve', { resource: 'modern' });
    expect(data).toMatchObject({ status: 'ACQUIRED', requester: expect.stringMatching(/^agent-\w{8}$/) });
    expect((await agent.call('reserve', { resource: 'modern' })).data).toMatchObject({ status: 'ALREADY_HAD' });
  });

  it('reserves for the requester that is named', async () => {
    const agent = await start('legacy', ['--requester', 'ci-7']);
    expect((await agent.call('reserve', { resource: 'named' })).data).toMatchObject({ requester: 'ci-7' });
  });

  it('gives up the call that its client cancels', async () => {
    await service.reserve({ resource: 'taken', requester: 'carl' });
    const agent = await start();
    const cancelled = new AbortController();
    const options = { signal: cancelled.signal };
    const call = agent.client.callTool({ name: 'reserve', arguments: { resource: 'taken', requester: 'x' } }, options);
    await until('it to wait', async () => (await service.waiting('?resource=taken')).body.length === 1);
    cancelled.abort('enough');
    await expect(call).rejects.toThrow();
    await service.reset();
  });

  it('answers what cannot be passed on, and ends with its client', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const bridge = await startHoldfast(['mcp'], { env: { ...env, HOLDFAST_URL: url }, stdin: null });
    bridge.write(`${JSON.stringify(rpc('initialize', HELLO))}\n[]\nnonsense\n`);
    await bridge.prints('ECONNREFUSED');
    await bridge.prints('-32700');
    bridge.kill('SIGTERM');
    const { stdout } = await bridge.ended;
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).id).sort()).toEqual([1, null, null]);
    expect(stdout).not.toContain('hf_');

    const wrong = await holdfast(['mcp'], {
      env: { ...env, HOLDFAST_KEY: 'hf_nobody_0' },
      stdin: `${JSON.stringify(rpc('ping'))}\n`,
    });
    expect(wrong.code).toBe(0);
    expect(JSON.parse(wrong.stdout)).toMatchObject({ id: 1, error: { data: { code: 'UNAUTHENTICATED' } } });
  });
});
