/**
 * The tool `set_condition`, and `condition` in `release` (docs/specification.md#tools).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, startAgent } from '../support/mcp.ts';
import { type Instance, startInstance } from '../support/service.ts';

let service: Instance;
let ann: Agent;
beforeAll(async () => {
  service = await startInstance();
  ann = await startAgent(service, { name: 'Claude Code' });
});
afterAll(async () => {
  await ann.close();
  await service.stop();
});
beforeEach(async () => {
  await service.reset();
  await service.register({ name: 'phone' }, { name: 'pool', capacity: 3 });
  await service.setCondition({ resource: 'phone', condition: 'ready' }, { resource: 'pool', condition: 'ready' });
});

describe('set_condition', () => {
  it('takes a resource out of service, and brings it back', async () => {
    const out = { resource: 'phone', condition: 'out', reason: 'display dark' };
    const { text, data } = await ann.call('set_condition', out);
    expect(data).toMatchObject({ status: 'CHANGED', condition: 'out' });
    expect(text).toBe('CHANGED: "phone" is out of service. Nobody gets it until it is ready again.');
    expect((await ann.call('set_condition', out)).text).toBe('UNCHANGED: "phone" is out of service already.');
    expect((await ann.call('check', { resources: ['phone'] })).text).toContain('"phone": out of service: display dark');
    await ann.call('set_condition', { resource: 'phone', condition: 'ready' });
    expect((await ann.call('reserve', { resource: 'phone', waitSeconds: 0 })).data.status).toBe('ACQUIRED');
  });

  it('is an error for a plain name', async () => {
    const { isError, text } = await ann.call('set_condition', { resource: 'plain', condition: 'dirty' });
    expect(isError).toBe(true);
    expect(text).toMatch(/^NOT_VALID: .* see list_resources\.$/);
  });
});

describe('release', () => {
  it('says that a resource is broken', async () => {
    const { releaseToken } = (await ann.call('reserve', { resource: 'pool' })).data;
    const broken = { resource: 'pool', releaseToken, condition: 'out', reason: 'no network' };
    const { text, data } = await ann.call('release', broken);
    expect(data).toMatchObject({ status: 'RELINQUISHED', condition: 'out' });
    expect(text).toContain('It is out of service now.');
    expect((await ann.call('list_resources', {})).text).toContain('"pool": 2 of 3 free, 1 out of service');
  });

  it('refuses a reason without a condition, and releases nothing', async () => {
    const { releaseToken } = (await ann.call('reserve', { resource: 'phone' })).data;
    const { isError, text } = await ann.call('release', { resource: 'phone', releaseToken, reason: 'x' });
    expect([isError, text]).toEqual([true, 'reason needs condition. Nothing was done.']);
    expect((await service.active()).body).toHaveLength(1);
  });
});
