/**
 * A large backlog of due reservations (docs/specification.md#expiry).
 */
import { describe, expect, test } from 'vitest';
import { startRedis } from '../../../scripts/redisServer.ts';
import { sweep } from '../../../src/engine/expiry/sweep.ts';
import { setClock } from '../../support/clock.ts';
import { startEngine } from '../../support/engine.ts';
import { many } from '../../support/expiry.ts';
import { makeTenant } from '../../support/service.ts';
import { reserve } from '../../support/verbs.ts';

describe('a worker that comes back to 100,000 due at once', () => {
  test('ends them all in one run', async () => {
    // A Redis of its own, so that no other sweep takes a share.
    const server = await startRedis(() => {});
    const running = await startEngine(makeTenant(), server.url);
    const { engine, credential } = running;
    await setClock(engine.redis, credential.tenant, Date.now() - 60_000);
    for (let i = 0; i < 200; i++) {
      const items = many(500, 10).map((item) => ({ ...item, resource: `${i}-${item.resource}` }));
      await reserve(engine, credential, items);
    }
    await engine.redis.del(`{${credential.tenant}}:clock`);
    expect((await sweep(engine.redis)).ended).toBe(100_000);
    running.stop();
    await server.stop();
  });
});
