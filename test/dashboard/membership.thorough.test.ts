/**
 * A person's own memberships in a browser: an invitation, and deleting a tenant
 * (docs/specification.md#members, #deleting-a-tenant).
 */
import { expect, test } from 'vitest';
import { tenantOf } from '../support/signingIn.ts';
import { context, forgetSession, go, page, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

/** The tenant that is open. */
const tenantNow = async () => {
  const cookie = (await context.cookies()).find(({ name }) => name === 'holdfast_session');
  return tenantOf(cookie?.value ?? '');
};

/** Signs in another person, who invites; returns the new person's tenant. */
async function inviter(email: string): Promise<string> {
  await signIn();
  const tenant = await tenantNow();
  await go('/access');
  await page.getByLabel(/^E-mail address/).fill(email);
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByText('The invitation is made.').waitFor();
  await page.goto(page.url());
  await page.getByRole('heading', { name: 'Members' }).waitFor();
  await forgetSession();
  return tenant;
}

test('an invitation by address is told of, and switched to from there', async () => {
  const who = 'browsing-guest';
  await signIn(who);
  const own = await tenantNow();
  await forgetSession();
  const theirs = await inviter(`${who}@id.example`);
  await signIn(who);
  expect(await tenantNow()).toBe(own);
  await go('');
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
