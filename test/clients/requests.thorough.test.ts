/** Requests that fail, keys that end, and what errors and shown objects say. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadTenant } from '../../src/engine/tenant/record.ts';
import { configuredTenants } from '../../src/identity/configured.ts';
import { createClient } from '../support/client.ts';
import { startEngine } from '../support/engine.ts';
import { startFaultyProxy } from '../support/faultyProxy.ts';
import { sign, trusted, useJwks } from '../support/jwt.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { until } from '../support/until.ts';
import { CLIENTS } from './clients.ts';
import { Program } from './program.ts';
import { Scene, service, useService } from './scene.ts';

useService();
useJwks();
const folder = mkdtempSync(join(tmpdir(), 'holdfast-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

const overloaded = { status: 503, body: { error: 'Try again.', code: 'OVERLOADED' } };
const limited = (seconds: number) => ({
  status: 429,
  headers: { 'Retry-After': String(seconds) },
  body: { error: 'As a test wants it.', code: 'LIMIT_REACHED', limitType: 'WritesPerMinute' },
});
const reserve = { do: 'reserve', target: 'printer' } as const;

describe.concurrent.each(CLIENTS)('$name: a request', (client) => {
  test('is repeated after a 503, a lost connection and, not before its Retry-After, a 429', async () => {
    await using scene = await Scene.open(client);
    scene.proxy.next(overloaded, 'drop', limited(1));
    await scene.program.do(reserve);
    const [, , third, fourth] = scene.proxy.noted;
    expect((fourth?.at ?? 0) - (third?.at ?? 0)).toBeGreaterThanOrEqual(1000);
  });

  test('whose response is cut gives its result all the same', async () => {
    await using scene = await Scene.open(client);
    const { program, proxy, caller } = scene;
    proxy.next('cut');
    const hold = program.send(reserve);
    const { fencingToken } = Object(await hold.answer);
    expect((await caller.active()).body).toMatchObject([{ fencingToken }]);
    proxy.next('cut');
    expect(await program.do({ do: 'release', of: hold.id })).toEqual({ released: true });
    expect((await caller.active()).body).toEqual([]);
  });

  test('fails by a code: held, limited, not valid, unknown key, had by this client', async () => {
    await using scene = await Scene.open(client);
    const { program, proxy, caller } = scene;
    await caller.reserve({ resource: 'printer', requester: 'ann', note: 'report', ttlSeconds: 60 });
    const held = {
      heldBy: { requester: 'ann', note: 'report' },
      message: expect.stringMatching(/ann has printer \(report\)$/),
    };
    await expect(program.do(reserve)).rejects.toMatchObject({ code: 'ALREADY_HELD', ...held });
    expect(await program.do({ ...reserve, do: 'tryReserve' })).toBeNull();
    await expect(program.do({ ...reserve, options: { wait: '1s' } })).rejects.toMatchObject(held);
    const chosen = { ...reserve, target: 'chosen', options: { requester: 'worker' } };
    await program.do(chosen);
    await expect(program.do(chosen)).rejects.toMatchObject({ code: 'ALREADY_HAD' });
    proxy.next(limited(600));
    const limit = { code: 'LIMIT_REACHED', limitType: 'WritesPerMinute', retryAfterMs: 600_000, status: 429 };
    await expect(program.do(reserve)).rejects.toMatchObject(limit);
    await using stranger = await Program.start(client, { HOLDFAST_URL: proxy.url, HOLDFAST_KEY: 'hf_nobody_0000' });
    await expect(stranger.do(reserve)).rejects.toMatchObject({ code: 'UNAUTHENTICATED', status: 401 });
  });
});

describe.concurrent.each(CLIENTS)('$name: a session', (client) => {
  test('keeps its holds, which end together', async () => {
    await using scene = await Scene.open(client);
    const { program, caller } = scene;
    const session = program.send({ do: 'session', options: { ttl: '5s' } });
    const { requester } = Object(await session.answer);
    await program.do({ ...reserve, session: session.id });
    const second = program.send({ ...reserve, target: 'scanner', session: session.id });
    expect(await second.answer).toMatchObject({ requester });
    const end = await scene.endOf('printer');
    await until('a renewal', async () => (await scene.endOf('printer')) > end);
    expect(await program.do({ do: 'look', of: session.id })).toMatchObject({ lost: false });
    expect(await program.do({ do: 'end', of: session.id })).toEqual({ released: 2 });
    expect((await caller.active()).body).toEqual([]);
  });
});

let files = 0;

describe.concurrent.each(CLIENTS)('$name: a key', (client) => {
  /** A client that reads its key from a file. `revoke` takes the key from its tenant, which then has `next`. */
  async function withKeyFile() {
    const file = join(folder, String(files++));
    const scene = await Scene.open(client, { keyFile: file });
    const next = makeConfiguredKey(scene.tenant);
    const revoke = async () => {
      const { engine, stop } = await startEngine(scene.tenant);
      const record = configuredTenants([next]).get(scene.tenant);
      if (record) await loadTenant(engine.redis, record);
      stop();
    };
    return { scene, revoke, caller: createClient(service.url, next.key), rotate: () => writeFileSync(file, next.key) };
  }

  test('that is rotated costs no hold and no turn', async () => {
    const { scene, caller, revoke, rotate } = await withKeyFile();
    await using _ = scene;
    const { program } = scene;
    const busy = { resource: 'busy', requester: 'ann' };
    const [taken] = (await scene.caller.reserve({ ...busy, ttlSeconds: 60 })).body;
    const held = program.send({ do: 'using', target: 'printer', options: { ttl: '6s' } });
    const waits = program.send({ do: 'using', target: 'busy', options: { wait: '30s' } });
    await held.event('holding');
    await scene.isWaiting();
    const [ticket] = (await scene.caller.waiting()).body;
    const end = await scene.endOf('printer');
    rotate();
    await revoke();
    const endNow = async () => Date.parse((await caller.active('?resource=printer')).body[0]?.expiresAt ?? '');
    await until('a renewal with the next key', async () => (await endNow()) > end);
    expect((await caller.waiting()).body).toMatchObject([{ since: ticket?.since }]);
    await caller.unreserve({ ...busy, releaseToken: taken?.releaseToken ?? '' });
    await waits.event('holding');
    expect(await program.do({ do: 'look', of: held.id })).toMatchObject({ lost: false });
  });

  test('that is revoked ends the wait, and the hold before its lease ends', async () => {
    const { scene, caller, revoke } = await withKeyFile();
    await using _ = scene;
    const { program } = scene;
    await scene.caller.reserve({ resource: 'busy', requester: 'ann', ttlSeconds: 60 });
    const held = program.send({ do: 'using', target: 'printer', options: { ttl: '8s' } });
    const waits = program.send({ do: 'using', target: 'busy', options: { wait: '30s' } });
    await held.event('holding');
    await scene.isWaiting();
    await revoke();
    const [active] = (await caller.active('?resource=printer')).body;
    expect((await held.event('lost')).at).toBeLessThan(Date.parse(active?.expiresAt ?? ''));
    await expect(held.answer).rejects.toMatchObject({ code: 'LEASE_LOST', cause: 'UNAUTHENTICATED' });
    await expect(waits.answer).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});

describe.concurrent('the JWT of a CI job', () => {
  let trusting: Instance;
  const tenants = new Map(CLIENTS.map(({ name }) => [name, makeConfiguredKey(makeTenant())]));
  beforeAll(async () => {
    const keys = [...tenants.values()];
    const issuers = keys.map(({ tenant }) => trusted(`holdfast:${tenant}`, tenant, { requester: '{sub}#job' }));
    const fields = ['tenant', 'id', 'issuer', 'audience', 'jwksUrl', 'conditions', 'requester'] as const;
    const registered = issuers.map((one) => Object.fromEntries(fields.map((field) => [field, one[field]])));
    const env = { JWT_ISSUERS: JSON.stringify(registered), JWKS_ALLOW_PRIVATE: 'true' };
    trusting = await startInstance({ keys, env });
  });
  afterAll(() => trusting.stop());

  test.each(CLIENTS)('$name exchanges it again when its token has ended', async (client) => {
    const key = tenants.get(client.name);
    const tenant = key?.tenant ?? '';
    const file = join(folder, String(files++));
    writeFileSync(file, await sign({ aud: `holdfast:${tenant}` }));
    const proxy = await startFaultyProxy(trusting.url);
    const env = { HOLDFAST_URL: proxy.url, HOLDFAST_TENANT: tenant, HOLDFAST_JWT_FILE: file };
    await using program = await Program.start(client, env);
    const held = program.send({ do: 'using', target: 'printer', options: { ttl: '6s' } });
    expect((await held.event('holding')).fields).toMatchObject({ requester: 'alice#job' });
    const exchanges = () => proxy.noted.filter(({ path }) => path === '/auth/token').length;
    const token = String(proxy.noted.at(-1)?.headers['x-api-key']);
    expect((await createClient(trusting.url, token).request('DELETE', '/api/v1/auth/token')).status).toBe(204);
    await until('the second exchange', () => exchanges() === 2);
    const caller = createClient(trusting.url, key?.key ?? '');
    const end = async () => (await caller.active()).body[0]?.expiresAt;
    const before = await end();
    await until('a renewal', async () => (await end()) !== before);
    expect(await program.do({ do: 'look', of: held.id })).toMatchObject({ lost: false });
    expect(program.output).not.toContain(token);
    await proxy.stop();
  });
});

describe.concurrent.each(CLIENTS)('$name: keys and release tokens', (client) => {
  test('are in no shown object and no message', async () => {
    await using scene = await Scene.open(client);
    const { program, proxy } = scene;
    const hold = program.send(reserve);
    const held = program.send({ do: 'using', target: 'scanner' });
    const session = program.send({ do: 'session' });
    await Promise.all([hold.answer, held.event('holding'), session.answer]);
    for (const { id } of [hold, held, session])
      expect(await program.do({ do: 'show', of: id })).toEqual({ text: expect.stringMatching(/./) });
    proxy.next({ status: 500, body: { error: 'A fault.', code: 'INTERNAL' } }, overloaded);
    await program.do({ do: 'renew', of: hold.id }).catch(() => {});
    await scene.caller.reset();
    await expect(program.do({ do: 'renew', of: hold.id })).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await program.do({ do: 'end', of: session.id });
    const secrets = proxy.noted.flatMap(({ body }) =>
      [...body.matchAll(/"(?:releaseToken|token)": ?"([^"]+)"/g)].map(([, secret = '']) => secret),
    );
    expect(new Set(secrets).size).toBeGreaterThanOrEqual(2);
    for (const secret of [...secrets, scene.key]) expect(program.output).not.toContain(secret);
  });
});
