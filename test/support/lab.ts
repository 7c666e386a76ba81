/**
 * Tenants of an in-memory service, each with a person in it whose browser keeps cookies and needs no scripts.
 */
import { afterAll, beforeAll } from 'vitest';
import type { Role } from '../../src/domain/rights.ts';
import type { ConfiguredKey } from '../../src/identity/configured.ts';
import { ask } from './ask.ts';
import { createClient } from './client.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from './service.ts';
import { signIn } from './tenancy.ts';

/** Keys of tenants that no test has used. */
let keys: ConfiguredKey[] = [];
let holdfast: Instance;

/** Starts the service for the tests of a file. */
export function useLab(): void {
  beforeAll(async () => {
    keys = Array.from({ length: 20 }, (_, i) => makeConfiguredKey(makeTenant(), `tenant ${i}`));
    holdfast = await startInstance({ keys: [...keys] });
  });
  afterAll(() => holdfast.stop());
}

export const REQUESTER = 'person:ann@id.example';

/** A tenant of its own, and a person in it with a browser that keeps cookies. */
export async function lab(role: Role = 'operator') {
  const key = keys.pop();
  if (key === undefined) throw new Error('no tenant is left');
  const client = createClient(holdfast.url, key.key);
  const set = (resource: string, condition: string, reason?: string) =>
    client.request('PUT', '/api/v1/Resource/condition', [{ resource, condition, ...(reason && { reason }) }]);
  const { cookie } = await signIn(holdfast.redis, key.tenant, { role, email: 'ann@id.example' });
  const [, name = '', session = ''] = /^([^=]+)=(.*)$/.exec(cookie) ?? [];
  const jar = new Map([[name, session]]);
  const send = async (path: string, body?: Readonly<Record<string, string>> | URLSearchParams) => {
    const answer = await ask(`${holdfast.url}/dashboard${path}`, {
      headers: { Cookie: [...jar].map((pair) => pair.join('=')).join('; '), Origin: holdfast.url },
      ...(body && { method: 'POST', body: new URLSearchParams(body) }),
    });
    for (const one of answer.cookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
      jar.set(name, value);
    }
    return answer;
  };
  /** The condition of each slot that is not ready, and why. */
  const notReady = async (...names: string[]) =>
    (await client.check(...names.map((resource) => ({ resource })))).body.map(({ resource, ...rest }) => [
      resource,
      'condition' in rest ? rest.condition : 'ready',
    ]);
  return { client, set, send, notReady, see: async (path: string) => (await send(path)).text };
}

export const plain = (html: string) =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
export const rowsOf = (html: string) =>
  new Map(
    [...html.matchAll(/<tr data-name="([^"]*)"[^>]*>(.*?)<\/tr>/gs)].map(([, name = '', row = '']) => [
      name,
      plain(row),
    ]),
  );
