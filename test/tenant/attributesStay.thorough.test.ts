/**
 * Attributes leave by no other door than those that are meant for them (docs/specification.md#attributes): every
 * operation, event, page, tool, log line and metric is searched for a value, and so is all that Redis and the database
 * keep. A new operation, page or tool is searched without being named here.
 */
import { type SQL, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { DEFAULT_TIERS } from '../../src/domain/tiers.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { setCondition } from '../../src/engine/reservations/conditions.ts';
import { DEFAULT_INSTANCE, openapiDocument } from '../../src/http/openapi/openapi.ts';
import { CALLERS } from '../../src/http/reference/callers.ts';
import type { ConfiguredKey } from '../../src/identity/configured.ts';
import { digestOf } from '../../src/identity/credentials.ts';
import { defineScripts, loadScripts } from '../../src/redis/scripts.ts';
import { makeCallers } from '../support/callers.ts';
import { type Client, createClient } from '../support/client.ts';
import { type DashboardService, startDashboard } from '../support/dashboard.ts';
import { EXAMPLES, type ExampleRequest, type Ids } from '../support/exampleRequests.ts';
import { startAgent } from '../support/mcp.ts';
import { type OpenStore, openStore, storeTenant } from '../support/tenancy.ts';
import { unknownIds } from '../support/things.ts';
import { type Subscriber, watch } from '../support/watch.ts';

/** The values that are searched for: of a resource, of a slot, and the reason of a condition. */
const OWN = 'marker-of-the-resource';
const OF_SLOT = 'marker-of-the-slot';
const REASON = 'marker-of-the-reason';
const ATTRIBUTES = /marker-of-the-(resource|slot)/;

/** Addresses of one page that are opened, with different queries. */
const MOST_OF_A_PAGE = 3;

const NAME = 'ci/marked';
const POOL = 'ci/pool';
const ELSEWHERE = 'elsewhere';

const Operation = z.object({
  operationId: z.string(),
});
const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), Operation)) });
const OPERATIONS = Object.entries(Document.parse(openapiDocument(DEFAULT_INSTANCE)).paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId }]) => ({ method: method.toUpperCase(), path, operationId })),
);

let service: DashboardService;
let store: OpenStore;
let own: ConfiguredKey;
let client: Client;
let callers: Awaited<ReturnType<typeof makeCallers>>;
let stream: Subscriber;
let ids: Ids;

beforeAll(async () => {
  service = await startDashboard({ METRICS_PORT: '9464' });
  store = await openStore(service.env.DATABASE_URL ?? '');
  defineScripts(store.redis, loadScripts(DEFAULT_TIERS));
  own = await storeTenant(store);
  client = createClient(service.one.url, own.key);
  callers = await makeCallers(store, own, service.one);
  stream = await watch({ url: service.one.url, key: own.key });
  ids = { ...unknownIds(), tenant: own.tenant, resource: NAME };
  await client.register(
    { name: NAME, attributes: { own: OWN }, slotAttributes: [{ slot: OF_SLOT }], labels: { os: 'android' } },
    { name: POOL, capacity: 3, attributes: { own: OWN }, slotAttributes: [{ slot: OF_SLOT }, { slot: OF_SLOT }] },
    { name: ELSEWHERE, capacity: 2, attributes: { own: OWN }, slotAttributes: [{ slot: OF_SLOT }] },
    { name: 'ci/below', treePath: 'rack>ci/parent', blocks: [NAME, POOL], attributes: { own: OWN } },
  );
  await live();
});
afterAll(async () => {
  stream.close();
  await store.close();
  await service.stop();
});

/** Does all that a tenant does with resources: reserves, waits, grants, refuses, fails, ends and repairs. */
async function live() {
  const item = { requester: 'q', ttlSeconds: 600 };
  const reserve = (items: readonly object[], headers = {}) =>
    client.request<object[]>('POST', '/api/v1/Reservation/reserve?pollSeconds=0', items, headers);
  const [held] = (await reserve([{ ...item, resource: NAME }])).body;
  await reserve([{ ...item, resource: NAME, requester: 'waits', waitSeconds: 600 }]);
  await client.request('POST', '/api/v1/Reservation/unreserve', [held]);
  const [claimed] = (await reserve([{ ...item, resource: NAME, requester: 'waits', waitSeconds: 600 }])).body;
  await reserve([
    { ...item, resource: `${POOL}_0`, mode: 'SHARED' },
    { ...item, resource: POOL, requester: 'two', count: 2 },
    { ...item, resource: POOL, requester: 'refused' },
    { ...item, resource: 'ci/below', requester: 'three' },
    { ...item, match: { os: 'android' }, requester: 'refused' },
  ]);
  const [other] = (await reserve([{ ...item, resource: ELSEWHERE, note: REASON }], { 'Idempotency-Key': 'once' })).body;
  for (const method of ['ALL_OR_NONE', 'AS_MANY_AS_POSSIBLE', 'FIRST'])
    await client.request('POST', '/api/v1/Reservation/transaction', {
      method,
      requests: [ELSEWHERE, NAME].map((resource) => ({ ...item, resource, requester: method, requestType: 'RESERVE' })),
    });
  await client.request('POST', '/api/v1/Reservation/unreserve', [other]);
  await client.register({ name: ELSEWHERE, capacity: 2 });
  await client.request('POST', '/api/v1/Reservation/unreserve', [claimed]);
  const engine: Engine = { redis: store.redis, tiers: DEFAULT_TIERS, loadTenant: async () => false };
  const credential = { tenant: own.tenant, credentialKey: digestOf(own.key), kind: 'key' as const };
  await setCondition(engine, credential, [{ resource: `${ELSEWHERE}_1`, condition: 'out', reason: REASON }]);
  await setCondition(engine, credential, [{ resource: `${ELSEWHERE}_1`, condition: 'ready' }]);
  await setCondition(engine, credential, [{ resource: `${ELSEWHERE}_0`, condition: 'out', reason: REASON }]);
  await client.reserve({ resource: NAME, requester: 'q' });
}

/** Sends a request, and returns what comes back, headers included. Of a stream, only the head. */
async function send(method: string, path: string, body: unknown, headers: Readonly<Record<string, string>>) {
  const response = await fetch(service.one.url + path, {
    method,
    redirect: 'manual',
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  if (isStream) await response.body?.cancel();
  const text = isStream ? '' : await response.text();
  return `${JSON.stringify([...response.headers])}${text}`;
}

const addressOf = (path: string, { path: parameters = {}, query = '' }: ExampleRequest) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? 'missing')) + query;

/** More requests of some operations: those that say more than their example. */
const MORE: readonly (readonly [string, string, unknown?])[] = [
  ['GET', '/api/v1/Reservation/history?format=csv'],
  ['GET', '/api/v1/Reservation/history?limit=500'],
  [
    'GET',
    `/api/v1/Resource/usage?${new URLSearchParams({ resource: NAME, from: new Date(Date.now() - 3_600_000).toISOString() })}`,
  ],
  ['GET', '/api/v1/Resource/usage?format=csv'],
  ['GET', '/api/v1/Audit?limit=100'],
  [
    'POST',
    '/api/v1/Reservation/reserve?dryRun=true',
    [
      { resource: POOL, requester: 'dry' },
      { resource: NAME, requester: 'q' },
    ],
  ],
  ['POST', '/api/v1/Reservation/reserve', [{ resource: NAME, requester: 'nobody-yet' }]],
  ['POST', '/api/v1/Reservation/check', [NAME, POOL, `${POOL}_0`].map((resource) => ({ resource, requester: 'q' }))],
  [
    'POST',
    '/api/v1/Reservation/transaction?dryRun=true',
    { method: 'ALL_OR_NONE', requests: [{ requestType: 'RESERVE', resource: `${ELSEWHERE}_1`, requester: 'dry' }] },
  ],
];

/** Operations that end something come last. */
const ENDS = /^(endToken|unreserve|reset|deleteResource|endSession|cancel|leaveTenant|registerResources)$/;

test('of all operations, only reserves tell them, and definitions to who may change them', async () => {
  const told: string[] = [];
  const tried = OPERATIONS.filter(({ operationId }) => operationId !== 'leaveTenant').sort(
    (a, b) => Number(ENDS.test(a.operationId)) - Number(ENDS.test(b.operationId)),
  );
  const ask = (title: string, method: string, path: string, body: unknown) =>
    Promise.all(
      [...callers].map(async ([name, headers]) => {
        if (ATTRIBUTES.test(await send(method, path, body, headers))) told.push(`${title}: ${name}`);
      }),
    );
  for (const [method, path, body] of MORE) await ask(`${method} ${path}`, method, path, body);
  for (const { method, path, operationId } of tried) {
    const request = EXAMPLES[operationId]?.(ids) ?? expect.fail(`${operationId} has no example request`);
    await ask(operationId, method, addressOf(path, request), request.body);
  }
  const may = (right: 'reserve' | 'define') => CALLERS.filter(({ meets }) => meets(right)).map(({ name }) => name);
  expect(told.sort()).toEqual(
    [
      ...may('reserve').flatMap((name) => [`reserve: ${name}`, `transaction: ${name}`]),
      ...may('define').map((name) => `listDefinitions: ${name}`),
    ].sort(),
  );
});

describe('after all that', () => {
  test('a key with a prefix sees those of names that it may change only', async () => {
    await client.register({ name: NAME, attributes: { own: OWN } });
    const text = await send('GET', '/api/v1/Resource/definitions', undefined, callers.get('full with a prefix') ?? {});
    const all = z
      .array(z.object({ name: z.string(), attributes: z.unknown().optional() }))
      .parse(JSON.parse(text.slice(text.indexOf(']]') + 2)));
    expect(all.filter(({ attributes }) => attributes !== undefined).every(({ name }) => name.startsWith('ci/'))).toBe(
      true,
    );
    expect(all.some(({ name }) => name === ELSEWHERE)).toBe(true);
  });

  test('no event has them', async () => {
    await client.reserve({ resource: 'last', requester: 'q' });
    await expect.poll(() => stream.texts.some((text) => text.includes('"last"'))).toBe(true);
    expect(new Set(stream.events.map(({ type }) => type)).size).toBeGreaterThan(8);
    expect(stream.texts.filter((text) => ATTRIBUTES.test(text))).toEqual([]);
  });

  test('no page has them, but for a form of who may define', async () => {
    for (const [name, isShown] of [
      ['member', false],
      ['owner', true],
    ] as const) {
      const seen = new Set(['/dashboard']);
      const ofPage = new Map<string, number>();
      for (const path of seen) {
        const text = await send('GET', path, undefined, callers.get(name) ?? {});
        if (ATTRIBUTES.test(text))
          expect([name, path, isShown]).toEqual([name, expect.stringMatching(/register/), true]);
        for (const [, link = ''] of text.matchAll(/(?:href|src|action|data-\w+)="(\/dashboard[^"#]*)/g)) {
          const [page = ''] = link.split('?');
          const times = ofPage.get(page) ?? 0;
          ofPage.set(page, times + 1);
          if (times < MOST_OF_A_PAGE) seen.add(link.replaceAll('&amp;', '&'));
        }
      }
      expect(seen.size).toBeGreaterThan(20);
    }
  });

  test('of the tools of agents, only reserve tells them', async () => {
    const agent = await startAgent({ url: service.one.url, key: own.key });
    const { tools } = await agent.client.listTools();
    const told: string[] = [];
    for (const { name } of tools) {
      for (const args of [{}, { resource: NAME, requester: 'q' }, { name: 'ci/registered' }]) {
        const { text, data } = await agent
          .call(name, args)
          .catch((error: Error) => ({ text: error.message, data: {} }));
        if (ATTRIBUTES.test(text + JSON.stringify(data))) told.push(name);
      }
    }
    await agent.close();
    expect([...new Set(told)]).toEqual(['reserve']);
  });

  test('no log line and no metric has them, nor the reason of a condition or a note', async () => {
    for (const { logged, scrape } of [service.one, service.other]) {
      const metrics = await scrape();
      expect(metrics).toContain('holdfast_');
      for (const line of [...logged, ...metrics.split('\n')]) expect(line).not.toMatch(/marker-of-the/);
    }
    expect(service.one.logged.length).toBeGreaterThan(10);
  });

  test('Redis keeps them with the definitions, and in replies that it may have to repeat', async () => {
    const { redis } = store;
    const found: string[] = [];
    for (const key of await redis.keys(`{${own.tenant}}:*`)) {
      const read = {
        hash: () => redis.hgetall(key),
        zset: () => redis.zrange(key, '0', '-1'),
        list: () => redis.lrange(key, '0', '-1'),
        stream: () => redis.xrange(key, '-', '+'),
        string: () => redis.get(key),
        set: () => redis.smembers(key),
        // A key may have expired since it was listed.
        none: () => Promise.resolve([]),
      }[await redis.type(key)];
      if (read === undefined) throw new Error(`${key} is of an unknown type`);
      if (ATTRIBUTES.test(JSON.stringify(await read()))) found.push(key.replace(/^\{.*\}:/, ''));
    }
    expect(found.filter((key) => !/^(answer|idempotency):/.test(key))).toEqual(['definitions']);
  });

  test('the database keeps them with the definitions alone', async () => {
    const Names = z.array(z.object({ name: z.string() }));
    const rowsOf = (query: SQL) => store.database.run((db) => db.execute(query));
    const tables = Names.parse(
      await rowsOf(sql`select quote_ident(table_schema) || '.' || quote_ident(table_name) as name
        from information_schema.tables
        where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`),
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const query = sql`select ${name} as name from ${sql.raw(name)} as t where t::text ~ ${ATTRIBUTES.source} limit 1`;
      found.push(...Names.parse(await rowsOf(query)).map((row) => row.name));
    }
    expect(found).toEqual(['public.definitions']);
  });
});
