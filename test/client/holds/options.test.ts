/** Options that make no sense are refused at once, in the client's own words. */
import { writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Holdfast } from '../../../packages/client/src/index.ts';

const url = 'http://127.0.0.1:1';
const client = new Holdfast({ url, key: 'k' });
// Values that plain JavaScript may pass.
const untyped = (value: unknown): never => value as never;
const refused = (message: string) =>
  expect.objectContaining({ name: 'HoldfastError', code: 'INVALID_OPTION', message: expect.stringContaining(message) });

describe('the constructor refuses', () => {
  test.each([
    ['no options', undefined, 'url must begin'],
    ['no key', { url }, 'key must be'],
    ['an empty key', { url, key: '' }, 'key must be a non-empty line of ASCII'],
    ['a misspelt key', { url, apiKey: 'k' }, 'apiKey is not a known option'],
    ['a key of two lines', { url, key: 'a\nb' }, 'key must be'],
    ['a key that is no text', { url, key: 7 }, 'key must be'],
    ['no url', { key: 'k' }, 'url must begin'],
    ['a url without a scheme', { url: 'localhost:8080', key: 'k' }, 'url must begin with https:// or http://'],
    [
      'a url with the path of the API',
      { url: `${url}/api/v1/`, key: 'k' },
      'url (HOLDFAST_URL) must end before /api/v1: https://',
    ],
  ])('%s', (_, options, message) => {
    expect(() => new Holdfast(untyped(options))).toThrow(refused(message));
  });
});

describe('fromEnv', () => {
  afterEach(() => void vi.unstubAllEnvs());
  const stub = (env: Readonly<Record<string, string>>) => {
    const none = { HOLDFAST_URL: '', HOLDFAST_KEY: '', HOLDFAST_KEY_FILE: '' };
    for (const [name, value] of Object.entries({ ...none, ...env })) vi.stubEnv(name, value);
  };
  const file = join(tmpdir(), `holdfast-key-${process.pid}`);

  test('makes a client of the variables of the environment', () => {
    stub({ HOLDFAST_URL: url, HOLDFAST_KEY: 'k' });
    expect(Holdfast.fromEnv({ requester: 'ann', retryFor: '3s' }).requester).toBe('ann');
    writeFileSync(file, 'hf_t_x\n');
    stub({ HOLDFAST_URL: url, HOLDFAST_KEY_FILE: file });
    expect(Holdfast.fromEnv()).toBeInstanceOf(Holdfast);
  });

  test.each([
    [{ HOLDFAST_KEY: 'k' }, 'HOLDFAST_URL is not set'],
    [{ HOLDFAST_URL: url }, 'HOLDFAST_KEY is not set'],
    [{ HOLDFAST_URL: url, HOLDFAST_KEY: ' ' }, 'HOLDFAST_KEY is blank'],
    [{ HOLDFAST_URL: url, HOLDFAST_KEY: 'k', HOLDFAST_KEY_FILE: 'f' }, 'are both set: which one?'],
    [{ HOLDFAST_URL: url, HOLDFAST_KEY_FILE: '/dev/null' }, 'HOLDFAST_KEY_FILE is blank: there is no key in /dev/null'],
    [{ HOLDFAST_URL: url, HOLDFAST_KEY_FILE: '/no/file' }, 'HOLDFAST_KEY_FILE: /no/file cannot be read'],
  ])('names the variable that is wrong: %j', (env, message) => {
    stub(env);
    expect(() => Holdfast.fromEnv()).toThrow(refused(message));
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

describe('what the service would refuse, or never see, is refused in the words of the client', () => {
  const item = { requestType: 'RESERVE' as const, resource: 'x' };
  test.each<[string, () => Promise<unknown>, string]>([
    [
      'a priority out of range',
      () => client.reserve('x', { priority: 1000 }),
      'priority is an integer from -100 to 100',
    ],
    ['a priority that is no integer', () => client.reserve('x', { wait: '5s', priority: 0.5 }), 'not 0.5'],
    [
      'a priority of a transaction',
      () => client.transaction({ method: 'FIRST', requests: [item], priority: -101 }),
      'not -101',
    ],
    ['a wait without a lease', () => client.reserve('x', { wait: '5m', ttl: Infinity }), 'needs a ttl that ends'],
    [
      'a transaction that waits without a lease',
      () => client.transaction({ method: 'FIRST', requests: [{ ...item, ttl: Infinity }], wait: '5s' }),
      'needs a ttl that ends',
    ],
  ])('%s', async (_, call, message) => {
    await expect(call()).rejects.toEqual(refused(message));
  });
});

describe('the requester of a client', () => {
  afterEach(() => void vi.unstubAllGlobals());

  test('says the host, the process and random characters', () => {
    expect(client.requester).toMatch(new RegExp(`^${hostname().slice(0, 64)}-${process.pid}-\\w{8}$`));
  });

  test.each([
    ['granted', hostname().slice(0, 64)],
    ['prompt', 'deno'],
  ])('on Deno, too: the name of the host is %s', (state, host) => {
    vi.stubGlobal('Deno', { permissions: { querySync: () => ({ state }) } });
    expect(new Holdfast({ url, key: 'k' }).requester).toMatch(new RegExp(`^${host}-${process.pid}-\\w{8}$`));
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
