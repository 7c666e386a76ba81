/**
 * The room that bodies have while they arrive.
 */
import { EventEmitter } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Arrivals, type ArrivalsOptions } from '../../src/http/admission/arrivals.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

const OPTIONS: ArrivalsOptions = {
  perOwner: { bodies: 2, bytes: 100 },
  inAll: { bodies: 3, bytes: 150 },
  yieldsAfterMs: 250,
  smallBytes: 10,
  inHand: 2,
};

class Body {
  readonly incoming = new IncomingMessage(new Socket());
  readonly response = new ServerResponse(this.incoming);
  outcome: string | number | undefined;

  constructor(arrivals: Arrivals, owner: string, maxBytes = 1000) {
    arrivals.read(this.incoming, this.response, owner, maxBytes).then(
      (body) => {
        this.outcome = body.length;
      },
      ({ fault }) => {
        this.outcome = fault;
      },
    );
  }

  async send(bytes: number): Promise<this> {
    this.incoming.push(Buffer.alloc(bytes));
    return this.settle();
  }

  async end(): Promise<this> {
    this.incoming.complete = true; // or Node takes it for cut off, and closes the connection
    this.incoming.push(null);
    return this.settle();
  }

  async settle(): Promise<this> {
    for (let round = 0; round < 5; round++) await new Promise((resolve) => setImmediate(resolve));
    return this;
  }
}

test('a body is read to its end, and no further than it may go', async () => {
  const arrivals = new Arrivals(OPTIONS);
  const fits = await new Body(arrivals, 'a', 20).send(20);
  expect((await fits.end()).outcome).toBe(20);
  expect((await new Body(arrivals, 'a', 20).send(21)).outcome).toBe('BODY_TOO_LARGE');
  expect(arrivals.bytes).toBe(20);
});

test('large bodies count until they have been answered, small ones until they are there', async () => {
  const arrivals = new Arrivals(OPTIONS);
  const [small, large] = [await new Body(arrivals, 'a').send(10), await new Body(arrivals, 'a').send(11)];
  expect(arrivals.bytes).toBe(21);
  await small.end();
  await large.end();
  expect(arrivals.bytes).toBe(11);
  const { response } = large;
  if (response instanceof EventEmitter) response.emit('close');
  expect(arrivals.bytes).toBe(0);
});

test.each([
  ['of one owner', ['a', 'a'], 'a'],
  ['of all', ['a', 'b', 'c'], 'd'],
])('where there is no place %s, the oldest makes room, but not before its time', async (_, owners, last) => {
  const arrivals = new Arrivals(OPTIONS);
  const bodies = owners.map((owner) => new Body(arrivals, owner));
  expect((await new Body(arrivals, last).settle()).outcome).toBe('OVERLOADED');
  vi.advanceTimersByTime(250);
  const next = await new Body(arrivals, last).send(5);
  expect(bodies.map(({ outcome }) => outcome)).toEqual(['BODY_TIMEOUT', ...owners.slice(1).map(() => undefined)]);
  expect((await next.end()).outcome).toBe(5);
});

test('an owner that has no place left takes none of another’s', async () => {
  const arrivals = new Arrivals(OPTIONS);
  for (let i = 0; i < 5; i++) new Body(arrivals, 'a');
  const other = await new Body(arrivals, 'b').send(5);
  expect((await other.end()).outcome).toBe(5);
});

test.each([
  ['of one owner', ['a', 'a'], 60],
  ['of all', ['a', 'b', 'c'], 60],
])('where there is no room for the bytes %s, the one that has just got more goes', async (_, owners, bytes) => {
  const arrivals = new Arrivals(OPTIONS);
  const bodies = owners.map((owner) => new Body(arrivals, owner));
  for (const body of bodies) await body.send(bytes);
  expect(bodies.map(({ outcome }) => outcome)).toEqual([...owners.slice(1).map(() => undefined), 'OVERLOADED']);
});

test('one body alone may be larger than all may be together', async () => {
  const alone = await new Body(new Arrivals(OPTIONS), 'a').send(900);
  expect((await alone.end()).outcome).toBe(900);
});

test('a body that sends nothing for 5 s is cut off; one that goes on is not', async () => {
  const arrivals = new Arrivals(OPTIONS);
  const [stalled, slow] = [new Body(arrivals, 'a'), new Body(arrivals, 'a')];
  vi.advanceTimersByTime(4000);
  await slow.send(1);
  vi.advanceTimersByTime(1600);
  await stalled.settle();
  expect([stalled.outcome, slow.outcome]).toEqual(['BODY_TIMEOUT', undefined]);
  expect((await slow.end()).outcome).toBe(1);
});

test('a caller who goes away leaves nothing behind', async () => {
  const arrivals = new Arrivals(OPTIONS);
  const gone = await new Body(arrivals, 'a').send(50);
  gone.incoming.destroy();
  expect((await gone.settle()).outcome).toBe('GONE');
  expect(arrivals.bytes).toBe(0);
});

describe('of the large bodies of one owner', () => {
  const OPEN: ArrivalsOptions = { ...OPTIONS, perOwner: OPTIONS.inAll };
  const whole = async (arrivals: Arrivals, owner: string, bytes = 20) =>
    (await new Body(arrivals, owner).send(bytes)).end();
  const answer = async (body: Body): Promise<void> => {
    body.response.emit('close');
    await body.settle();
  };

  test('some are handed over, and each of the others when one was answered, in their order', async () => {
    const arrivals = new Arrivals(OPEN);
    const bodies: Body[] = [];
    for (let i = 0; i < 4; i++) bodies.push(await whole(arrivals, 'a'));
    const outcomes = () => bodies.map(({ outcome }) => outcome);
    expect(outcomes()).toEqual([20, 20, undefined, undefined]);
    for (const body of bodies.slice(1, 2)) await answer(body);
    expect(outcomes()).toEqual([20, 20, 20, undefined]);
    for (const body of bodies.slice(0, 1)) await answer(body);
    expect(outcomes()).toEqual([20, 20, 20, 20]);
  });

  test('those that wait delay no small ones, and none of another owner', async () => {
    const arrivals = new Arrivals(OPEN);
    for (let i = 0; i < 3; i++) await whole(arrivals, 'a');
    expect((await whole(arrivals, 'a', 10)).outcome).toBe(10);
    expect((await whole(arrivals, 'b')).outcome).toBe(20);
  });

  test('one whose response begins to be held makes room', async () => {
    const arrivals = new Arrivals(OPEN);
    const bodies = [await whole(arrivals, 'a'), await whole(arrivals, 'a'), await whole(arrivals, 'a')];
    const [first] = bodies;
    Reflect.get(first?.incoming ?? {}, 'endBody')();
    await first?.settle();
    expect(bodies.map(({ outcome }) => outcome)).toEqual([20, 20, 20]);
  });

  test('one that was refused for a limit makes room 50 ms later', async () => {
    const arrivals = new Arrivals(OPEN);
    const bodies = [await whole(arrivals, 'a'), await whole(arrivals, 'a'), await whole(arrivals, 'a')];
    const [first] = bodies;
    if (first !== undefined) {
      first.response.statusCode = 429;
      await answer(first);
    }
    const outcomes = () => bodies.map(({ outcome }) => outcome);
    vi.advanceTimersByTime(49);
    await first?.settle();
    expect(outcomes()).toEqual([20, 20, undefined]);
    expect(arrivals.bytes).toBe(40);
    vi.advanceTimersByTime(1);
    await first?.settle();
    expect(outcomes()).toEqual([20, 20, 20]);
  });

  test('one whose client has gone is not handed over, and one that has waited for 5 s is refused', async () => {
    const arrivals = new Arrivals(OPEN);
    const bodies = [];
    for (let i = 0; i < 5; i++) bodies.push(await whole(arrivals, 'a'));
    const [first, second, third] = bodies;
    if (third !== undefined) await answer(third);
    vi.advanceTimersByTime(5001);
    if (first !== undefined) await answer(first);
    if (second !== undefined) await answer(second);
    expect(bodies.map(({ outcome }) => outcome)).toEqual([20, 20, 'GONE', 'OVERLOADED', 'OVERLOADED']);
    expect(arrivals.bytes).toBe(40);
  });
});
