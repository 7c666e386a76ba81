import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Event } from '../../src/contract/events.ts';
import type { BegunSession } from '../../src/contract/sessions.ts';
import { readMessages } from '../../src/events/message.ts';
import { setClock } from '../support/clock.ts';
import { ask, hold, holdfast, lose, NOW, OPERATOR, operator, release, useTakingAway } from '../support/takingAway.ts';
import { signIn } from '../support/tenancy.ts';
import { type Subscriber, watch } from '../support/watch.ts';

const line =
  '{"type":"RESET","requestType":"RESET","explanation":null,"resourceType":null,"apiKeyLabel":"é🎉","actor":"key:é🎉"}';
const read = (...payloads: string[]) =>
  readMessages(
    't',
    payloads.map((payload) => Buffer.from(payload)),
  );

describe('a message', () => {
  test('is an object for each event, which streams send with all fields', () => {
    const { messages, events, isUnbroken, text } = read(`v2 7 ab12 0\n${line}\n${line}`, `v2 8 ab12 1\n${line}`);
    expect(messages.map(({ number, publisher }) => [number, publisher])).toEqual([
      [7, 'ab12'],
      [8, 'ab12'],
    ]);
    expect([events, isUnbroken]).toEqual([3, true]);
    const frames = text.toString().split('\n\n');
    expect(frames.pop()).toBe('');
    const data = frames.map((frame) => {
      expect(frame).toMatch(/^event: RESET\ndata: /);
      return Event.strict().parse(JSON.parse(frame.slice('event: RESET\ndata: '.length)));
    });
    expect(data.map(({ timestamp, apiKeyLabel }) => [timestamp, apiKeyLabel])).toEqual([
      ['1970-01-01T00:00:00.000Z', 'é🎉'],
      ['1970-01-01T00:00:00.000Z', 'é🎉'],
      ['1970-01-01T00:00:00.001Z', 'é🎉'],
    ]);
  });

  test('may be much longer for streams than it was published', () => {
    const short = '{"type":"RESET",}';
    const { text, messages } = read(`v2 7 ab12 0\n${Array(200).fill(short).join('\n')}`, `v2 8 ab12 0\n${short}`);
    const frames = text.toString().split('\n\n');
    expect(new Set(frames.slice(0, -1)).size).toBe(1);
    expect(frames).toHaveLength(202);
    expect(messages.map(({ end }) => end)).toEqual([(text.length / 201) * 200, text.length]);
  });

  test('may have fields and types that only newer scripts know', () => {
    const { text } = read('v2 7 ab12 0\n{"type":"LATER","note":"n"}');
    const time = '1970-01-01T00:00:00.000Z';
    expect(text.toString()).toBe(
      `event: LATER\ndata: {"type":"LATER","tenantId":"t","timestamp":"${time}","note":"n"}\n\n`,
    );
  });

  test('names its tenant and time, however alike two messages are', () => {
    const read = (tenant: string, ms: number) => {
      const [event = ''] =
        /"tenantId".*Z",/.exec(`${readMessages(tenant, [Buffer.from(`v2 7 ab ${ms}\n${line}`)]).text}`) ?? [];
      return event;
    };
    const time = (ms: number) => `"timestamp":"1970-01-01T00:00:00.00${ms}Z",`;
    expect(read('one', 1)).toBe(`"tenantId":"one",${time(1)}`);
    expect(read('two', 1)).toBe(`"tenantId":"two",${time(1)}`);
    expect(read('two', 2)).toBe(`"tenantId":"two",${time(2)}`);
  });

  test('of another form has no number that could follow another one', () => {
    const { messages, isUnbroken } = read(`v3 7 ab12 0\n${line}`, 'garbage', `7 ab12\n${line}`);
    expect(messages.map(({ number }) => number)).toEqual([Number.NaN, Number.NaN, Number.NaN]);
    expect(isUnbroken).toBe(false);
  });
});

/**
 * Who did it, in events (docs/specification.md#who-did-it).
 */
describe('actors of events', () => {
  useTakingAway();

  describe('UNRESERVED names who did it', () => {
    let stream: Subscriber;
    beforeEach(async () => {
      stream = await watch(holdfast);
    });
    afterEach(() => stream.close());
    const actors = async (count: number) =>
      (await stream.count(count)).filter(({ type }) => type === 'UNRESERVED').map(({ actor }) => actor);

    test('a key, a person, nobody', async () => {
      await holdfast.unreserve(await hold());
      await lose();
      await release(await signIn(holdfast.redis, holdfast.tenant, { email: null, subject: 'sub"ject' }), await hold());
      await holdfast.reserve({ resource: 'lease', requester: 'r', ttlSeconds: 1 });
      await setClock(holdfast.redis, holdfast.tenant, NOW + 1000);
      await holdfast.active();
      expect(await actors(9)).toEqual(['key:wörk "er"', `person:${OPERATOR}`, 'person:sub"ject', null]);
    });

    test('in the changes of a transaction', async () => {
      const { resource, requester } = await hold();
      const requests = [{ requestType: 'UNRESERVE', resource, requester }];
      await ask(operator, 'transaction', { method: 'AS_MANY_AS_POSSIBLE', requests });
      const [, applied] = await stream.count(2);
      expect(applied?.changes).toMatchObject([{ explanation: 'RELINQUISHED', actor: `person:${OPERATOR}` }]);
    });

    test('who ended the session, whichever call ends its reservations', async () => {
      const body = { requester: 'w', ttlSeconds: 60 };
      const begun = await holdfast.request<BegunSession>('POST', '/api/v1/Session', body);
      const { session, token } = begun.body;
      await holdfast.reserve({ resource: randomUUID(), requester: 'w', session });
      await operator.request(holdfast.url, 'POST', '/api/v1/Session/end', { session, token });
      await holdfast.active();
      expect(await actors(2)).toEqual([`person:${OPERATOR}`]);
    });

    test('who cancelled a wait that had been granted', async () => {
      const { resource, ...held } = await hold();
      const wait = [{ resource, requester: 'next', ttlSeconds: 60, waitSeconds: 60, claimSeconds: 60 }];
      await holdfast.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', wait);
      await holdfast.unreserve({ resource, ...held });
      await ask(operator, 'cancel', [{ resource, requester: 'next' }]);
      await stream.count(7);
      expect((await actors(7)).slice(-1)).toEqual([`person:${OPERATOR}`]);
    });
  });
});
