/**
 * The description of an instance that has a database, and who may call what it describes.
 */
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeKey } from '../../src/identity/credentials.ts';
import { type Instance, startInstance } from '../support/service.ts';
import { databaseEnv, makeStore, type OwnStore, type Session, signIn, storeTenant } from '../support/tenancy.ts';

interface Document {
  paths: Record<string, Record<string, { security?: object[]; responses: object }>>;
}

let store: OwnStore;
let holdfast: Instance;
let session: Session;
let document: Document;
beforeAll(async () => {
  store = await makeStore();
  const tenant = await storeTenant(store);
  session = await signIn(store.redis, tenant.tenant);
  holdfast = await startInstance({ keys: [tenant], env: databaseEnv(store.url) });
  document = (await holdfast.request<Document>('GET', '/openapi.json')).body;
});
afterAll(async () => {
  await holdfast.stop();
  await store.close();
});

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security, responses }]) => ({
      method: method.toUpperCase(),
      path,
      url: path.replace(/\{\w+\}/g, '7b0d9c51-6f0b-4a83-9a3f-2f6f0d2a4a11'),
      accepts: (security ?? []).flatMap((one) => Object.keys(one)),
      statuses: Object.keys(responses),
    })),
  );
const called = (prefix: RegExp) => operations().filter(({ path }) => prefix.test(path));

describe('/openapi.json', () => {
  test('has the operations of tenants and of administration too, and passes a linter', async () => {
    expect(called(/^\/api\/v1\/Tenant/).length).toBeGreaterThanOrEqual(10);
    expect(called(/^\/api\/v1\/admin/).length).toBeGreaterThanOrEqual(7);
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config });
    const rules = problems.map(({ ruleId }) => ruleId);
    expect(rules.filter((rule) => rule !== 'operation-4xx-response' && rule !== 'no-server-example.com')).toEqual([]);
  });

  test('is docs/openapi.json, with the default configuration', () => {
    expect(document).toEqual(JSON.parse(readFileSync('docs/openapi.json', 'utf8')));
  });

  test('tells of every operation but the exchange of JWTs that it may answer 401, and of these 403', () => {
    for (const { method, path, statuses } of called(/^\/api\/v1\/(Tenant|admin)/))
      expect([method, path, statuses]).toEqual([method, path, expect.arrayContaining(['401', '403', '503'])]);
  });
});

describe('every operation but the exchange of JWTs', () => {
  test.each([
    ['nothing', { 'X-Api-Key': '' }],
    ['what is no key', { 'X-Api-Key': 'nonsense' }],
    ['a session that there is not', { 'X-Api-Key': '', Cookie: `holdfast_session=hfs_acme_${'0'.repeat(40)}` }],
  ])('with %s: 401', async (_, headers) => {
    for (const { method, path, url } of called(/^\/api\/v1\/(?!auth)/)) {
      const { status } = await holdfast.request(method, url, method === 'GET' ? undefined : [], headers);
      expect([method, path, status]).toEqual([method, path, 401]);
    }
  });

  test('with another key of the tenant: 401', async () => {
    for (const { method, path, url } of called(/^\/api\/v1\/(?!auth)/)) {
      const headers = { 'X-Api-Key': makeKey(holdfast.tenant) };
      const { status } = await holdfast.request(method, url, method === 'GET' ? undefined : [], headers);
      expect([method, path, status]).toEqual([method, path, 401]);
    }
  });
});

describe('every operation of administration: 403', () => {
  test('with a key, and with the session of somebody who is no admin', async () => {
    const by = {
      key: (method: string, url: string) => holdfast.request(method, url, method === 'GET' ? undefined : {}),
      session: (method: string, url: string) =>
        session.request(holdfast.url, method, url, method === 'GET' ? undefined : {}),
    };
    for (const [who, call] of Object.entries(by))
      for (const { method, path, url } of called(/^\/api\/v1\/admin/))
        expect([who, method, path, (await call(method, url)).status]).toEqual([who, method, path, 403]);
  });
});
