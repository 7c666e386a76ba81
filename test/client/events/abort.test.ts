/** Events and mirrors end when their signal aborts, whatever the garbage collector has taken by then. */
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Holdfast } from '../../../packages/client/src/index.ts';
import { type Instance, startInstance } from '../../support/service.ts';

let instance: Instance;
beforeAll(async () => {
  instance = await startInstance();
});
afterAll(() => instance.stop());

async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  for (let i = 0; i < 5 && typeof collect === 'function'; i++) {
    collect();
    await turn();
  }
}

it('events()', async () => {
  const ending = new AbortController();
  const told: string[] = [];
  for await (const { type } of new Holdfast(instance).events({ signal: ending.signal })) {
    told.push(type);
    void collectGarbage().then(() => ending.abort());
  }
  expect(told).toEqual(['CONNECTED']);
});

it('mirror()', async () => {
  const ending = new AbortController();
  const mirror = await new Holdfast(instance).mirror({ signal: ending.signal });
  await collectGarbage();
  ending.abort();
  await mirror.closed;
});
