/**
 * The page of management tokens (docs/specification.md#management-tokens), as requests.
 */
import { describe, expect, test } from 'vitest';
import { ask } from '../support/ask.ts';
import { bearer } from '../support/managementTokens.ts';
import { service, sessionOf, tenantOf, useSigningIn } from '../support/signingIn.ts';
import { signIn } from '../support/tenancy.ts';

useSigningIn();

const PAGE = '/dashboard/access/tokens';
const send = (cookie: string, path: string, form: [string, string][] | null = null) =>
  ask(service.one.url + path, {
    headers: { Cookie: cookie, Origin: service.one.url },
    ...(form === null ? {} : { method: 'POST', body: new URLSearchParams(form) }),
  });
const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);

describe('the page of management tokens', () => {
  test('makes a token, shows its value once, and deletes it', async () => {
    const owner = await sessionOf('owner');
    const id = /name="id" value="([^"]+)"/.exec((await send(owner, PAGE)).text)?.[1] ?? '';
    const form: [string, string][] = [
      ['id', id],
      ['label', 'terraform'],
      ['expiresOn', tomorrow],
      ['scopes', 'keys'],
      ['scopes', 'settings'],
    ];
    const made = await send(owner, PAGE, form);
    const token = /hfm_[\w-]+/.exec(made.text)?.[0] ?? '';
    expect([made.status, made.text]).toEqual([200, expect.stringContaining('not shown again')]);
    const read = async () =>
      (await service.other.request('GET', '/api/v1/Tenant/keys', undefined, bearer(token))).status;
    expect(await read()).toBe(200);
    for (const page of [await send(owner, PAGE, form), await send(owner, PAGE)]) {
      expect(page.text).toContain('terraform');
      expect(page.text.match(/<th scope="row">/g)).toHaveLength(1);
      expect(page.text).not.toContain(token);
    }
    expect((await send(owner, `${PAGE}/delete`, [['id', id]])).to).toBe(`${PAGE}?done=deleted`);
    expect(await read()).toBe(401);
  });

  test('says what is wrong with the form', async () => {
    const owner = await sessionOf('hasty');
    const { status, text } = await send(owner, PAGE, [
      ['id', crypto.randomUUID()],
      ['label', 'x'],
      ['expiresOn', ''],
    ]);
    expect([status, text]).toEqual([400, expect.stringContaining('notice bad')]);
  });

  test('is for owners alone', async () => {
    const tenant = tenantOf(await sessionOf('owner'));
    for (const role of ['viewer', 'member', 'operator'] as const) {
      const { cookie } = await signIn(service.one.redis, tenant, { role });
      expect((await send(cookie, PAGE)).status).toBe(403);
      expect(
        (
          await send(cookie, PAGE, [
            ['id', crypto.randomUUID()],
            ['label', 'x'],
            ['expiresOn', tomorrow],
            ['scopes', 'keys'],
          ])
        ).status,
      ).toBe(403);
    }
  });
});
