/**
 * Each operation has one handler (src/http/call/handle.ts), and each kind of answer the headers that belong to it.
 */
import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Hono } from 'hono';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { HoldfastError } from '../../src/domain/errors.ts';
import { Incoming } from '../../src/http/admission/incoming.ts';
import type { Call } from '../../src/http/call/call.ts';
import { handle } from '../../src/http/call/handle.ts';
import { charged } from '../../src/http/call/reply.ts';
import type { AppEnv } from '../../src/http/deps.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { wire } from '../../src/wire/wire.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { databaseEnv, KINDS } from '../support/tenancy.ts';

const RESERVE = '/api/v1/Reservation/reserve';

test('each path of the API has one handler and no middleware', async () => {
  const database = await KINDS.Postgres();
  const env = { REDIS_URL: inject('redisUrl'), ROLE: 'api', ...databaseEnv(database.url) };
  const services = await wire(readConfig(env), [], createLogger('silent'));
  const { routes } = services.app;
  const router = new RegExpRouter<string>();
  for (const { method, path } of routes) router.add(method, path, `${method} ${path}`);
  const handlersOf = ({ method, path }: { method: string; path: string }) =>
    router.match(method === 'ALL' ? 'POST' : method, path.replaceAll(/:\w+/g, 'x'))[0].map(([name]) => name);
  expect(routes.length).toBeGreaterThan(50);
  expect(routes.map(handlersOf)).toEqual(routes.map(({ method, path }) => [`${method} ${path}`]));
  await services.close();
  await database.drop();
});

describe('a call that has its response', () => {
  test.each([
    ['carried out', () => Promise.resolve({ result: [], quota: [] })],
    ['refused', () => Promise.reject(new HoldfastError('refused', 'no'))],
  ])('that was %s lets go of its body and its error, which refer to all its items', async (_, run) => {
    const calls: Call<string>[] = [];
    const way = {
      path: '/x',
      steps: [
        (call: Call<string>): undefined => {
          call.body = 'items';
          calls.push(call);
        },
      ],
      run,
      reply: charged,
    };
    const deps = { log: createLogger('silent'), logRequests: 'some', metrics: null, traces: null } as const;
    const incoming = new Incoming(new Socket());
    const env = { incoming, outgoing: new ServerResponse(incoming) };
    await new Hono<AppEnv>().post('/x', handle(deps, way)).request('/x', { method: 'POST' }, env);
    expect(calls.map(({ error }) => error)).toEqual([undefined]);
    expect(() => calls[0]?.body).toThrow('no step sets the body');
  });
});

describe('headers', () => {
  let holdfast: Instance;
  const key = { ...makeConfiguredKey(makeTenant()), tier: 'Free' as const };
  beforeAll(async () => {
    const TIERS = JSON.stringify({ Free: { writesPerMinute: 20 } });
    holdfast = await startInstance({ keys: [key], env: { TIERS } });
  });
  afterAll(() => holdfast.stop());

  const item = { resource: 'r', requester: 'a' };
  /** The names of an answer's headers, without those that Node adds. */
  const namesOf = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const answer = await holdfast.request(method, path, body, headers);
    const ofNode = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'];
    return [answer.status, ...[...answer.headers.keys()].filter((name) => !ofNode.includes(name))];
  };
  const common = ['cache-control', 'content-type', 'x-content-type-options', 'x-request-id'];
  const quota = ['ratelimit', 'ratelimit-policy'];
  const andAlso = (...more: string[]) => [...common, ...more].sort();

  test.each<[string, string, string, unknown, Record<string, string>, number, string[]]>([
    ['a result', 'POST', RESERVE, [item], {}, 200, andAlso(...quota)],
    [
      'a minimal one',
      'POST',
      RESERVE,
      [item],
      { Prefer: 'return=minimal' },
      200,
      andAlso(...quota, 'preference-applied', 'vary'),
    ],
    ['a read', 'GET', '/api/v1/Reservation/activeReservations', undefined, {}, 200, andAlso(...quota)],
    ['one that was asked for by HEAD', 'HEAD', '/api/v1/Resource/tree', undefined, {}, 200, andAlso(...quota)],
    [
      'a wrong release token',
      'POST',
      '/api/v1/Reservation/unreserve',
      [item],
      {},
      403,
      andAlso(...quota, 'holdfast-error'),
    ],
    ['a malformed request', 'POST', RESERVE, [{}], {}, 400, andAlso('holdfast-error')],
    ['a caller without a key', 'POST', RESERVE, [item], { 'X-Api-Key': '' }, 401, andAlso('www-authenticate')],
    ['a malformed request without a key', 'POST', RESERVE, [{}], { 'X-Api-Key': '' }, 401, andAlso('www-authenticate')],
    ['an unknown path', 'GET', '/api/v1/nothing', undefined, {}, 404, common],
    ['another method', 'GET', RESERVE, undefined, {}, 405, andAlso('allow')],
    ['too much', 'POST', RESERVE, Array.from({ length: 30 }, () => item), {}, 429, andAlso('retry-after')],
    ['something that needs a database', 'GET', '/api/v1/Tenant', undefined, {}, 503, common],
  ])('of %s', async (_, method, path, body, headers, status, names) => {
    expect(await namesOf(method, path, body, headers)).toEqual([status, ...names]);
  });

  test('of a repeat, and of a response in which something waits', async () => {
    const repeat = () => namesOf('POST', RESERVE, [item], { 'Idempotency-Key': 'k' });
    await repeat();
    expect(await repeat()).toEqual([200, ...andAlso(...quota, 'idempotency-replayed')]);
    const waiting = { ...item, requester: 'b', ttlSeconds: 30, waitSeconds: 5 };
    expect(await namesOf('POST', `${RESERVE}?pollSeconds=0`, [waiting])).toEqual([
      200,
      ...andAlso(...quota, 'holdfast-waiting'),
    ]);
  });

  test('a failure to be authenticated does not say what else was wrong', async () => {
    const wrong = { 'X-Api-Key': `hf_${key.tenant}_${'0'.repeat(40)}` };
    expect(await namesOf('POST', RESERVE, [{}], wrong)).toEqual([401, ...andAlso('www-authenticate')]);
    expect(await namesOf('GET', RESERVE, undefined, wrong)).toEqual([401, ...andAlso('www-authenticate')]);
  });
});
