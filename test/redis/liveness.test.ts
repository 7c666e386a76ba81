/**
 * An instance is to be restarted only if that would help: Redis is there for new clients, and not for its own.
 */
import { afterEach, describe, expect, test } from 'vitest';
import { Liveness } from '../../src/redis/health.ts';
import { until } from '../support/until.ts';

const WITHIN_MS = 100;

let liveness: Liveness;
afterEach(() => liveness.close());

/** Watches an instance of which this is so; counts how often it was asked for its own clients. */
function watch(state: { isUsable: boolean; canConnect: boolean }) {
  const asked = { times: 0 };
  const isUsable = async () => {
    asked.times++;
    return state.isUsable;
  };
  liveness = new Liveness(isUsable, async () => state.canConnect, WITHIN_MS);
  return asked;
}

describe('liveness', () => {
  test('fails if a new client gets through and the own ones do not, for long enough, and comes back', async () => {
    const state = { isUsable: false, canConnect: true };
    const from = performance.now();
    watch(state);
    await until('it fails', () => liveness.fault);
    expect(performance.now() - from).toBeGreaterThanOrEqual(WITHIN_MS);
    expect(liveness.fault).toBe('this instance has lost Redis, which new clients can reach');
    state.isUsable = true;
    await until('it is alive', () => liveness.fault === null);
  });

  test('holds while nobody gets through', async () => {
    const asked = watch({ isUsable: false, canConnect: false });
    await until('it was asked long enough', () => asked.times > 6);
    expect(liveness.fault).toBeNull();
  });

  test('holds while the own clients are served', async () => {
    const asked = watch({ isUsable: true, canConnect: true });
    await until('it was asked long enough', () => asked.times > 6);
    expect(liveness.fault).toBeNull();
  });
});
