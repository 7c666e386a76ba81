/**
 * Overload: an instance refuses requests beyond its capacity at once, and answers those that it has taken. Requests
 * are kept in flight by keeping back large bodies, with valid keys of many tenants, so nothing here depends on how fast
 * the machine is.
 */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { body, type Caller, callers, get, item, key, LARGE, MAX_IN_FLIGHT, REFUSED, start } from '../support/caller.ts';
import type { InstanceProcess } from '../support/process.ts';
import { parseSamples } from '../support/samples.ts';
import { until } from '../support/until.ts';
import { watch } from '../support/watch.ts';

/** Sends heads only, of which one more than fits; gives who was refused, the first to be answered, and the others. */
async function fill(all: readonly Caller[], bytes = LARGE): Promise<[Caller, Caller[]]> {
  for (const caller of all) caller.head(bytes);
  const refused = await until('a refusal', () => all.find(({ answers }) => answers.length > 0));
  return [refused, all.filter((caller) => caller !== refused)];
}

/** Sends the bodies: all are answered, so that none is in flight any more. */
async function finish(taken: readonly Caller[], bytes = LARGE): Promise<void> {
  for (const caller of taken) caller.body(body(bytes));
  for (const caller of taken) expect((await caller.answer()).status).toBe(200);
  for (const caller of taken) caller.close();
}

let holdfast: InstanceProcess;
beforeAll(async () => {
  holdfast = await start({ MAX_IN_FLIGHT: String(MAX_IN_FLIGHT) });
});
afterAll(() => holdfast.kill('SIGKILL'));

describe('MAX_IN_FLIGHT requests are taken, and the next is refused at once', () => {
  test('while the others wait, and these are answered all the same', async () => {
    const [refused, taken] = await fill(callers(MAX_IN_FLIGHT + 1, holdfast));
    expect(await refused.answer()).toEqual(REFUSED);
    expect(taken.map(({ answers }) => answers.length)).toEqual(taken.map(() => 0));
    await finish(taken);
    expect((await get(holdfast, '/api/v1/Resource/available/r')).status).toBe(200);
    refused.close();
  });

  test('and a place is free again when a caller has gone away', async () => {
    const [refused, [first, ...others]] = await fill(callers(MAX_IN_FLIGHT + 1, holdfast));
    expect((await get(holdfast, '/api/v1/Resource/available/r')).status).toBe(503);
    first?.close();
    await until('a place', async () => (await get(holdfast, '/api/v1/Resource/available/r')).status === 200);
    await finish(others);
    refused.close();
  });
});

describe('a refused connection', () => {
  test('can be used for the next request: what is left of the refused one’s body is no part of it', async () => {
    const [refused, taken] = await fill(callers(MAX_IN_FLIGHT + 1, holdfast), 100_000);
    await finish(taken, 100_000);
    refused.body('POST / HTTP/1.1\r\n\r\n'.padEnd(100_000)).head(256).body(body());
    expect((await refused.answer(2)).status).toBe(200);
    expect(refused.answers).toHaveLength(2);
    refused.close();
  });
});

describe('while all places are taken', () => {
  test('balancers still see that it lives and can serve', async () => {
    const [refused, taken] = await fill(callers(MAX_IN_FLIGHT + 1, holdfast));
    for (const path of ['/healthz', '/readyz']) expect([path, (await get(holdfast, path)).status]).toEqual([path, 200]);
    await finish(taken);
    refused.close();
  });
});

describe('streams of events', () => {
  test('are opened though all places are taken: an EventSource would not come again', async () => {
    const [refused, taken] = await fill(callers(MAX_IN_FLIGHT + 1, holdfast));
    const stream = await watch({ ...holdfast, key: key.key });
    expect(stream.head).toContain(' 200 ');
    stream.close();
    await finish(taken);
    refused.close();
  });

  test('take up no place', async () => {
    const streams = await Promise.all(
      Array.from({ length: MAX_IN_FLIGHT + 1 }, () => watch({ ...holdfast, key: key.key })),
    );
    for (const { head } of streams) expect(head).toContain(' 200 ');
    expect((await get(holdfast, '/api/v1/Resource/available/r')).status).toBe(200);
    for (const stream of streams) stream.close();
  });
});

describe('refusals', () => {
  test('are counted, and logged in one line for many', async () => {
    const instance = await start({ MAX_IN_FLIGHT: String(MAX_IN_FLIGHT), METRICS_PORT: '0' });
    const [, metricsUrl = ''] = /"metricsUrl":"([^"]+)"/.exec(instance.output()) ?? [];
    const count = async () =>
      parseSamples(await (await fetch(metricsUrl)).text()).get('holdfast_overload_refusals_total');
    expect(await count()).toBe(0);
    const all = callers(MAX_IN_FLIGHT + 20, instance);
    for (const caller of all) caller.head(LARGE);
    await until('they are refused', () => all.filter(({ answers }) => answers.length > 0).length === 20);
    await until('they are counted', async () => (await count()) === 20);
    const lines = () => instance.output().split('overloaded').length - 1;
    await until('they are logged', () => lines() > 0);
    expect(lines()).toBeLessThanOrEqual(2);
    instance.kill('SIGKILL');
  });
});

describe('an iteration of the event loop', () => {
  test('that lasts too long takes no more; but 256 always', async () => {
    const instance = await start();
    const [CALLERS, ALWAYS, ITEMS] = [400, 256, 300];
    const all = callers(CALLERS, instance);
    // Each is known to the instance, by an answer, before that stands still.
    for (const caller of all) caller.head(0, 'GET /healthz');
    for (const caller of all) await caller.answer();
    // All that comes meanwhile is there in its next iteration; that many batches take any machine longer than 25 ms.
    instance.kill('SIGSTOP');
    for (const caller of all) {
      const text = JSON.stringify(Array.from({ length: ITEMS }, () => item()));
      await caller.head(text.length).body(text).flushed();
    }
    instance.kill('SIGCONT');
    const isRefused = ({ answers }: Caller) => JSON.stringify(answers).includes('Nothing was done');
    await until('all are answered', () => all.every(({ answers }) => answers.length === 2), 40_000);
    const refused = all.filter(isRefused).length;
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThanOrEqual(CALLERS - ALWAYS);
    // It is itself again.
    expect((await get(instance, '/api/v1/Resource/available/r')).status).toBe(200);
    instance.kill('SIGKILL');
  });
});

describe('requests that are pipelined', () => {
  test('are forgotten when their connection goes, also those that waited behind another one', async () => {
    const instance = await start({ MAX_IN_FLIGHT: '64' });
    const port = Number(new URL(instance.url).port);
    const get = 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n';
    for (let i = 0; i < 20; i++)
      await new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => {
          socket.write(get.repeat(250));
          setTimeout(() => socket.destroy(), 4);
        });
        socket.on('error', () => {});
        socket.on('close', () => resolve());
      });
    // A large body behind a stream that stays open counts among these until its connection goes.
    const stream = `GET /api/v1/events HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key.key}\r\n\r\n`;
    const body = JSON.stringify([{ resource: 'r', requester: 'r' }]).padEnd(900_000);
    const post = `POST /api/v1/Reservation/reserve HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    for (let i = 0; i < 12; i++)
      await new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(stream + post + body));
        socket.once('data', () => setTimeout(() => socket.destroy(), 200));
        socket.on('error', () => {});
        socket.on('close', () => resolve());
      });
    const headers = { 'X-Api-Key': key.key, 'Content-Type': 'application/json' };
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        fetch(`${instance.url}/api/v1/Reservation/reserve`, {
          method: 'POST',
          headers,
          body: JSON.stringify([{ resource: `piped ${i}`, requester: 'r' }]).padEnd(100_000),
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    instance.kill('SIGKILL');
  });
});
