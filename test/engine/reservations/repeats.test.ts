/**
 * A request whose reply was lost is sent again. It is not carried out twice, its caller gets the first reply, and
 * subscribers get one event.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TransactionItem, UnreserveItem } from '../../../src/contract/reservations.ts';
import type { Credential } from '../../../src/domain/tenants.ts';
import { deleteDefinition, NOW, register } from '../../../src/engine/definitions/changes.ts';
import { issueToken } from '../../../src/engine/tenant/tokens.ts';
import { losingReply, type RunningEngine, startEngine } from '../../support/engine.ts';
import { check, renew, reserve, reset, transaction, unreserve, usage } from '../../support/verbs.ts';

let running: RunningEngine;
beforeAll(async () => {
  running = await startEngine();
});
afterAll(() => running.stop());

/** Returns the number of writes that the tenant is charged for an act. */
async function charged(credential: Credential, done: () => Promise<unknown>): Promise<number> {
  const before = await usage(running.engine, credential);
  await done();
  return (await usage(running.engine, credential)).writesToday - before.writesToday;
}

const held = async (resource: string, requester = 'r') => {
  const [result] = await reserve(running.engine, running.credential, [{ resource, requester }]);
  return { resource, requester, releaseToken: result?.releaseToken ?? undefined } satisfies UnreserveItem;
};

describe('a request whose reply was lost is carried out, charged and answered once', () => {
  test('unreserve: RELINQUISHED, though somebody else has it by now', async () => {
    const mine = await held('a');
    const engine = losingReply(running, 'unreserve', () => held('a', 'other'));
    const writes = await charged(running.credential, async () => {
      expect(await unreserve(engine, running.credential, [mine])).toMatchObject([
        { status: 'RELINQUISHED', released: ['a'] },
      ]);
    });
    expect(writes).toBe(2); // the other's reserve is one of them
  });

  test('ALL_OR_NONE that hands over: APPLIED', async () => {
    const mine = await held('b');
    const engine = losingReply(running, 'transaction', () => held('b', 'other'));
    const items: TransactionItem[] = [
      { requestType: 'UNRESERVE', ...mine },
      { requestType: 'RESERVE', resource: 'c', requester: 'r' },
    ];
    expect(await transaction(engine, running.credential, 'ALL_OR_NONE', items)).toMatchObject({
      status: 'APPLIED',
      results: [{ status: 'RELINQUISHED' }, { status: 'ACQUIRED' }],
    });
  });

  test('reserve: ACQUIRED, with the token of the first', async () => {
    const engine = losingReply(running, 'reserve');
    const [result] = await reserve(engine, running.credential, [{ resource: 'd', requester: 'r' }]);
    expect(result?.status).toBe('ACQUIRED');
    const again = await held('d');
    expect(again.releaseToken).toBe(result?.releaseToken);
  });

  test('reserve and renew: charged once', async () => {
    const writes = await charged(running.credential, () =>
      reserve(losingReply(running, 'reserve'), running.credential, [{ resource: 'once', requester: 'r' }]),
    );
    const mine = await held('once');
    const renewals = await charged(running.credential, () =>
      renew(losingReply(running, 'renew'), running.credential, [{ ...mine, ttlSeconds: 60 }]),
    );
    expect([writes, renewals]).toEqual([1, 1]);
  });

  test('renew: it renews once more, and the answer has the lease that it has', async () => {
    const { engine, credential } = running;
    const mine = { ...(await held('renewed')), ttlSeconds: 60 };
    const [result] = await renew(losingReply(running, 'renew'), credential, [mine]);
    expect(await check(engine, credential, [{ resource: 'renewed', requester: 'r' }])).toMatchObject([
      { expiresAt: result?.expiresAt },
    ]);
  });

  test('delete: the names that it deleted', async () => {
    await register(running.engine, running.credential, [{ name: 'e', capacity: 1, blocks: [], treePath: null }], NOW);
    const engine = losingReply(running, 'delete');
    const writes = await charged(running.credential, async () => {
      expect((await deleteDefinition(engine, running.credential, 'e', false, NOW)).names).toEqual(['e']);
    });
    expect(writes).toBe(1);
  });

  test('register: the ancestors that it registered along', async () => {
    const engine = losingReply(running, 'register');
    const item = { name: 'leaf', capacity: 1, blocks: [], treePath: 'root' };
    const writes = await charged(running.credential, async () => {
      const { definitions } = await register(engine, running.credential, [item], NOW);
      expect(definitions.map(({ name }) => name)).toEqual(['leaf', 'root']);
    });
    expect(writes).toBe(1);
  });

  test('a token that is issued: charged once', async () => {
    const { tenant } = running.credential;
    const token: Credential = { tenant, credentialKey: `token:${'a'.repeat(64)}`, kind: 'token' };
    const by = { id: 'own', permission: 'reserve' as const, prefix: '', maxPriority: 0 };
    const engine = losingReply(running, 'issueToken');
    expect(await charged(running.credential, () => issueToken(engine, token, by, 60_000))).toBe(1);
  });

  test('reset: how many it ended', async () => {
    await reset(running.engine, running.credential);
    await held('f');
    const engine = losingReply(running, 'reset');
    expect(await reset(engine, running.credential)).toBe(1);
  });

  test('a reply too long to be kept: the outcome is unknown, and nothing is done twice', async () => {
    const long = 'x'.repeat(200);
    const items = Array.from({ length: 400 }, (_, i) => ({ resource: `${i}-${long}`, requester: 'r' }));
    const all = await reserve(running.engine, running.credential, items);
    const engine = losingReply(running, 'unreserve');
    await expect(unreserve(engine, running.credential, all)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await unreserve(running.engine, running.credential, all.slice(0, 1))).toMatchObject([
      { status: 'NOT_RESERVED' },
    ]);
  });
});
