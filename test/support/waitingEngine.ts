/**
 * An engine for the tests of waiting: each test begins with a tenant of its own. `useWaitingEngine` starts and stops
 * it.
 */
import { afterEach, beforeEach } from 'vitest';
import { setClock } from './clock.ts';
import { type RunningEngine, startEngine } from './engine.ts';
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
