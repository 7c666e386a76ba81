/**
 * The names of receivers (docs/specification.md#addresses-of-tenants), at a name server of our own.
 */
import { createSocket } from 'node:dgram';
import { type LookupAddress, promises } from 'node:dns';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkedLookup } from '../../src/outgoing/lookUp.ts';

const CLOSED = { allowPrivate: false, allowHttp: false };
const OPEN = { allowPrivate: true, allowHttp: true };
const TYPE_A = 1;
const TYPE_AAAA = 28;

/** Name → its addresses as bytes, 4 or 16. Names that are not here get no answer at all. */
const NAMES: Readonly<Record<string, readonly (readonly number[])[]>> = {
  'public.test': [[8, 8, 8, 8]],
  'both.test': [
    [8, 8, 8, 8],
    [0x26, 6, 0x47, ...Array.from({ length: 13 }, () => 1)],
  ],
  'private.test': [[10, 0, 0, 1]],
  'mixed.test': [
    [8, 8, 8, 8],
    [10, 0, 0, 1],
  ],
  'mixed6.test': [
    [8, 8, 8, 8],
    [...Array.from({ length: 15 }, () => 0), 1],
  ],
  'mapped.test': [[...Array.from({ length: 10 }, () => 0), 255, 255, 127, 0, 0, 1]],
  'metadata.test': [[169, 254, 169, 254]],
  'none.test': [],
};

const server = createSocket('udp4');
beforeAll(async () => {
  server.on('message', (query, { port, address }) => {
    const reply = replyTo(query);
    if (reply !== null) server.send(reply, port, address);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

/** The header and the question of the query, and an answer for each address of the type; null: silence */
function replyTo(query: Buffer): Buffer | null {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  const addresses = NAMES[labels.join('.').toLowerCase()];
  if (addresses === undefined) return null;
  const type = query.readUInt16BE(at + 1);
  const size = { [TYPE_A]: 4, [TYPE_AAAA]: 16 }[type] ?? 0;
  const fitting = addresses.filter(({ length }) => length === size);
  const head = Buffer.from(query.subarray(0, at + 5));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(fitting.length, 6);
  head.writeUInt32BE(0, 8);
  const answers = fitting.map((bytes) => [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 1, 0, bytes.length, ...bytes]);
  return Buffer.concat([head, ...answers.map((bytes) => Buffer.from(bytes))]);
}

const lookUp = (name: string, rules = CLOSED, signal = AbortSignal.timeout(5000)) =>
  new Promise<string[]>((resolve, reject) => {
    const find = checkedLookup(rules, signal, [`127.0.0.1:${server.address().port}`]);
    find(name, { all: true }, (error, found) => {
      if (error !== null) reject(error);
      else resolve((Array.isArray(found) ? found : []).map(({ address }: LookupAddress) => address));
    });
  });

describe('a name leads', () => {
  test('to its public addresses of both families', async () => {
    expect(await lookUp('public.test')).toEqual(['8.8.8.8']);
    expect(await lookUp('both.test')).toEqual(['8.8.8.8', '2606:4701:101:101:101:101:101:101']);
  });

  const NOWHERE = 'The name of the host has no address, or one that is not allowed.';

  test.each(['private.test', 'mixed.test', 'mixed6.test', 'mapped.test', 'metadata.test'])(
    'nowhere if one of its addresses is private: %s',
    async (name) => {
      await expect(lookUp(name)).rejects.toThrow(NOWHERE);
    },
  );

  test('to private addresses, too, if the configuration allows them, but never to the metadata of a cloud', async () => {
    expect(await lookUp('mixed.test', OPEN)).toEqual(['8.8.8.8', '10.0.0.1']);
    await expect(lookUp('metadata.test', OPEN)).rejects.toThrow(NOWHERE);
  });

  test('nowhere if it has no address, with the same words: tenants must not learn the names of this network', async () => {
    await expect(lookUp('none.test')).rejects.toThrow(NOWHERE);
  });
});

test('names whose servers never answer hold nobody up, and end with the request', async () => {
  const requests = Array.from({ length: 64 }, () => new AbortController());
  let ended = 0;
  const silent = requests.map(({ signal }, i) => lookUp(`n${i}.silent`, CLOSED, signal).finally(() => ended++));
  const refused = Promise.allSettled(silent);
  // The system's lookup has four threads: it would have to wait until some of those end.
  await promises.lookup('localhost');
  expect(ended).toBe(0);
  for (const request of requests) request.abort();
  expect((await refused).every(({ status }) => status === 'rejected')).toBe(true);
});
