/**
 * The work budget (docs/specification.md#work-budget) has room for a full batch of ordinary names, whatever else the
 * tenant has.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TRANSACTION_METHODS } from '../../src/domain/reservations.ts';
import { NOW, register } from '../../src/engine/definitions/changes.ts';
import { type RunningEngine, startEngine } from '../support/engine.ts';
import { changeHot } from '../support/hotRecord.ts';
import { check, reserve, reset, transaction } from '../support/verbs.ts';

const BATCH = 500;

let running: RunningEngine;
beforeAll(async () => {
  running = await startEngine();
  const { engine, credential } = running;
  const definitions = Array.from({ length: 400 }, (_, i) => ({
    name: `defined-${i}`,
    capacity: 1,
    blocks: [],
    treePath: null,
    labels: { nth: String(i % 10) },
  }));
  await register(engine, credential, definitions, NOW);
  // As if a stream of events were open for the next hour.
  await changeHot(engine.redis, credential.tenant, { listenUntil: Date.now() + 3_600_000 });
});
afterAll(() => running.stop());

let batches = 0;
const batch = () => {
  const nth = batches++;
  return Array.from({ length: BATCH }, (_, i) => ({
    resource: `build-${nth}/machine-${i}`,
    requester: 'worker-1@build.example',
    ttlSeconds: 60,
  }));
};

/** Few reservations are the expensive case: Redis walks a short hash as a list. */
async function holdSome(): Promise<void> {
  const { engine, credential } = running;
  await reset(engine, credential);
  await reserve(engine, credential, batch());
}

test.each(TRANSACTION_METHODS)('a transaction with method %s', async (method) => {
  await holdSome();
  const items = batch().map((item) => ({ requestType: 'RESERVE' as const, ...item }));
  await expect(transaction(running.engine, running.credential, method, items)).resolves.toBeDefined();
});

test('reserve, and check of the same', async () => {
  await holdSome();
  const items = batch();
  const results = await reserve(running.engine, running.credential, items);
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['ACQUIRED']));
  await expect(check(running.engine, running.credential, items)).resolves.toHaveLength(BATCH);
});
