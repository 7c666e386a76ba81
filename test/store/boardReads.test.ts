/**
 * What the Board reads of many resources at once: what ended lately (docs/specification.md#history), and the names of
 * people (#members).
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { DEFAULT_TIERS } from '../../src/domain/tiers.ts';
import { keptHistory } from '../../src/engine/history/kept.ts';
import { historyInDatabase } from '../../src/store/history.ts';
import { memberNames } from '../../src/store/members.ts';
import { members, users } from '../../src/store/schema.ts';
import { addPast, useHistoryStore } from '../support/pastEntries.ts';
import { storeTenant } from '../support/tenancy.ts';

const at = useHistoryStore();
const NOW = Date.now();
const ago = (minutes: number) => NOW - minutes * 60_000;

describe.each(['the database', 'Redis'])('the recent past, in %s', (place) => {
  test('has the latest reservations of the resources that are named, and no waits', async () => {
    const { tenant } = await storeTenant(at.store);
    await addPast(at.store.redis, tenant, [
      { resource: 'a', reservedAt: ago(500), endedAt: ago(200) },
      { resource: 'a', requester: 'first', reservedAt: ago(90), endedAt: ago(60) },
      { resource: 'b', endedAt: ago(40), waitedMs: 5 },
      { resource: 'c', reservedAt: ago(50), endedAt: ago(30) },
      { resource: 'b', requester: 'last', reservedAt: ago(50), endedAt: ago(20) },
    ]);
    if (place === 'the database') await at.move(tenant);
    const history = place === 'the database' ? historyInDatabase(at.store, DEFAULT_TIERS) : keptHistory(at.store.redis);
    const from = new Date(ago(100));
    const found = await history.recent(tenant, ['a', 'b', "it's"], from, 10);
    expect(found.map(({ resource, requester, endedAt }) => [resource, requester, endedAt])).toEqual([
      ['b', 'last', ago(20)],
      ['a', 'first', ago(60)],
    ]);
    expect(await history.recent(tenant, ['a', 'b'], from, 1)).toHaveLength(1);
    expect(await history.recent(tenant, [], from, 10)).toEqual([]);
  });
});

test('the names of members are those of this tenant only, of people who have one', async () => {
  const [one, other] = [await storeTenant(at.store), await storeTenant(at.store)];
  await at.store.database.transaction(async (tx) => {
    for (const [email, name, { tenant }] of [
      ['bo@lab.example', 'Bo Lindqvist', one],
      ['chen@lab.example', null, one],
      ['dana@lab.example', 'Dana Okafor', other],
    ] as const) {
      const who = { issuer: 'https://id.example', subject: randomUUID(), email, name };
      const [user] = await tx.insert(users).values(who).returning();
      if (user) await tx.insert(members).values({ tenantId: tenant, userId: user.id, role: 'member' });
    }
  });
  const emails = ['bo@lab.example', 'chen@lab.example', 'dana@lab.example', 'x@y'];
  expect([...(await memberNames(at.store, one.tenant, emails))]).toEqual([['bo@lab.example', 'Bo Lindqvist']]);
  expect(await memberNames(at.store, one.tenant, [])).toEqual(new Map());
});
