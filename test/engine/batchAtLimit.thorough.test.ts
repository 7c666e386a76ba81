/**
 * Requests of a batch (src/engine/batch.ts) while their tenant is at a limit: each is charged and refused as
 * if it had a call to itself, and together they cost Redis few calls.
 */
import { describe, expect, inject, test } from 'vitest';
import { startRedis } from '../../scripts/redisServer.ts';
import type { ReserveItem } from '../../src/contract/reservations.ts';
import type { TierLimits } from '../../src/domain/tiers.ts';
import { NOW, register } from '../../src/engine/definitions/changes.ts';
import { reserve as chargedReserve } from '../../src/engine/reservations/reserve.ts';
import { beginSession } from '../../src/engine/sessions.ts';
import { type RunningEngine, startEngine } from '../support/engine.ts';
import { changeHot, setTerms, UNUSED } from '../support/hotRecord.ts';
import { makeTenant } from '../support/service.ts';
import { renew, unreserve, usage } from '../support/verbs.ts';

/** Each request has a credential of its own, as those of HTTP do. */
const asked = async (items: readonly ReserveItem[], { engine, credential }: RunningEngine) => {
  const { result, quota } = await chargedReserve(engine, { ...credential }, items);
  return { results: result, quota };
};
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
const item = (resource: string, requester = 'r') => ({ resource, requester });

describe('requests of a batch at a limit', () => {
  /** Starts a tenant that has used up what a request of it needs, and counts the scripts that Redis runs meanwhile. */
  async function scriptsOf<T>(limits: Partial<TierLimits>, used: number, work: (own: RunningEngine) => Promise<T>) {
    const server = await startRedis(() => {});
    const own = await startEngine(makeTenant(), server.url, {}, limits);
    await asked(
      names('used', used).map((name) => item(name)),
      own,
    );
    const calls = async () => {
      const stats = await own.engine.redis.info('commandstats');
      return [...stats.matchAll(/^cmdstat_(?:eval|evalsha|fcall):calls=(\d+)/gm)].reduce(
        (sum, [, count]) => sum + Number(count),
        0,
      );
    };
    const before = await calls();
    const outcome = await work(own);
    const made = (await calls()) - before;
    own.stop();
    await server.stop();
    return { outcome, made };
  }

  test.each([
    ['at its cap of reservations', { reservations: 20 }, 'ConcurrentReservations', 20],
    ['at its quota of writes', { writesPerMinute: 20 }, 'OperationsPerMinute', 20],
    ['with room for 19 of them', { writesPerMinute: 20 }, 'OperationsPerMinute', 1],
  ])('64 requests at once of a tenant %s cost Redis few calls', async (_, limits, limitType, used) => {
    const { outcome, made } = await scriptsOf(limits, used, (own) =>
      Promise.allSettled(names('p', 64).map((name) => asked([item(name)], own))),
    );
    expect(made).toBeLessThanOrEqual(6);
    expect(outcome.filter(({ status }) => status === 'fulfilled')).toHaveLength(20 - used);
    for (const one of outcome)
      if (one.status === 'rejected')
        expect(one.reason).toMatchObject({ code: 'limited', hit: { limitType, limit: 20 } });
  });

  test('a request that is too large for what is left keeps out no smaller one after it', async () => {
    const own = await startEngine(makeTenant(), inject('redisUrl'), {}, { writesPerMinute: 10, reservations: 10 });
    const sizes = [1, 1, 5, 8, 2, 4, 1];
    const outcomes = await Promise.allSettled(
      sizes.map((size, i) =>
        asked(
          names(`s${i}`, size).map((name) => item(name)),
          own,
        ),
      ),
    );
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, true, true, false, true, false, true]);
    expect((await usage(own.engine, own.credential)).writesToday).toBe(10);
    own.stop();
  });

  test('what the cap refuses costs nothing, leaves nothing behind, and keeps out nobody else', async () => {
    const own = await startEngine(makeTenant(), inject('redisUrl'), {}, { writesPerMinute: 1000, reservations: 8 });
    const { engine, credential } = own;
    const pool = { name: 'pool', capacity: 20, blocks: ['blocker'], treePath: null };
    await register(engine, credential, [pool], NOW);
    const before = await usage(engine, credential);
    const sizes = [1, 1, 3, 4, 2, 2, 1];
    const outcomes = await Promise.allSettled(
      sizes.map((size, i) =>
        asked(
          Array.from({ length: size }, (_, j) => item(i < 4 ? 'pool' : `c${i}-${j}`, `q${i}-${j}`)),
          own,
        ),
      ),
    );
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, true, true, false, true, false, true]);
    const after = await usage(engine, credential);
    expect(after.writesToday - before.writesToday).toBe(8);
    expect(after.reservations).toBe(8);
    const [last] = (await asked([item('pool', 'q0-0')], own)).results;
    expect(last).toMatchObject({ status: 'ALREADY_HAD', acquiredSlots: { pool: 'pool_0' } });
    own.stop();
  });

  test('of releases and renewals, too: each as far as the quota goes', async () => {
    const own = await startEngine(makeTenant(), inject('redisUrl'), {}, { writesPerMinute: 60 });
    const { engine, credential } = own;
    const { results } = await asked(
      names('v', 30).map((name) => item(name)),
      own,
    );
    const renewals = await Promise.allSettled(
      results.map((one) => renew(engine, { ...credential }, [{ ...one, ttlSeconds: 60 }])),
    );
    expect(renewals.filter(({ status }) => status === 'fulfilled')).toHaveLength(30);
    await changeHot(engine.redis, credential.tenant, UNUSED);
    await asked(
      names('w', 40).map((name) => item(name)),
      own,
    );
    const releases = await Promise.allSettled(results.map((one) => unreserve(engine, { ...credential }, [one])));
    expect(releases.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    expect((await usage(engine, credential)).reservations).toBe(50);
    own.stop();
  });

  test('a renewal that the settings forbid spoils no other, and names its own item', async () => {
    const own = await startEngine();
    const { engine, credential } = own;
    const { results } = await asked(
      names('x', 12).map((name) => item(name)),
      own,
    );
    await setTerms(engine.redis, credential.tenant, ' 60000 0 1 86400 100');
    const renewals = await Promise.allSettled(
      results.map((one, i) => renew(engine, { ...credential }, [{ ...one, ttlSeconds: i === 7 ? 61 : 60 }])),
    );
    expect(renewals.map(({ status }) => status === 'fulfilled')).toEqual(results.map((_, i) => i !== 7));
    expect(renewals[7]).toMatchObject({ reason: { code: 'refused', message: expect.stringMatching(/^\[0\]/) } });
    own.stop();
  });

  test('a session of another requester is refused to its own request only', async () => {
    const own = await startEngine();
    const { engine, credential } = own;
    const { result } = await beginSession(engine, credential, { requester: 'owner', ttlSeconds: 60 });
    const outcomes = await Promise.allSettled(
      names('z', 12).map((name, i) => asked([{ ...item(name), ...(i === 7 && { session: result.session }) }], own)),
    );
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(outcomes.map((_, i) => i !== 7));
    expect(outcomes[7]).toMatchObject({ reason: { code: 'forbidden' } });
    own.stop();
  });
});
