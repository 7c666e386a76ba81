/**
 * How the entries of an outbox become batches (docs/specification.md#webhooks).
 */
import { describe, expect, test } from 'vitest';
import { Event } from '../../src/contract/events.ts';
import type { Entry } from '../../src/engine/notices/cursors.ts';
import { readMessages } from '../../src/events/message.ts';
import { cut } from '../../src/notices/batches.ts';
import { isChosen, readLine } from '../../src/notices/events.ts';

const ALL = { types: ['*'], prefix: '' };
const names = (type: string, resource: string) =>
  `{"type":"${type}","requestType":"UNRESERVE","explanation":"RELINQUISHED","resourceType":"UserDefined","apiKeyLabel":null,"actor":"key:a","resource":"${resource}","requester":"bob"}`;
const changes = (...resources: string[]) =>
  `{"type":"TRANSACTION_APPLIED","requestType":"TRANSACTION","explanation":null,"resourceType":null,"apiKeyLabel":null,"method":"ALL_OR_NONE","changes":[${resources
    .map(
      (resource) =>
        `{"resource":"${resource}","requester":"bob","requestType":"RESERVE","explanation":"ACQUIRED","expiresAt":5,"acquiredSlots":null,"fencingToken":1}`,
    )
    .join(',')}]}`;
const reset =
  '{"type":"RESET","requestType":"RESET","explanation":null,"resourceType":null,"apiKeyLabel":null,"actor":"key:é🎉"}';
const reserved = (expiresAt: string) =>
  `{"type":"RESERVED","expiresAt":${expiresAt},"requestType":"RESERVE","explanation":"ACQUIRED","resourceType":"UserDefined","apiKeyLabel":null,"acquiredSlots":null,"fencingToken":7,"resource":"a","requester":"b"}`;
const entry = (n: number, lines: readonly string[], missed: number | null = 0): Entry => ({
  id: `${n}-0`,
  ms: n,
  missed,
  passed: 0,
  lines,
});
const entries = (count: number, each: readonly string[]): [Entry, ...Entry[]] => [
  entry(1, each),
  ...Array.from({ length: count - 1 }, (_, i) => entry(i + 2, each)),
];

describe('an event of a batch', () => {
  test.each([reset, reserved('1234'), reserved('null'), changes('a', 'b'), names('UNRESERVED', 'a')])(
    'is the event of the streams, and an id: %s',
    (line) => {
      const { text } = readMessages('acme', [Buffer.from(`v2 1 ab 1700000000000\n${line}`)]);
      const [, inStream = ''] = /data: (.*)\n\n$/.exec(text.toString()) ?? [];
      const { id, ...event } = readLine(line, 'acme', '5-0-3', 1_700_000_000_000);
      expect(id).toBe('5-0-3');
      expect(Event.strict().parse(event)).toEqual(JSON.parse(inStream));
    },
  );
});

describe('a subscription chooses', () => {
  const chosen = (types: string[], prefix: string, line: string) =>
    isChosen({ types, prefix }, readLine(line, 'acme', 'x', 0));

  test('events of its types; * stands for all', () => {
    expect(chosen(['RESET', 'WAITING'], '', reset)).toBe(true);
    expect(chosen(['WAITING'], '', reset)).toBe(false);
    expect(chosen(['*'], '', reset)).toBe(true);
  });

  test('events whose resource begins with its prefix, and those without a resource', () => {
    expect(chosen(['*'], 'lab/', names('UNRESERVED', 'lab/1'))).toBe(true);
    expect(chosen(['*'], 'lab/', names('UNRESERVED', 'labs'))).toBe(false);
    expect(chosen(['*'], 'lab/', reset)).toBe(true);
  });

  test('a transaction, whole, if one of its changes has the prefix', () => {
    expect(chosen(['*'], 'lab/', changes('x', 'lab/1'))).toBe(true);
    expect(chosen(['*'], 'lab/', changes('x', 'y'))).toBe(false);
  });
});

describe('a batch', () => {
  test('has events in order, each with the id of its entry and its place in it', () => {
    const { events, last, isAll } = cut('acme', [entry(1, [reset]), entry(2, [reset, reset])], ALL, 100);
    expect(events.map(({ id }) => id)).toEqual(['1-0-0', '2-0-0', '2-0-1']);
    expect([last.id, isAll]).toEqual(['2-0', true]);
  });

  test('has at most as many events as a delivery may have: whole entries', () => {
    const { events, last, isAll } = cut('acme', entries(40, [reset, reset, reset]), ALL, 100);
    expect([events.length, last.id, isAll]).toEqual([99, '33-0', false]);
  });

  test('goes over entries of which nothing is chosen, also behind the last event that it can have', () => {
    const list: [Entry, ...Entry[]] = [
      ...entries(100, [reset]),
      entry(101, [names('UNRESERVED', 'a')]),
      entry(102, [reset]),
    ];
    const { events, last } = cut('acme', list, { types: ['RESET'], prefix: '' }, 100);
    expect([events.length, last.id]).toEqual([100, '101-0']);
  });

  test('has at most 256 KiB; a larger event goes alone', () => {
    const small = names('UNRESERVED', 'a'.repeat(200));
    const large = changes(...Array.from({ length: 1000 }, (_, i) => `${i}`.padEnd(200, '-')));
    const first = cut('acme', [entry(1, [small]), entry(2, [large]), entry(3, [small])], ALL, 100);
    expect(first.events).toHaveLength(1);
    const second = cut('acme', [entry(2, [large]), entry(3, [small])], ALL, 100);
    expect([second.events.length, second.last.id]).toEqual([1, '2-0']);
    const many = cut(
      'acme',
      entries(
        40,
        Array.from({ length: 10 }, () => changes('a'.repeat(1000))),
      ),
      ALL,
      1000,
    );
    expect(JSON.stringify(many.events).length).toBeLessThanOrEqual(262_144);
    expect(many.events.length).toBeGreaterThan(100);
  });

  test('has a GAP in place of what is missing, whatever its subscription chooses', () => {
    const list: [Entry, ...Entry[]] = [entry(1, [reset]), entry(2, [reset], 7), entry(3, [], null)];
    const { events } = cut('acme', list, { types: ['WAITING'], prefix: 'x' }, 100);
    expect(events).toEqual([
      { id: '2-0-gap', type: 'GAP', tenantId: 'acme', timestamp: '1970-01-01T00:00:00.002Z', missed: 7 },
      { id: '3-0-gap', type: 'GAP', tenantId: 'acme', timestamp: '1970-01-01T00:00:00.003Z', missed: null },
    ]);
  });
});
