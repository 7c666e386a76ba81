/**
 * The number of open streams of a tenant is limited, and a stream stops counting (docs/specification.md#events).
 */
import { spawn } from 'node:child_process';
import { describe, expect, inject, test } from 'vitest';
import { DEFAULT_TIERS, TIERS } from '../../src/domain/tiers.ts';
import { openStream } from '../../src/engine/tenant/streamLeases.ts';
import { configuredTenants } from '../../src/identity/configured.ts';
import { STEERED_CLOCK, setClock } from '../support/clock.ts';
import { startEngine } from '../support/engine.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { leases, looking, useStreams, watch } from '../support/streams.ts';
import { until } from '../support/until.ts';

useStreams();

describe('the number of streams', () => {
  test('is limited by the tier, across instances: 429 with upgradeRequired, and no stream', async () => {
    const keys = [{ ...makeConfiguredKey(makeTenant()), tier: 'Starter' as const }];
    const [one, two] = await Promise.all([startInstance({ keys }), startInstance({ keys })]);
    const attempts = await Promise.all(Array.from({ length: 12 }, (_, i) => watch(i % 2 ? one : two)));
    const open = attempts.filter(({ head }) => head.startsWith('HTTP/1.1 200'));
    expect(open).toHaveLength(5);
    expect(await one.request('GET', '/api/v1/events')).toMatchObject({
      status: 429,
      body: {
        error: 'The limit of tier Starter is reached: 5 EventConnections.',
        tier: 'Starter',
        limit: 5,
        retryAfter: 5,
        upgradeRequired: true,
        limitType: 'EventConnections',
      },
    });
    const { headers } = await two.request('GET', '/api/v1/events');
    expect(headers.get('retry-after')).toBe('5');
    open[0]?.close();
    await until('the place is given back', async () => (await leases(one.tenant)) === 4);
    expect((await watch(two)).head).toMatch(/200/);
    await Promise.all([one.stop(), two.stop()]);
  });

  test('is limited in each tier, so that no tenant takes all connections of an instance', async () => {
    for (const tier of TIERS) {
      const { eventConnections } = DEFAULT_TIERS[tier];
      const one = await startInstance({ keys: [{ ...makeConfiguredKey(makeTenant()), tier }] });
      const open = Array.from({ length: eventConnections ?? 2000 }, (_, i) => [Date.now() + 45_000, `open-${i}`]);
      await looking.zadd(`{${one.tenant}}:streams`, ...open.flat());
      expect((await watch(one)).head, tier).toMatch(/429/);
      await looking.zrem(`{${one.tenant}}:streams`, 'open-0');
      expect((await watch(one)).head, tier).toMatch(/200/);
      await one.stop();
    }
  });

  test('an instance that dies gives its own back within 45 s', async () => {
    const { engine, credential, stop } = await startEngine();
    const { tenant } = credential;
    const start = Date.now();
    await setClock(looking, tenant, start);
    const key = { ...makeConfiguredKey(tenant), tier: 'Free' as const };
    const one = await startInstance({ keys: [key], includes: { 'frame/now': STEERED_CLOCK } });
    // A dead instance has left a lease that nobody renews.
    const dead = {
      ...credential,
      credentialKey: [...(configuredTenants([key]).get(tenant)?.keys ?? [])][0]?.digest ?? '',
    };
    await openStream(engine, dead, 'dead');
    expect((await watch(one)).head).toMatch(/429/);
    await setClock(looking, tenant, start + 45_000);
    expect((await watch(one)).head).toMatch(/200/);
    await one.stop();
    stop();
  });
});

describe('an instance that is killed', () => {
  test('leaves streams that are cut off, and leases that lapse within 45 s', async () => {
    const key = makeConfiguredKey(makeTenant());
    const child = spawn(process.execPath, [inject('programs').service], {
      env: { ...process.env, REDIS_URL: inject('redisUrl'), PORT: '0', ROLE: 'api', API_KEYS: JSON.stringify([key]) },
    });
    let output = '';
    child.stdout.on('data', (text) => {
      output += text;
    });
    const [, url = ''] = await until('the instance', () => /"url":"([^"]+)"/.exec(output));
    const stream = await watch({ url, key: key.key });
    child.kill('SIGKILL');
    await until('the stream is cut off', () => stream.ended === 'cut off');
    const left = await looking.zrange(`{${key.tenant}}:streams`, '0', '-1', 'WITHSCORES');
    expect(left).toHaveLength(2);
    expect(Number(left[1])).toBeLessThanOrEqual(Date.now() + 45_000);
  });
});
