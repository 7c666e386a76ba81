/** Streams of events and mirrors, also when their connection is lost for a while. */
import { beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../support/client.ts';
import { startRelay } from '../support/haproxy.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { until } from '../support/until.ts';
import { CLIENTS, type Client, prepareClients } from './clients.ts';
import { type Call, Program } from './program.ts';

beforeAll(prepareClients);

/** A program with a stream and a mirror, by way of a relay that can be shut. */
async function follow(client: Client) {
  const key = makeConfiguredKey(makeTenant());
  const instance = await startInstance({ keys: [key] });
  const relay = await startRelay(instance);
  const program = await Program.start(client, { HOLDFAST_URL: relay.url, HOLDFAST_KEY: key.key });
  const stop = async () => {
    await program[Symbol.asyncDispose]();
    await relay.stop();
    await instance.stop();
  };
  return { program, relay, caller: createClient(instance.url, key.key), stop };
}

const names = ({ told }: Call) => told.map(({ event, fields }) => [event, fields.resource].filter(Boolean).join(' '));

describe.concurrent.each(CLIENTS)('$name', (client) => {
  test('tells the gap between two connections, and its mirror reads everything anew', async () => {
    const { program, relay, caller, stop } = await follow(client);
    await caller.reserve({ resource: 'stays', requester: 'ann' });
    const [goes] = (await caller.reserve({ resource: 'goes', requester: 'ann' })).body;
    const stream = program.send({ do: 'events', types: ['RESERVED'] });
    const mirror = program.send({ do: 'mirror' });
    await stream.event('CONNECTED');
    await mirror.event('open');
    await caller.reserve({ resource: 'seen', requester: 'ann' });
    await until('the event', () => names(stream).includes('RESERVED seen'));
    await until('the change', () => names(mirror).includes('change seen'));

    relay.shut();
    await stream.event('DISCONNECTED');
    await mirror.event('connection');
    await caller.unreserve({ resource: 'goes', requester: 'ann', releaseToken: goes?.releaseToken ?? '' });
    await caller.reserve({ resource: 'missed', requester: 'bob' });
    const held = async () => Object(await program.do({ do: 'mirrored', of: mirror.id })).held;
    expect(await held()).toEqual({ stays: ['ann'], goes: ['ann'], seen: ['ann'] });
    relay.open();

    await until('the second connection', () => names(stream).filter((name) => name === 'CONNECTED').length === 2);
    await until('the mirror has all', () => names(mirror).includes('change missed'));
    await until('it is connected', () => mirror.told.filter(({ event }) => event === 'connection').length === 2);
    expect(await held()).toEqual({ stays: ['ann'], seen: ['ann'], missed: ['bob'] });
    await caller.reserve({ resource: 'last', requester: 'ann' });
    await until('the event', () => names(stream).includes('RESERVED last'));
    await until('the change', () => names(mirror).includes('change last'));
    expect(names(stream)).toEqual(['CONNECTED', 'RESERVED seen', 'DISCONNECTED', 'CONNECTED', 'RESERVED last']);
    expect(
      names(mirror)
        .filter((name) => name.startsWith('change'))
        .sort(),
    ).toEqual(['change goes', 'change last', 'change missed', 'change seen']);
    for (const of of [stream.id, mirror.id]) await program.do({ do: 'cancel', of });
    expect([await stream.answer, await mirror.answer]).toEqual([{}, {}]);
    await stop();
  });
});
