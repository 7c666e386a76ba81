/**
 * Every operation of the OpenAPI document against every kind of credential (docs/specification.md#rights), and against
 * the ids of another tenant.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { RIGHTS } from '../../src/domain/rights.ts';
import { CODE_HEADER } from '../../src/http/errors.ts';
import { DEFAULT_INSTANCE, openapiDocument } from '../../src/http/openapi/openapi.ts';
import { CALLERS } from '../../src/http/reference/callers.ts';
import type { ConfiguredKey } from '../../src/identity/configured.ts';
import { makeCallers, storeKey } from '../support/callers.ts';
import { EXAMPLES, type ExampleRequest, type Ids } from '../support/exampleRequests.ts';
import { FakeSlack } from '../support/fakeSlack.ts';
import { type Instance, startInstance } from '../support/service.ts';
import { databaseEnv, enrol, makeStore, type OwnStore, type Session, signIn, storeTenant } from '../support/tenancy.ts';
import { makeThings, thingsLeft, unknownIds } from '../support/things.ts';

type Headers = Readonly<Record<string, string>>;

const Operation = z.object({
  operationId: z.string(),
  'x-right': z.enum([...RIGHTS, 'anybody', 'token', 'person', 'administrator']),
});
const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), Operation)) });

const OPERATIONS = Object.entries(Document.parse(openapiDocument(DEFAULT_INSTANCE)).paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, 'x-right': right }]) => ({
    method: method.toUpperCase(),
    path,
    operationId,
    right,
  })),
);
/** These end the caller's session or token, so their answers say nothing about rights. */
const TRIED = OPERATIONS.filter(({ operationId }) => !['leaveTenant', 'endToken'].includes(operationId));
/** Codes of requests that say nothing about rights: an example must not get them. */
const BAD_EXAMPLE = /^(MALFORMED_REQUEST|UNKNOWN_FIELD|PATH_NOT_FOUND|METHOD_NOT_ALLOWED|UNSUPPORTED_MEDIA_TYPE)$/;

const UNKNOWN = unknownIds();
let store: OwnStore;
let own: ConfiguredKey;
let slack: FakeSlack;
let holdfast: Instance;
let callers: ReadonlyMap<string, Headers>;
let expired: Headers;
let suspended: Headers;
beforeAll(async () => {
  store = await makeStore();
  own = await storeTenant(store);
  const env = { ...databaseEnv(store.url), ADMINS: 'root@id.example' };
  slack = await new FakeSlack().start();
  holdfast = await startInstance({ keys: [own], env, slack: slack.site });
  expired = await storeKey(store, own.tenant, { expiresAt: new Date(Date.now() - 1000) });
  callers = await makeCallers(store, own, holdfast);
  const other = await storeTenant(store);
  const administrator = await signIn(store.redis, own.tenant, { email: 'root@id.example' });
  await administrator.request(holdfast.url, 'POST', `/api/v1/admin/tenants/${other.tenant}/suspend`);
  suspended = { 'X-Api-Key': other.key };
});
afterAll(async () => {
  await holdfast.stop();
  await slack.stop();
  await store.close();
});

/** Sends an example. A stream is only opened. */
async function send(method: string, path: string, request: ExampleRequest, headers: Headers) {
  const { path: parameters = {}, query = '', body } = request;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? 'missing'));
  const response = await fetch(holdfast.url + filled + query, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  if (isStream) await response.body?.cancel();
  const text = isStream ? '' : await response.text();
  const code = response.headers.get(CODE_HEADER) ?? /"code":"(\w+)"/.exec(text)?.[1];
  return { status: response.status, code, text };
}

type Outcome = 'may' | 401 | 403 | string;

/** Returns the outcome of a request for a caller with these rights. */
const outcomeOf = (
  { status, code, text }: Awaited<ReturnType<typeof send>>,
  { answer, refusal }: ExampleRequest,
): Outcome => {
  if (status === 403 && refusal?.test(text)) return 'may';
  if (status === answer || code === 'INVALID_RELEASE_TOKEN') return 'may';
  if (status === 401 || status === 403) return status;
  return status >= 500 || BAD_EXAMPLE.test(code ?? '') ? `${status}: ${text}` : 'may';
};

/** An answer without what differs between any two requests: ids, times and numbers. */
const withoutValues = (text: string, { tenant, resource }: Ids) =>
  text
    .replaceAll(JSON.stringify(tenant), '"(tenant)"')
    .replaceAll(resource, '(resource)')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '(id)')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '(time)')
    .replace(/\d{10,}/g, '(number)');

test('every operation has an example request: add yours to test/support/exampleRequests.ts', () => {
  expect(Object.keys(EXAMPLES).sort()).toEqual(OPERATIONS.map(({ operationId }) => operationId).sort());
});

describe('exactly those may call it who have its right', () => {
  test.each(TRIED)('$method $path', async ({ method, path, operationId, right }) => {
    const request = EXAMPLES[operationId]?.({ ...UNKNOWN, tenant: own.tenant }) ?? {};
    const outcome = async (headers: Headers) => outcomeOf(await send(method, path, request, headers), request);
    const expected = CALLERS.map(({ name, meets }): [string, Outcome] => [
      name,
      meets(right) ? 'may' : name === 'nobody' ? 401 : 403,
    ]);
    expected.push(['expired key', right === 'anybody' ? 'may' : 401]);
    expected.push(['key of a suspended tenant', right === 'anybody' ? 'may' : 403]);
    const all = new Map([...callers, ['expired key', expired], ['key of a suspended tenant', suspended]]);
    const got = await Promise.all(
      expected.map(async ([name]): Promise<[string, Outcome]> => [name, await outcome(all.get(name) ?? {})]),
    );
    expect(Object.fromEntries(got)).toEqual(Object.fromEntries(expected));
  });
});

describe('what is another tenant’s is unknown', () => {
  let stranger: Headers;
  let theirs: Ids;
  let owner: Session;
  beforeAll(async () => {
    const victim = await storeTenant(store);
    await enrol(store, victim.tenant, 'owner');
    owner = await signIn(store.redis, victim.tenant);
    theirs = await makeThings(owner, holdfast, victim.tenant);
    const { cookie } = await signIn(store.redis, (await storeTenant(store)).tenant);
    stranger = { Cookie: cookie, Origin: holdfast.url };
  });

  const named = OPERATIONS.filter(({ operationId }) => {
    const example = EXAMPLES[operationId];
    return example !== undefined && JSON.stringify(example(UNKNOWN)) !== JSON.stringify(example(unknownIds()));
  });

  test('there are such operations', () => expect(named.length).toBeGreaterThan(13));

  test.each(named)('$method $path', async ({ method, path, operationId }) => {
    const answerTo = async (ids: Ids) => {
      const { status, text } = await send(method, path, EXAMPLES[operationId]?.(ids) ?? {}, stranger);
      return [status, withoutValues(text, ids)];
    };
    expect(await answerTo(theirs)).toEqual(await answerTo(UNKNOWN));
  });

  test('and all of it is still there', async () => {
    expect(await thingsLeft(owner, holdfast, theirs)).toEqual(theirs);
  });
});
