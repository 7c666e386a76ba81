/**
 * Traces of a time out of service: an entry of the history, and a share of the usage
 * (docs/specification.md#condition, #usage-of-resources).
 */
import { describe, expect, test } from 'vitest';
import type { HistoryPage, ResourceUsage } from '../../../src/contract/history.ts';
import { holdfast, useInstance } from '../../support/instance.ts';
import { addPast } from '../../support/pastEntries.ts';
import { makeConfiguredKey, makeTenant } from '../../support/service.ts';

useInstance({ keys: [makeConfiguredKey(makeTenant(), 'main')] });

const HOUR_MS = 3_600_000;
const from = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 3 * HOUR_MS;
const iso = (ms: number) => new Date(ms).toISOString();
const past = async (query: string) =>
  (await holdfast.request<HistoryPage>('GET', `/api/v1/Reservation/history?${query}`)).body.entries;
const usage = async (resource: string, more: Readonly<Record<string, string>>) => {
  const query = new URLSearchParams({ resource, from: iso(from), step: 'hour', ...more });
  return (await holdfast.request<ResourceUsage>('GET', `/api/v1/Resource/usage?${query}`)).body;
};

describe('the history has a time out of service when it ends', () => {
  test('with the slot, since when and why, who took it out and who brought it back', async () => {
    await holdfast.register({ name: 'rack', capacity: 2 });
    await holdfast.setCondition({ resource: 'rack_1', condition: 'out', reason: 'fan loud' });
    expect(await past('resource=rack')).toEqual([]);
    await holdfast.setCondition({ resource: 'rack_1', condition: 'ready' });
    const [entry, ...others] = await past('resource=rack');
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      kind: 'OUT_OF_SERVICE',
      ending: 'OUT_OF_SERVICE',
      resource: 'rack',
      slots: ['rack_1'],
      note: 'fan loud',
      requester: 'key:main',
      actor: 'key:main',
      fencingToken: null,
      waitedMs: null,
    });
    expect(entry?.id).toMatch(/^O\d+$/);
    expect(Date.parse(entry?.reservedAt ?? '')).toBeLessThanOrEqual(Date.parse(entry?.endedAt ?? ''));
  });

  test('of 20 slots that come back together, each one once, page by page', async () => {
    await holdfast.register({ name: 'shelf', capacity: 20 });
    await holdfast.setCondition({ resource: 'shelf', condition: 'out' });
    await holdfast.setCondition({ resource: 'shelf', condition: 'dirty' });
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = `/api/v1/Reservation/history?resource=shelf&limit=7${cursor && `&cursor=${cursor}`}`;
      const { entries, next }: HistoryPage = (await holdfast.request<HistoryPage>('GET', query)).body;
      found.push(...entries.flatMap(({ id, slots }) => [`${id} ${slots}`]));
      cursor = next;
    }
    expect(new Set(found).size).toBe(20);
    expect(found).toHaveLength(20);
  });

  test('as CSV, too', async () => {
    const answer = await fetch(`${holdfast.url}/api/v1/Reservation/history?resource=rack&format=csv`, {
      headers: { 'X-Api-Key': holdfast.key },
    });
    expect(await answer.text()).toContain('OUT_OF_SERVICE');
  });
});

describe('usage has the share of the time out of service', () => {
  test('and its share in use is that of the time in service', async () => {
    await holdfast.register({ name: 'phone', capacity: 2 });
    await addPast(holdfast.redis, holdfast.tenant, [
      { resource: 'phone', slot: 'phone_0', reservedAt: from, endedAt: from + HOUR_MS, isOutOfService: true },
      { resource: 'phone', slot: 'phone_1', reservedAt: from, endedAt: from + HOUR_MS },
    ]);
    const { total, steps } = await usage('phone', { to: iso(from + 2 * HOUR_MS) });
    expect(total).toMatchObject({ share: 1 / 3, outOfServiceShare: 1 / 4, reservations: 1 });
    expect(steps).toMatchObject([
      { share: 1, outOfServiceShare: 0.5 },
      { share: 0, outOfServiceShare: 0 },
    ]);
    const csv = await fetch(
      `${holdfast.url}/api/v1/Resource/usage?${new URLSearchParams({ resource: 'phone', from: iso(from), step: 'hour', format: 'csv' })}`,
      { headers: { 'X-Api-Key': holdfast.key } },
    );
    expect(await csv.text()).toContain(`${iso(from)},1,0.5,1,`);
  });

  test('also of slots that are out of service now', async () => {
    await holdfast.register({ name: 'board', capacity: 600 }, { name: 'single' });
    await holdfast.setCondition({ resource: 'board_599', condition: 'out' }, { resource: 'single', condition: 'out' });
    // The span begins with the hour.
    const now = iso(Date.now() - 1);
    expect((await usage('single', { from: now })).total.outOfServiceShare).toBeGreaterThan(0);
    expect((await usage('board', { from: now })).total.outOfServiceShare).toBeGreaterThan(0);
    expect((await usage('other', { from: now })).total.outOfServiceShare).toBe(0);
  });
});
