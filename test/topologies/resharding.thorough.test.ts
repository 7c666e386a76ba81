/**
 * A cluster moves the slot of a tenant under load, key by key: nothing is held by two, nothing is lost, no call fails
 * but by a 503.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HoldfastError } from '../../src/domain/errors.ts';
import { NOW, register } from '../../src/engine/definitions/changes.ts';
import { readReservation } from '../../src/engine/reservations/slotRecord.ts';
import { slotsKey } from '../../src/redis/keys.ts';
import { slotOf } from '../../src/redis/topology.ts';
import { type RunningEngine, startEngine } from '../support/engine.ts';
import { hotOf } from '../support/hotRecord.ts';
import { makeTenant } from '../support/service.ts';
import { moveSlot, startCluster, type Topology } from '../support/topologies.ts';
import { until } from '../support/until.ts';
import { reserve, unreserve } from '../support/verbs.ts';

const CALLERS = 8;
const MOVES = 4;
const RESOURCES = ['lock', 'device', 'leaf', 'other_3'];

/** A call that waits too long for those before it is refused as overloaded. */
const is503 = (error: unknown) =>
  error instanceof HoldfastError && (error.code === 'unavailable' || error.code === 'overloaded');

let topology: Topology;
let running: RunningEngine;
beforeAll(async () => {
  topology = await startCluster({ isPatient: true });
  running = await startEngine(makeTenant(), topology.url, {});
  const items = [
    { name: 'device', capacity: 1, blocks: ['ink'], treePath: null },
    { name: 'leaf', capacity: 1, blocks: [], treePath: 'root' },
    { name: 'pool', capacity: 3, blocks: [], treePath: null },
  ];
  await until('the cluster serves', () =>
    register(running.engine, running.credential, items, NOW).then(
      () => true,
      () => false,
    ),
  );
});
afterAll(async () => {
  running.stop();
  await topology.stop();
});

describe('while the slot of a tenant is moved', () => {
  test('two never hold the same, no call fails but by a 503, and its state is whole afterwards', async () => {
    const { engine, credential } = running;
    const { tenant } = credential;
    const holders = new Map<string, string>();
    const failures: unknown[] = [];
    let isOver = false;
    let acquired = 0;
    const orUnavailable = async <T>(call: Promise<T>): Promise<T | null> => {
      try {
        return await call;
      } catch (error) {
        if (!is503(error)) failures.push(error);
        return null;
      }
    };
    const caller = async (name: string) => {
      for (let i = 0; !isOver; i++) {
        const requester = `${name}-${i}`;
        const resource = RESOURCES[i % RESOURCES.length] ?? '';
        const taken = await orUnavailable(reserve(engine, credential, [{ resource, requester, ttlSeconds: 600 }]));
        // After a 503 the outcome is unknown: the same requester asks again until it is known.
        let result = taken?.[0];
        while (result === undefined) {
          await pause(50);
          result = (await orUnavailable(reserve(engine, credential, [{ resource, requester, ttlSeconds: 600 }])))?.[0];
        }
        if (result.status !== 'ACQUIRED' && result.status !== 'ALREADY_HAD') continue;
        acquired++;
        const other = holders.get(resource);
        if (other !== undefined) failures.push(`${resource} is held by ${other} and ${requester}`);
        holders.set(resource, requester);
        await pause(2);
        holders.delete(resource);
        while ((await orUnavailable(unreserve(engine, credential, [result]))) === null) await pause(50);
      }
    };
    const callers = Array.from({ length: CALLERS }, (_, i) => caller(`c${i}`));
    const slot = slotOf(`{${tenant}}`);
    for (let i = 0; i < MOVES; i++) {
      const before = acquired;
      await moveSlot(topology, slot, i % 2 === 0 ? 60 : 0);
      await until('calls go on', () => acquired > before + 20);
    }
    isOver = true;
    await Promise.all(callers);
    expect(failures).toEqual([]);

    const records = Object.entries(await engine.redis.hgetallBuffer(slotsKey(tenant))).map(([slot, packed]) =>
      readReservation(slot, packed),
    );
    const reservations = records.filter((record) => record !== null);
    expect((await hotOf(engine.redis, tenant)).count).toBe(reservations.length);
    expect(await engine.redis.zcard(`{${tenant}}:due`)).toBe(
      reservations.filter(({ expiresAt }) => expiresAt !== null).length,
    );
    expect(reservations).toEqual([]);
  });

  test('a part of its keys having arrived is not taken for all of them', async () => {
    const { engine, credential } = running;
    const slot = slotOf(`{${credential.tenant}}`);
    const [held] = await reserve(engine, credential, [{ resource: 'kept', requester: 'alice', ttlSeconds: 600 }]);
    expect(held?.status).toBe('ACQUIRED');
    const answers: string[] = [];
    let isOver = false;
    const prober = (async () => {
      while (!isOver) {
        const results = await reserve(engine, credential, [{ resource: 'kept', requester: 'bob' }]).catch(
          (error: unknown) => (is503(error) ? '503' : String(error)),
        );
        answers.push(typeof results === 'string' ? results : (results[0]?.status ?? ''));
      }
    })();
    await moveSlot(topology, slot, 200);
    await until('it is answered again', () => answers.at(-1) === 'ALREADY_HELD');
    isOver = true;
    await prober;
    expect(answers.filter((answer) => !['ALREADY_HELD', '503'].includes(answer))).toEqual([]);
  });
});
