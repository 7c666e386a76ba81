/** Instances and their Redis are killed and replaced, and programs are stopped: all clients at the same time. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { freePort } from '../../scripts/freePort.ts';
import { type Client as Caller, createClient } from '../support/client.ts';
import { say } from '../support/languages.ts';
import { type InstanceProcess, startProcess } from '../support/process.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { startSentinels, type Topology } from '../support/topologies.ts';
import { until } from '../support/until.ts';
import { CLIENTS, type Client, type Start } from './clients.ts';
import { type Call, Program } from './program.ts';
import { Scene, useService } from './scene.ts';

useService();

/** A program of each client that holds one resource, while a second call of it waits for that. */
class Crowd {
  readonly #all: { readonly name: string; readonly program: Program; readonly held: Call; readonly waits: Call }[] = [];
  readonly #caller: Caller;

  private constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** @param startOf starts the program of a client in another way */
  static async open(url: string, key: string, startOf?: (client: Client) => Promise<Start>): Promise<Crowd> {
    const crowd = new Crowd(createClient(url, key));
    const env = { HOLDFAST_URL: url, HOLDFAST_KEY: key };
    await Promise.all(CLIENTS.map((client) => crowd.#add(client, env, startOf)));
    return crowd;
  }

  async #add(client: Client, env: Record<string, string>, startOf?: (client: Client) => Promise<Start>) {
    const { name } = client;
    const program = await Program.start(client, env, await startOf?.(client));
    const held = program.send({ do: 'using', target: name, options: { ttl: '60s' } });
    await held.event('holding');
    const waits = program.send({ do: 'using', target: name, options: { ttl: '60s', wait: '100s' } });
    this.#all.push({ name, program, held, waits });
  }

  /** Waits until each has its place in the queue. */
  async areWaiting(caller = this.#caller): Promise<void> {
    await until('all wait', async () => (await caller.waiting()).body.length === CLIENTS.length);
  }

  /** Nobody has lost its hold, and each passes it on to the call that waits. */
  async handOver(): Promise<void> {
    await Promise.all(
      this.#all.map(async ({ program, held, waits }) => {
        expect(await program.do({ do: 'look', of: held.id })).toMatchObject({ lost: false });
        await program.do({ do: 'finish', of: held.id });
        expect(await held.answer).toEqual({});
        const [before, after] = [await held.event('holding'), await waits.event('holding')];
        expect(after.fields.fencingToken).toBeGreaterThan(Number(before.fields.fencingToken));
        await program.do({ do: 'finish', of: waits.id });
        expect(await waits.answer).toEqual({});
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map(({ program }) => program[Symbol.asyncDispose]()));
  }
}

describe('an instance that is killed and replaced', () => {
  const key = makeConfiguredKey(makeTenant());
  let port: number;
  let instance: InstanceProcess;
  const start = () =>
    startProcess({
      PORT: String(port),
      REDIS_URL: inject('redisUrl'),
      API_KEYS: JSON.stringify([key]),
      ROLE: 'api',
    });
  beforeAll(async () => {
    port = await freePort();
    instance = await start();
  });
  afterAll(() => instance.kill('SIGKILL'));

  test('costs no hold and no turn', async () => {
    await using crowd = await Crowd.open(instance.url, key.key);
    await crowd.areWaiting();
    instance.kill('SIGKILL');
    await instance.exit;
    instance = await start();
    await crowd.handOver();
  });
});

describe('a Redis that dies, whose place another one takes', () => {
  const key = makeConfiguredKey(makeTenant());
  let topology: Topology;
  let instance: Instance;
  beforeAll(async () => {
    topology = await startSentinels();
    instance = await startInstance({ keys: [key], redisUrl: topology.url, env: { REDIS_WAIT_REPLICAS: '1' } });
  });
  afterAll(async () => {
    await instance?.stop();
    await topology?.stop();
  });

  // Sentinels may need several elections.
  test('costs no hold and no turn', { timeout: 120_000 }, async () => {
    await using crowd = await Crowd.open(instance.url, key.key);
    await crowd.areWaiting();
    const primary = await topology.primaryOf(0);
    process.kill(primary.pid, 'SIGKILL');
    await until('the sentinel knows', async () => (await topology.primaryOf(0)).port !== primary.port);
    await crowd.handOver();
  });
});

/** Runs a program with a file in the place of /etc/hosts. */
const withHosts = (hosts: string, command: readonly string[]): readonly [string, ...string[]] => [
  'unshare',
  '--mount',
  'sh',
  '-c',
  `mount --bind "$0" /etc/hosts && exec "$@"`,
  hosts,
  ...command,
];

describe('a name with the addresses of two instances', () => {
  const key = makeConfiguredKey(makeTenant());
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-hosts-'));
  const hosts = join(folder, 'hosts');
  writeFileSync(hosts, '127.0.0.1 localhost\n127.0.0.1 two.test\n127.0.0.2 two.test\n');
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is served by the other one when either is gone', async ({ skip }) => {
    try {
      execFileSync('unshare', withHosts(hosts, ['getent', 'hosts', 'two.test']).slice(1), { stdio: 'ignore' });
    } catch {
      say('Skipped, since this user may not mount: a name with the addresses of two instances');
      skip();
    }
    const port = await freePort();
    const start = (host: string) => startInstance({ keys: [key], host, port });
    let first = await start('127.0.0.1');
    const second = await start('127.0.0.2');
    const startOf = async (client: Client) => {
      const { command, ...start } = await client.start();
      return { ...start, command: withHosts(hosts, command) };
    };
    await using crowd = await Crowd.open(`http://two.test:${port}`, key.key, startOf);
    await crowd.areWaiting(first);
    await first.stop();
    await until('the second one serves all', async () => {
      const { body } = await second.waiting();
      return body.length === CLIENTS.length && body.every(({ attended }) => attended);
    });
    first = await start('127.0.0.1');
    await second.stop();
    await crowd.handOver();
    await first.stop();
  });
});

describe.concurrent.each(CLIENTS)('$name: SIGTERM', (client) => {
  test('releases what it holds and leaves the queue', async () => {
    await using scene = await Scene.open(client);
    const { program, caller } = scene;
    await caller.reserve({ resource: 'busy', requester: 'ann', ttlSeconds: 60 });
    const held = program.send({ do: 'using', target: 'printer' });
    program.send({ do: 'using', target: 'busy', options: { wait: '30s' } });
    await held.event('holding');
    await scene.isWaiting();
    program.kill('SIGTERM');
    expect(await program.exit).toBe(0);
    expect((await caller.active()).body).toMatchObject([{ requester: 'ann' }]);
    expect((await caller.waiting()).body).toEqual([]);
  });
});

const forking = CLIENTS.filter(({ canFork }) => canFork);

describe.concurrent.each(forking)('$name: a fork while it holds', (client) => {
  test('is another requester, and has lost the hold', async () => {
    await using scene = await Scene.open(client);
    const { program, caller } = scene;
    const held = program.send({ do: 'using', target: 'printer', options: { ttl: '6s' } });
    const { requester } = (await held.event('holding')).fields;
    const end = await scene.endOf('printer');
    const child = Object(await program.do({ do: 'fork', of: held.id, target: 'printer' }));
    expect(child).toMatchObject({ lost: true, code: 'ALREADY_HELD' });
    expect(child.requester).not.toBe(requester);
    expect(await program.do({ do: 'fork', of: held.id, target: 'free' })).toMatchObject({ code: null });
    await until('the parent renews', async () => (await scene.endOf('printer')) > end);
    expect((await caller.active()).body).toMatchObject([{ resource: 'printer', requester }]);
    await program.do({ do: 'finish', of: held.id });
    expect(await held.answer).toEqual({});
  });
});
