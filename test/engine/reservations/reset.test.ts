/**
 * A reset: it leaves nothing behind, and counts what it ended.
 */
import { describe, expect, test } from 'vitest';
import { NOW, register } from '../../../src/engine/definitions/changes.ts';
import { Replication } from '../../../src/redis/replication.ts';
import { observeScripts } from '../../../src/redis/scripts.ts';
import { setClock } from '../../support/clock.ts';
import { startEngine } from '../../support/engine.ts';
import { countOf, dueIndexed, looking, many, startOnOwn, useExpiry } from '../../support/expiry.ts';
import { reserve, reset } from '../../support/verbs.ts';

useExpiry();

describe('a reset', () => {
  test('leaves nothing behind', async () => {
    const running = await startOnOwn();
    const { engine, credential } = running;
    const { tenant } = credential;
    await register(engine, credential, [{ name: 'pool', capacity: 600, blocks: ['tool'], treePath: 'root' }], NOW);
    for (const round of [1, 2, 3]) {
      const items = many(300, 600).map(({ requester }, i) => ({
        resource: 'pool',
        requester: `${requester}${i}`,
        ttlSeconds: 600,
      }));
      await register(engine, credential, [{ name: 'root', capacity: 600, blocks: [], treePath: null }], NOW);
      await reserve(engine, credential, items.slice(0, 150));
      await reserve(engine, credential, [...items.slice(150), { resource: 'x_1', requester: 'r' }]);
      expect(await reset(engine, credential)).toBe(301);
      expect(await countOf(tenant)).toBe(0);
      expect(await looking.hget(`{${tenant}}:tenant`, 'resets')).toBe(String(round));
      expect(await looking.exists(...['slots', 'due', 'pools'].map((what) => `{${tenant}}:${what}`))).toBe(0);
    }
    await reserve(engine, credential, [{ resource: 'new', requester: 'r', ttlSeconds: 600 }]);
    const keys = (await looking.keys(`{${tenant}}:*`)).map((key) => key.slice(tenant.length + 3)).sort();
    expect(keys.filter((key) => !key.startsWith('answer:'))).toEqual([
      'definitions',
      'due',
      'nameIndex',
      // Until a worker, or a reader of the history, has written it down.
      'resetSlots',
      'slots',
      'tenant',
    ]);
    expect(Number(await dueIndexed(tenant))).toBeGreaterThan(Date.now());
    running.stop();
  });

  test('counts what it ended, what was due already left out', async () => {
    const running = await startOnOwn();
    const { engine, credential } = running;
    const start = Date.now();
    await setClock(engine.redis, credential.tenant, start);
    await reserve(engine, credential, [...many(5, 10), { resource: 'a', requester: 'r', ttlSeconds: 60 }]);
    await setClock(engine.redis, credential.tenant, start + 10_000);
    expect(await reset(engine, credential)).toBe(1);
    running.stop();
  });
});

/**
 * Replicas are asked about a script's writes on the connection that sent it (src/redis/replication.ts).
 */

test.each([1, 200])(
  'a reply with %i results is confirmed in the iteration of the event loop in which it came',
  async (count) => {
    const { engine, credential, stop } = await startEngine();
    /** Iterations of the event loop since the last reply. */
    let turns = 0;
    const turnsBefore: number[] = [];
    observeScripts(engine.redis, () => () => {
      turns = 0;
      setImmediate(() => turns++);
    });
    class Observed extends Replication {
      override confirm(key: string): Promise<void> {
        turnsBefore.push(turns);
        return super.confirm(key);
      }
    }
    const items = Array.from({ length: count }, (_, i) => ({ resource: `r${i}`, requester: 'ann' }));
    await reserve({ ...engine, replication: new Observed(engine.redis, 0) }, credential, items);
    expect(turnsBefore).toEqual([0]);
    stop();
  },
);
