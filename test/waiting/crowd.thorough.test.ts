/**
 * A crowd that waits for open sets of things, in real time, at two instances: each that can be served is, and is told
 * (docs/specification.md#waiting-order). CROWD_SECONDS is how long it goes on, 12 by default.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Crowd } from '../support/crowd.ts';
import { SMALL_PIECES } from '../support/engine.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';

const SECONDS = Number(process.env.CROWD_SECONDS ?? 12);
/** Calls that wait at a time. */
const CALLS = [25, 60, 200, 100];

let one: Instance;
let two: Instance;
beforeAll(async () => {
  const keys = [makeConfiguredKey(makeTenant())];
  // Scripts of the second leave nearly all to later ones, so that deadlines fall while work is left.
  [one, two] = await Promise.all([startInstance({ keys }), startInstance({ keys, includes: SMALL_PIECES })]);
});
afterAll(() => Promise.all([one.stop(), two.stop()]));

test('every caller that can be served is, while waits elapse, callers hang up and leases end', {
  timeout: 60_000 + SECONDS * 1500,
}, async () => {
  const crowd = new Crowd([one.url, two.url], one.key);
  await crowd.register();
  const end = performance.now() + SECONDS * 1000;
  for (let round = 0; performance.now() < end && crowd.faults.length === 0; round++) {
    await crowd.act(1500, CALLS[round % CALLS.length] ?? 0);
    await crowd.rest();
  }
  crowd.stop();
  if (process.env.CROWD_SECONDS !== undefined) process.stdout.write(`${JSON.stringify(crowd.counts)}\n`);
  expect(crowd.faults).toEqual([]);
});
