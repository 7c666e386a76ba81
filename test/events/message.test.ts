import { describe, expect, test } from 'vitest';
import { Event } from '../../src/contract/events.ts';
import { readMessages } from '../../src/events/message.ts';

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

  test('of another form has no number that could follow another one', () => {
    const { messages, isUnbroken } = read(`v3 7 ab12 0\n${line}`, 'garbage', `7 ab12\n${line}`);
    expect(messages.map(({ number }) => number)).toEqual([Number.NaN, Number.NaN, Number.NaN]);
    expect(isUnbroken).toBe(false);
  });
});
