/** docs/specification.md#history: each reservation that a reset ends has an entry. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { HistoryPage } from '../../src/contract/history.ts';
import { KEPT_ENTRIES } from '../../src/domain/history.ts';
import { historyKey } from '../../src/redis/keys.ts';
import { hold, holdfast, useActing } from '../support/acting.ts';
import { addPast } from '../support/pastEntries.ts';

useActing();

const endings = async (resource: string) => {
  const { body } = await holdfast.request<HistoryPage>('GET', `/api/v1/Reservation/history?resource=${resource}`);
  return body.entries.map(({ ending }) => ending);
};

describe('without a database, a reset is in the history', () => {
  test('also if another follows before anybody has read it', async () => {
    const names = [randomUUID(), randomUUID(), randomUUID()];
    for (const name of names) {
      await hold(name);
      await holdfast.reset();
    }
    for (const name of names) expect(await endings(name)).toEqual(['RESET']);
  });

  test('also if that is full: the oldest entries make room', async () => {
    const at = Date.now();
    const old = Array.from({ length: KEPT_ENTRIES + 50 }, () => ({
      resource: 'old',
      reservedAt: at - 2,
      endedAt: at - 1,
    }));
    await addPast(holdfast.redis, holdfast.tenant, old);
    const name = randomUUID();
    await hold(name);
    await holdfast.reset();
    expect(await endings(name)).toEqual(['RESET']);
    expect(await holdfast.redis.xlen(historyKey(holdfast.tenant))).toBeLessThan(KEPT_ENTRIES + 150);
  });
});
