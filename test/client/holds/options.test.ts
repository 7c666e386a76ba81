/** Options that make no sense are refused at once, in the client's own words. */
import { describe, expect, test } from 'vitest';
import { Holdfast } from '../../../packages/client/src/index.ts';

const url = 'http://127.0.0.1:1';
const client = new Holdfast({ url, key: 'k' });
// What plain JavaScript may pass.
const untyped = (value: unknown): never => value as never;
const refused = (message: string) =>
  expect.objectContaining({ name: 'HoldfastError', code: 'INVALID_OPTION', message: expect.stringContaining(message) });

describe('the constructor refuses', () => {
  test.each([
    ['no options', undefined, 'url must be'],
    ['no key', { url }, 'key must be'],
    ['an empty key', { url, key: '' }, 'key must be a non-empty line of ASCII'],
    ['a misspelt key', { url, apiKey: 'k' }, 'apiKey is not a known option'],
    ['a key of two lines', { url, key: 'a\nb' }, 'key must be'],
    ['a key that is no text', { url, key: 7 }, 'key must be'],
    ['no url', { key: 'k' }, 'url must be'],
  ])('%s', (_, options, message) => {
    expect(() => new Holdfast(untyped(options))).toThrow(refused(message));
  });
});

describe('misspelt options are refused by', () => {
  const wrong = untyped({ tll: '5s' });
  const iterate = async () => {
    for await (const _ of client.events(wrong)) throw new Error('an event');
  };
  test.each<[string, () => Promise<unknown>]>([
    ['reserve', () => client.reserve('x', wrong)],
    ['reserve by match', () => client.reserve(untyped({ match: { a: 'b' }, tll: 1 }))],
    ['tryReserve', () => client.tryReserve('x', wrong)],
    ['using', () => client.using('x', wrong, () => 1)],
    ['session', () => client.session(wrong)],
    ['transaction', () => client.transaction(untyped({ method: 'FIRST', requests: [], tll: 1 }))],
    ['events', iterate],
    ['mirror', () => client.mirror(wrong)],
    ['check', () => client.check('x', wrong)],
    ['cancel', () => client.cancel('x', wrong)],
    ['active', () => client.active(wrong)],
    ['waiting', () => client.waiting(wrong)],
    ['sessions', () => client.sessions(wrong)],
    ['definitions', () => client.definitions(wrong)],
    ['tree', () => client.tree(wrong)],
    ['register', () => client.register([], wrong)],
    ['unregister', () => client.unregister('x', wrong)],
    ['reset', () => client.reset(wrong)],
  ])('%s', async (_, call) => {
    await expect(call()).rejects.toEqual(refused('tll is not a known option'));
  });
});

describe('arguments in a wrong place are refused', () => {
  test.each<[string, () => Promise<unknown>]>([
    [
      'options behind the function',
      () =>
        client.using(
          'x',
          untyped(() => 1),
          untyped({ ttl: '5s' }),
        ),
    ],
    ['no function', () => client.using('x', untyped({ ttl: '5s' }))],
    ['a number instead of options', () => client.using('x', untyped(30_000), () => 1)],
    ['no target', () => client.reserve(untyped(undefined))],
    ['options without a match', () => client.reserve(untyped({ ttl: '5s' }))],
  ])('%s', async (_, call) => {
    await expect(call()).rejects.toEqual(refused(''));
  });
});

describe('durations', () => {
  test.each([
    [{ ttl: 5 }, "ttl: 5 is 5 ms; write '5s' for seconds"],
    [{ wait: 30 }, "wait: 30 is 30 ms; write '30s' for seconds"],
    [{ ttl: 0 }, "ttl is at least '1s'"],
    [{ ttl: '0s' }, "ttl is at least '1s'"],
    [{ ttl: 'soon' }, 'or Infinity; not soon'],
    [{ wait: '25h' }, "wait is at most '1d'"],
    [{ wait: -1 }, 'wait is a number of ms'],
  ])('%j are refused', async (options, message) => {
    await expect(client.reserve('x', untyped(options))).rejects.toEqual(refused(message));
  });
});
