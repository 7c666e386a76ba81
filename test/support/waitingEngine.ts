/**
 * An engine for the tests of waiting: each test begins with a tenant of its own. `useWaitingEngine` starts and stops
 * it.
 */
import { afterEach, beforeEach } from 'vitest';
import { changeInRedis } from '../../src/definitions/change.ts';
import { waiting } from '../../src/engine/waiting/list.ts';
import { setClock } from './clock.ts';
import { type RunningEngine, startEngine } from './engine.ts';
import { all } from './listed.ts';
import { makeTenant } from './service.ts';

/** A call that may wait: its instance, and how long it is held. */
export const CALL = { instance: 'instance', pollMs: 30_000, isContinuation: false };

export let running: RunningEngine;

/**
 * To be called at the top of a test file.
 * @param startMs the time at which each test begins; Redis's own if there is none
 */
export function useWaitingEngine(startMs?: number): void {
  beforeEach(async () => {
    running = await startEngine(makeTenant());
    const { engine, credential } = running;
    await engine.loadTenant(credential.tenant);
    if (startMs !== undefined) await setClock(engine.redis, credential.tenant, startMs);
  });
  afterEach(() => running.stop());
}

/** Definitions for a waiting queue, and who waits in it, for tests of the engine. */

interface Item {
  name: string;
  capacity?: number;
  treePath?: string;
  blocks?: string[];
  bookable?: boolean;
}

export const register = (...items: Item[]) =>
  changeInRedis(running.engine).register(
    running.credential,
    items.map(({ name, capacity = 1, treePath, blocks = [], bookable = false }) => ({
      name,
      bookable,
      capacity,
      blocks,
      treePath: treePath ?? null,
    })),
  );

/** The requests that wait, in the order of the queue. */
export async function queue(): Promise<string[]> {
  const rows = await all(waiting(running.engine, running.credential));
  return rows.map(({ requester, resources }) => `${requester}: ${resources.join(' ')}`);
}
