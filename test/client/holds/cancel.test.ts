/** `cancel` ends the waits of its client, in whichever moment: when it returns, nothing of them is left. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Hold } from '../../../packages/client/src/holds/hold.ts';
import { Holdfast } from '../../../packages/client/src/index.ts';
import { type FaultyProxy, startFaultyProxy } from '../../support/faultyProxy.ts';
import { type Instance, startInstance } from '../../support/service.ts';

let service: Instance;
let proxy: FaultyProxy;
let client: Holdfast;
let other: Holdfast;
let name: string;
let held: Hold;
beforeAll(async () => {
  service = await startInstance();
  proxy = await startFaultyProxy(service.url);
  other = new Holdfast({ url: service.url, key: service.key });
});
beforeEach(async ({ task }) => {
  client = new Holdfast({ url: proxy.url, key: service.key });
  name = task.id;
  held = await other.reserve(name);
  proxy.noted.splice(0);
});
afterAll(() => Promise.all([service.stop(), proxy.stop()]));

const WAIT = { wait: '60s' } as const;

/** A promise, and the function that resolves it. */
function event(): [happened: Promise<void>, happen: () => void] {
  let happen = () => {};
  return [
    new Promise((resolve) => {
      happen = resolve;
    }),
    () => happen(),
  ];
}

const countOf = (path: string) => proxy.noted.filter((one) => one.path.includes(path)).length;
/** Cancellations are repeated until the request was answered: so there may be more. */
const sent = (path: string) => expect.poll(() => countOf(path), { interval: 1 }).toBeGreaterThan(0);

/** Resolves when somebody has been granted the name. */
const granted = () => expect.poll(async () => (await other.active({ resource: name })).length, { interval: 1 }).toBe(1);

/** Cancels, and lets go what is on its way once the cancellation has been sent. */
async function cancelThenLetGo(letGo: () => void): Promise<void> {
  const answer = client.cancel(name);
  await sent('/cancel');
  letGo();
  expect(await answer).toBe(true);
}

/** The error of a wait that was cancelled. */
const cancelled = (wait: Promise<unknown>, title = name) =>
  expect(wait).rejects.toMatchObject({ code: 'NOT_AVAILABLE', message: `${title}: NOT_AVAILABLE: cancelled` });

/** Nobody waits, and nobody else has it: at once, without another look. */
async function expectNothingLeft(): Promise<void> {
  expect(await other.waiting({ resource: name })).toEqual([]);
  await held.release();
  expect(await other.active({ resource: name })).toEqual([]);
}

/** What waits for the name, in each way in which a client can wait. */
const WAYS: [string, () => Promise<unknown>, title?: () => string][] = [
  ['a name', () => client.reserve(name, WAIT)],
  ['several names', () => client.reserve([`${name}-free`, name], WAIT), () => `${name}-free, ${name}`],
  [
    'a transaction',
    () =>
      client.transaction({ method: 'ALL_OR_NONE', requests: [{ requestType: 'RESERVE', resource: name }], ...WAIT }),
  ],
];

describe.each(WAYS)('a wait for %s ends, and leaves nothing, if it is cancelled', (_, begin, titleOf = () => name) => {
  test('before its first call has left', async () => {
    const wait = cancelled(begin(), titleOf());
    expect(await client.cancel(name)).toBe(true);
    await wait;
    await expectNothingLeft();
  });

  test('while its first call is overtaken by the cancellation', async () => {
    const [overtaken, overtake] = event();
    proxy.next(overtaken);
    const wait = cancelled(begin(), titleOf());
    await sent('/Reservation/');
    await cancelThenLetGo(overtake);
    await wait;
    await expectNothingLeft();
  });

  test('while the answer to its first call is on its way', async () => {
    const [arrived, arrive] = event();
    proxy.next({ answeredAfter: arrived });
    const wait = cancelled(begin(), titleOf());
    await expect.poll(async () => (await other.waiting({ resource: name })).length, { interval: 1 }).toBe(1);
    await cancelThenLetGo(arrive);
    await wait;
    await expectNothingLeft();
  });

  test('while it has been granted, and does not know it yet', async () => {
    const [arrived, arrive] = event();
    await held.release();
    proxy.next({ answeredAfter: arrived });
    const wait = cancelled(begin(), titleOf());
    await granted();
    await cancelThenLetGo(arrive);
    await wait;
    await expectNothingLeft();
  });
});

describe('a wait for a name ends, and leaves nothing, if it is cancelled', () => {
  test('between its first call and its long poll', async () => {
    let answer: Promise<boolean> | undefined;
    const onWaiting = () => {
      answer ??= client.cancel(name);
    };
    await cancelled(client.reserve(name, { ...WAIT, onWaiting }));
    expect(await answer).toBe(true);
    expect(countOf('/reserve')).toBe(1);
    await expectNothingLeft();
  });

  test('while its long poll is held', async () => {
    const wait = cancelled(client.reserve(name, WAIT));
    const isHeld = async () => (await other.waiting({ resource: name })).map(({ attended }) => attended);
    await expect.poll(isHeld, { interval: 1 }).toEqual([true]);
    expect(await client.cancel(name)).toBe(true);
    await wait;
    await expectNothingLeft();
  });

  test('while the grant of its long poll is on its way', async () => {
    const [arrived, arrive] = event();
    proxy.next('pass', { answeredAfter: arrived });
    const wait = cancelled(client.reserve(name, WAIT));
    await sent('pollSeconds=10');
    await held.release();
    await granted();
    await cancelThenLetGo(arrive);
    await wait;
    await expectNothingLeft();
  });
});

describe('cancel', () => {
  test('ends all waits of this client for the name, and no others', async () => {
    const waits = [1, 2].map(() => cancelled(client.reserve(name, WAIT)));
    const own = client.tryReserve(name, WAIT);
    const stop = new AbortController();
    const { signal } = stop;
    const others = [
      client.reserve(name, { ...WAIT, signal, requester: `${name}-ann` }),
      other.reserve(name, { ...WAIT, signal }),
    ];
    expect(await client.cancel(name)).toBe(true);
    await Promise.all(waits);
    expect(await own).toBeNull();
    expect(await client.cancel(name)).toBe(false);
    await expect.poll(async () => (await other.waiting({ resource: name })).length, { interval: 1 }).toBe(2);
    const ended = others.map((wait) => expect(wait).rejects.toThrow('enough'));
    stop.abort(new Error('enough'));
    await Promise.all(ended);
  });

  test('of a requester ends the waits that this client makes for it', async () => {
    const requester = `${name}-ann`;
    const wait = cancelled(client.reserve(name, { ...WAIT, requester }));
    expect(await client.cancel(name)).toBe(false);
    expect(await client.cancel(name, { requester })).toBe(true);
    await wait;
    await expectNothingLeft();
  });
});
