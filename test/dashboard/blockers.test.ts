/**
 * What pages say about a resource that is free while a blocker of it is in use
 * (docs/specification.md#dashboard-and-sign-in).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../support/ask.ts';
import { createClient } from '../support/client.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { signIn } from '../support/tenancy.ts';

const key = makeConfiguredKey(makeTenant());
let holdfast: Instance;
let cookie = '';
beforeAll(async () => {
  holdfast = await startInstance({ keys: [key] });
  ({ cookie } = await signIn(holdfast.redis, key.tenant, { email: 'ann@id.example' }));
  const client = createClient(holdfast.url, key.key);
  await client.register(
    { name: 'load-test', blocks: ['database'] },
    { name: 'staging', blocks: ['database'] },
    { name: 'suite', capacity: 3, blocks: ['database'] },
    { name: 'spare', blocks: ['printer'] },
    { name: 'env', capacity: 2 },
    { name: 'api', treePath: 'env' },
  );
  await client.reserve({ resource: 'env', requester: 'ci-43', ttlSeconds: 600, count: 2, note: 'load' });
  await client.reserve({ resource: 'staging', requester: 'ci-42', ttlSeconds: 3000 });
});
afterAll(() => holdfast.stop());

/** HTML as text; buttons are in brackets. */
const textOf = (html: string) =>
  html
    .replace(/<a [^>]*class="button\b[^>]*>(.*?)<\/a>/gs, '[$1]')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ (?=[.,:;\]])/g, '');

async function load(path: string): Promise<string> {
  const { status, text } = await ask(`${holdfast.url}/dashboard${path}`, { headers: { Cookie: cookie } });
  expect(status).toBe(200);
  return text;
}

const see = async (path: string) => textOf(await load(path));

const rowOf = async (name: string, search = '') => {
  const row = new RegExp(`<tr [^>]*data-name="${name}"[^>]*>(.*?)</tr>`, 's').exec(await load(search))?.[1];
  return row && textOf(row);
};

describe('a free resource with a blocker in use', () => {
  test('is not available on the Board, which says why and until when, and offers to wait', async () => {
    expect(await rowOf('load-test')).toMatch(
      /Not available database goes with staging, until .*\d\d:\d\d UTC needs .*\[ Join queue load-test\]/,
    );
    expect(await rowOf('suite')).toMatch(/3 of 3 free database goes with staging, until/);
    expect(await rowOf('spare')).toMatch(/Free .*\[Reserve spare\]/);
  });

  test('is not available among the registered resources, either', async () => {
    expect(await rowOf('load-test', '/resources')).toMatch(/1 Not available database is not free database/);
    expect(await rowOf('spare', '/resources')).toMatch(/1 Free printer/);
  });

  test('is not among what is free', async () => {
    expect(await rowOf('load-test', '?free=1')).toBeUndefined();
    expect(await rowOf('spare', '?free=1')).toMatch(/Free/);
  });

  test.each(['/resources/one?name=load-test', '/reserve?resource=load-test'])(
    'has the reservation in the way on its page: %s',
    async (path) => {
      expect(await see(path)).toMatch(
        /Not available to new requesters: its blocker database is not free\. staging takes it along\. Held by ci-42 since [^,]+, until [^,]+, in \d+ min/,
      );
    },
  );

  test('has the holders of a full pool above it', async () => {
    for (const path of ['/resources/one?name=api', '/reserve?resource=api'])
      expect(await see(path)).toMatch(
        /Not available to new requesters: env is full\. Held by ci-43 since [^,]+, until [^,]+, in \d+ min \(load\)\./,
      );
  });

  test('is not called free on its page, which offers to wait', async () => {
    const page = await see('/resources/one?name=load-test');
    expect(page).not.toMatch(/ Free\b/);
    expect(page).toMatch(/\[ Join queue load-test\]/);
    expect(page).not.toMatch(/\[Reserve/);
    expect(await see('/reserve?resource=load-test')).toContain('load-test is free, but cannot be taken now.');
  });
});
