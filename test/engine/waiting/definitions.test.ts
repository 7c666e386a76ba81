/**
 * Requests that wait while definitions change (docs/specification.md#waiting-order): they are planned again, and
 * granted in the same step if they can be.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import type { ReserveResult } from '../../../src/contract/reservations.ts';
import { DEFAULT_SETTINGS } from '../../../src/domain/tenants.ts';
import { CLOSING_MS, deleteDefinition, NOW, PLAN, register } from '../../../src/engine/definitions/changes.ts';
import { takeCopyLease, versionsInRedis } from '../../../src/engine/definitions/copy.ts';
import { reserve as reserveWith } from '../../../src/engine/reservations/reserve.ts';
import { loadTenant } from '../../../src/engine/tenant/record.ts';
import { beat } from '../../../src/engine/waiting/beat.ts';
import { setClock } from '../../support/clock.ts';
import { reserve, unreserve } from '../../support/verbs.ts';
import { CALL, queue, running, useWaitingEngine } from '../../support/waitingEngine.ts';

const START = Date.UTC(2050, 0, 1);

useWaitingEngine(START);

const bay = (capacity: number) => ({ name: 'bay', capacity, blocks: [], treePath: null });
const leaf = { name: 'leaf', capacity: 1, blocks: [], treePath: 'root' };

async function waitFor(resource: string): Promise<unknown> {
  const item = { resource, requester: 'ann', ttlSeconds: 60, waitSeconds: 600, claimSeconds: 30 };
  return (await reserveWith(running.engine, running.credential, [item], CALL)).result[0]?.status;
}

let held: ReserveResult[] = [];
beforeEach(async () => {
  const { engine, credential } = running;
  await register(engine, credential, [bay(1), leaf], NOW);
  held = await reserve(engine, credential, [
    { resource: 'bay', requester: 'bob' },
    { resource: 'root', requester: 'bob' },
  ]);
});

describe('a request that waits', () => {
  test('is granted when its pool grows, and not when that is only planned', async () => {
    const { engine, credential } = running;
    expect(await waitFor('bay')).toBe('WAITING');
    await register(engine, credential, [bay(2)], PLAN);
    expect(await queue()).toEqual(['ann: bay']);
    await register(engine, credential, [bay(2)], NOW);
    expect(await queue()).toEqual([]);
  });

  test('is granted when what it waits for has no parent any more', async () => {
    const { engine, credential } = running;
    expect(await waitFor('leaf')).toBe('WAITING');
    await deleteDefinition(engine, credential, 'leaf', false, NOW);
    expect(await queue()).toEqual([]);
  });

  describe('for what may be about to be deleted is granted once that may be reserved again', () => {
    /** Lets the time pass for which a planned deletion keeps callers out: the instance that planned it has died. */
    async function passClosing(): Promise<void> {
      await setClock(running.engine.redis, running.credential.tenant, START + CLOSING_MS + 1);
      await beat(running.engine, running.credential.tenant, CALL.instance);
    }

    test('if it waited before', async () => {
      const { engine, credential } = running;
      expect(await waitFor('leaf')).toBe('WAITING');
      await deleteDefinition(engine, credential, 'leaf', false, PLAN);
      await unreserve(engine, credential, held.slice(1));
      expect(await queue()).toEqual(['ann: leaf']);
      await passClosing();
      expect(await queue()).toEqual([]);
    });

    test('if it began to wait only then', async () => {
      const { engine, credential } = running;
      await unreserve(engine, credential, held.slice(1));
      await deleteDefinition(engine, credential, 'leaf', false, PLAN);
      expect(await waitFor('leaf')).toBe('WAITING');
      await passClosing();
      expect(await queue()).toEqual([]);
    });
  });
});

test('a record is not loaded by who has lost the lease of the definitions that belong to it', async () => {
  const { redis } = running.engine;
  const { tenant, credentialKey } = running.credential;
  const keys = [{ digest: credentialKey, label: 'new', grant: null }];
  const settings = { ...DEFAULT_SETTINGS, suspended: false };
  const record = { id: tenant, version: 1, tier: 'Pro' as const, keys, notices: null, ...settings };
  const load = (lease: string) => loadTenant(redis, record, { definitionsVersion: 7, lease });
  const versionNow = async () => (await versionsInRedis(redis, tenant))?.definitionsVersion;
  const before = await versionNow();
  await takeCopyLease(redis, tenant, 'other');
  expect(await load('mine')).toBe(false);
  expect(await versionNow()).toBe(before);
  expect(await load('other')).toBe(true);
  expect(await versionNow()).toBe(7);
});
