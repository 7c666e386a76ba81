/**
 * What a script leaves to settle is gone on with, whichever tenant's script runs in between
 * (docs/specification.md#waiting-order).
 */
import { expect, test } from 'vitest';
import { waiting } from '../../../src/engine/waiting/list.ts';
import { type RunningEngine, SMALL_PIECES, startEngine } from '../../support/engine.ts';
import { all } from '../../support/listed.ts';
import { makeTenant } from '../../support/service.ts';
import { reserve, unreserve } from '../../support/verbs.ts';
import { CALL } from '../../support/waitingEngine.ts';

const WAIT = { ttlSeconds: 60, waitSeconds: 60, claimSeconds: 30 };

/** Has things held, and others wait for each of them. */
async function begin({ engine, credential }: RunningEngine, names: readonly string[]) {
  await engine.loadTenant(credential.tenant);
  const held = await reserve(
    engine,
    credential,
    names.map((resource) => ({ resource, requester: 'holder' })),
  );
  for (const resource of names)
    await reserve(engine, credential, [{ resource, requester: `of ${resource}`, ...WAIT }], CALL);
  return held.map(({ resource, requester, releaseToken }) => ({ resource, requester, releaseToken }));
}

const listed = async ({ engine, credential }: RunningEngine) =>
  (await all(waiting(engine, credential))).map(({ requester }) => requester);

test('a queue that is left unsettled is settled after a script of a tenant whose queue is settled', async () => {
  const start = () => startEngine(makeTenant(), undefined, SMALL_PIECES);
  const [one, other] = await Promise.all([start(), start()]);
  try {
    await begin(other, ['a']);
    const held = await begin(one, ['x', 'y', 'z']);
    await unreserve(one.engine, one.credential, held);
    expect(await listed(other)).toEqual(['of a']);
    expect(await listed(one)).toEqual([]);
  } finally {
    for (const running of [one, other]) running.stop();
  }
});
