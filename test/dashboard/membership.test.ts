/**
 * A person's own memberships in a browser: joining by a link, switching, leaving, deleting a tenant
 * (docs/specification.md#members, #deleting-a-tenant).
 */
import { expect, test } from 'vitest';
import { tenantOf } from '../support/signingIn.ts';
import { confirm, context, go, page, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

/** The tenant that is open. */
const tenantNow = async () => {
  const cookie = (await context.cookies()).find(({ name }) => name === 'holdfast_session');
  return tenantOf(cookie?.value ?? '');
};

/** Signs in another person, who invites; returns the new person's tenant. */
async function inviter(email: string): Promise<{ tenant: string; url: string }> {
  await signIn();
  const tenant = await tenantNow();
  await go('/members');
  await page.getByLabel(/^E-mail address/).fill(email);
  await page.getByRole('button', { name: 'Invite' }).click();
  const url = /https?:\/\/\S+\/join\/[0-9a-f]{40}/.exec(await page.locator('main').innerText())?.[0] ?? '';
  await context.clearCookies();
  return { tenant, url };
}

test('a link lets a person join; the header switches; who leaves is signed out and not let back in', async () => {
  const { tenant: theirs, url } = await inviter('');
  const who = await signIn();
  const own = await tenantNow();
  await page.goto(url);
  await page.getByText(/^You are invited to the tenant/).waitFor();
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(await tenantNow()).toBe(theirs);

  for (const tenant of [own, theirs]) {
    await page.getByLabel('Tenant', { exact: true }).selectOption(tenant);
    await page.getByRole('button', { name: 'Switch', exact: true }).click();
    await page.locator(`option[selected][value="${tenant}"]`).waitFor({ state: 'attached' });
    expect(await tenantNow()).toBe(tenant);
  }

  await confirm('Leave this tenant', 'Leave this tenant');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(who);
  expect(await tenantNow()).toBe(own);
  expect(await page.getByLabel('Tenant', { exact: true }).count()).toBe(0);
});

test('an invitation by address is told of, and switched to from there', async () => {
  const who = 'browsing-guest';
  await signIn(who);
  const own = await tenantNow();
  await context.clearCookies();
  const { tenant: theirs } = await inviter(`${who}@id.example`);
  await signIn(who);
  expect(await tenantNow()).toBe(own);
  await page.getByText('You are now a member of').waitFor();
  await page.getByRole('button', { name: /^Switch to it/ }).click();
  await page.getByText('You are now a member of').waitFor({ state: 'detached' });
  expect(await tenantNow()).toBe(theirs);
});

test('a tenant is deleted by its id, and its owner is signed out', async () => {
  await signIn();
  const tenant = await tenantNow();
  await go('/settings');
  await page.getByLabel(/^Type .* to confirm/).fill(tenant);
  await page.getByRole('button', { name: 'Delete this tenant' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.goto(`${service.other.url}/dashboard`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});
