/** docs/specification.md#history: filters without a database compare names where Redis has them, encoded. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HistoryFilter } from '../../src/domain/history.ts';
import { keptHistory } from '../../src/engine/history/kept.ts';
import { type RunningEngine, startEngine } from '../support/engine.ts';
import { poll, queue, wanted } from '../support/polls.ts';
import { type Instance, startInstance } from '../support/service.ts';

let holdfast: Instance;
let reader: RunningEngine;
beforeAll(async () => {
  holdfast = await startInstance();
  reader = await startEngine(holdfast.tenant);
});
afterAll(() => {
  reader.stop();
  return holdfast.stop();
});

let used = 0;

describe('a filter finds names as they are', () => {
  const NAMES = ['a"b', 'a/b\\c', 'ä – 🎉', '%d+', 'a', 'ab', '"resource":"a"'];

  test.each(NAMES)('%s', async (name) => {
    const tag = `t${++used}`;
    const mine = (one: string) => `${tag} ${one}`;
    await holdfast.register({ name: mine('pool of 3'), capacity: 3 });
    const page = async (filter: HistoryFilter) => {
      const { entries } = await keptHistory(reader.engine.redis).page(holdfast.tenant, filter, undefined, 100);
      return entries.map(({ resource, requester, kind }) => [kind, resource, requester]);
    };
    const all = NAMES.map((one) => ({ resource: mine(one), requester: mine(one) }));
    const shared = NAMES.map((one) => ({ resource: mine(`s${one}`), requester: mine(one), mode: 'SHARED' as const }));
    const noted = { resource: mine(`n${name}`), requester: mine(name), note: `${mine('a')}"requester":"${mine('a')}"` };
    const pooled = { resource: mine('pool of 3'), requester: mine(name) };
    const held = (await holdfast.reserve(...all, ...shared, noted, pooled)).body;
    const waits = NAMES.map((one) => poll(holdfast, [wanted(mine(name), mine(`w${one}`), { note: mine(one) })]));
    for (const one of NAMES) {
      await queue(holdfast, mine(`w${one}`), (waiting) =>
        waiting.some(({ requester }) => requester === mine(`w${one}`)),
      );
      await holdfast.cancel({ resource: mine(name), requester: mine(`w${one}`) });
    }
    await Promise.all(waits.map(({ response }) => response));
    await holdfast.unreserve(...held);
    expect(await page({ resource: mine(name) })).toEqual([
      ['RESERVATION', mine(name), mine(name)],
      ...NAMES.toReversed().map((one) => ['WAIT', mine(name), mine(`w${one}`)]),
    ]);
    expect(await page({ resource: mine(`s${name}`) })).toEqual([['RESERVATION', mine(`s${name}`), mine(name)]]);
    expect(await page({ resource: mine('pool of 3') })).toEqual([['RESERVATION', mine('pool of 3'), mine(name)]]);
    expect(await page({ requester: mine(`w${name}`) })).toEqual([['WAIT', mine(name), mine(`w${name}`)]]);
    expect((await page({ requester: mine(name) })).map(([, resource]) => resource)).toEqual(
      ['pool of 3', `n${name}`, `s${name}`, name].map(mine),
    );
  });
});
