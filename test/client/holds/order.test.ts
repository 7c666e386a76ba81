/** Calls of one client for one name arrive at the service in the order in which they were made. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Holdfast } from '../../../packages/client/src/index.ts';
import { type FaultyProxy, startFaultyProxy } from '../../support/faultyProxy.ts';
import { type Instance, startInstance } from '../../support/service.ts';

let service: Instance;
let proxy: FaultyProxy;
let client: Holdfast;
beforeAll(async () => {
  service = await startInstance();
  await service.register({ name: 'phones', capacity: 3 });
  proxy = await startFaultyProxy(service.url);
  client = new Holdfast({ url: proxy.url, key: service.key });
});
beforeEach(() => void proxy.noted.splice(0));
afterAll(() => Promise.all([service.stop(), proxy.stop()]));

/** The first request is late: those that are sent after it would arrive before it. */
const delay = (ms: number) => proxy.next(new Promise((resolve) => setTimeout(resolve, ms)));
const numbers = [0, 1, 2, 3, 4, 5];

describe('calls for one name are served in the order in which they were made', () => {
  test.each(['printer', 'phones'])('that wait: %s', async (name) => {
    const served: number[] = [];
    delay(200);
    const work = async (i: number) => {
      await new Promise((resolve) => setTimeout(resolve, i * 15));
      await client.using(name, { wait: '30s' }, () => void served.push(i));
    };
    await Promise.all(numbers.map(work));
    expect(served).toEqual(numbers);
  });

  test('that do not wait', async () => {
    delay(200);
    const first = client.tryReserve('scanner');
    await new Promise((resolve) => setTimeout(resolve, 15));
    const second = client.tryReserve('scanner');
    const other = client.tryReserve('other'); // of another name: it does not wait for them
    expect(await other).not.toBeNull();
    expect(proxy.noted).toHaveLength(2);
    expect(await second).toBeNull();
    await (await first)?.release();
  });
});
