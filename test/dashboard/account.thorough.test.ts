/**
 * The dashboard in a browser: signing in and out, the default key and other keys, settings, and tenants for
 * administrators.
 */
import { describe, expect, test } from 'vitest';
import { createClient } from '../support/client.ts';
import {
  confirm,
  context,
  copyKey,
  forgetSession,
  go,
  open,
  page,
  readKey,
  service,
  signIn,
  signInByHand,
  signOut,
  useVisitor,
} from '../support/visitor.ts';

useVisitor();

describe('signing in', () => {
  test('leads to the page that was asked for, with a tenant of one’s own and its default key', async () => {
    await go('/resources?q=x');
    await page.getByRole('link', { name: /^Sign in with/ }).click();
    await page.getByLabel('Name').fill('newcomer');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Resources' }).waitFor();
    expect(page.url()).toBe(`${service.one.url}/dashboard/resources?q=x`);
    const key = await copyKey();
    expect(key).toMatch(/^hf_newcomer-[0-9a-f]{6}_\w{32,}$/);
    expect((await createClient(service.other.url, key).definitions()).status).toBe(200);
  });

  test('again leads to the same tenant', async () => {
    const who = await signInByHand();
    const key = await copyKey();
    await forgetSession();
    await signInByHand(who);
    expect(await copyKey()).toBe(key);
  });

  test('is for the browser that began it: its session is a cookie that no script reads', async () => {
    await signInByHand();
    const cookie = (await context.cookies()).find(({ name }) => name === 'holdfast_session');
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' });
    expect(await page.evaluate('document.cookie')).not.toContain('holdfast_session');
  });

  test('ends with signing out: on every page, at every replica', async () => {
    await signInByHand();
    const second = await open();
    await go('/activity/live', second, service.other);
    await second.getByText('connected', { exact: true }).waitFor();
    await signOut();
    await page.getByText('You are signed out of Holdfast').waitFor();
    await second.waitForURL(/sign-in/);
    await go('/access/keys', second, service.other);
    await second.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect((await context.cookies()).some(({ name }) => name === 'holdfast_session')).toBe(false);
  });

  test('says so when one signs out, even if the page learns first that its session has ended', async () => {
    await signInByHand();
    await go('/activity/live');
    await page.getByText('connected', { exact: true }).waitFor();
    const refetched = page.waitForResponse((response) => response.url().includes('/dashboard/sign-in?to='));
    await page.route('**/dashboard/sign-out', async (route) => {
      const response = await route.fetch({ maxRedirects: 0 });
      await (await refetched).finished();
      await route.fulfill({ response });
    });
    await signOut();
    await page.getByText('You are signed out of Holdfast').waitFor();
    expect((await context.cookies()).some(({ name }) => name === 'holdfast_session')).toBe(false);
  });
});

describe('the default key', () => {
  test('is copied, with a curl line that works', async () => {
    await signIn();
    const key = await copyKey();
    await page.getByRole('button', { name: 'Copy a curl line' }).click();
    const copied = async () => String(await page.evaluate('navigator.clipboard.readText()'));
    await expect.poll(copied).toContain(`${service.one.url}/api/v1/Reservation/reserve`);
    expect(await copied()).toContain(key);
    await page.getByText('Show the key').click();
    await page.getByText(key, { exact: true }).waitFor();
  });

  test('is rotated: the old one is refused, the new one works', async () => {
    await signIn();
    const old = await copyKey();
    await confirm('Rotate the key', 'Rotate the key');
    await page.getByText('The key has a new value.').waitFor();
    const young = await copyKey();
    expect(young).not.toBe(old);
    expect((await createClient(service.other.url, old).definitions()).status).toBe(401);
    expect((await createClient(service.other.url, young).definitions()).status).toBe(200);
  });

  test('is not rotated if the question is cancelled', async () => {
    await signIn();
    const old = await copyKey();
    await page.getByRole('button', { name: 'Rotate the key' }).click();
    await page.locator(':popover-open').getByRole('button', { name: 'Cancel' }).click();
    await page.locator(':popover-open').waitFor({ state: 'detached' });
    expect(await copyKey()).toBe(old);
  });
});

describe('keys', () => {
  test('are made up to the tier’s number, shown, and deleted', async () => {
    await signIn();
    await go('/access/keys');
    for (const label of ['worker', 'staging']) {
      await page.getByLabel(/^Label/).fill(label);
      await page.getByText('In 30 days').click();
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByText('The key is created.').waitFor();
      await page.getByRole('heading', { name: `Key ${label}` }).waitFor();
    }
    await page.getByText('Show the key').click();
    const staging = String(await page.locator('#key-value').textContent());
    const client = createClient(service.other.url, staging);
    expect((await client.definitions()).status).toBe(200);
    expect(await page.getByText(/^in (29|30) d/).count()).toBe(2);
    await page.getByText('Tier Free allows 3 keys. Delete one that nobody uses any more.').waitFor();
    expect(await page.getByRole('button', { name: 'Create a key' }).count()).toBe(0);
    await confirm('Delete staging', 'Delete');
    await page.getByText(/ is deleted\./).waitFor();
    await page.waitForLoadState();
    expect((await client.definitions()).status).toBe(401);
    expect(await page.locator('tbody th').allInnerTexts()).toEqual(['default', 'worker']);
    await page.getByRole('button', { name: 'Create a key' }).waitFor();
  });

  test('tell when they were last used', async () => {
    await signIn();
    const client = createClient(service.other.url, await readKey());
    await go('/access/keys');
    await page.getByText('not yet').waitFor();
    await client.definitions();
    await expect.poll(async () => (await go('/access/keys')) && page.getByText('not yet').count()).toBe(0);
  });
});

describe('settings', () => {
  test('only what is registered may be reserved, from the moment it is saved', async () => {
    await signIn();
    const client = createClient(service.other.url, await readKey());
    await go('/settings');
    await page.getByLabel('Only registered resources').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await page.getByLabel('Only registered resources').isChecked()).toBe(true);
    expect((await client.reserve({ resource: 'plain', requester: 'q' })).body[0]?.status).toBe('NOT_VALID');
  });

  test('requests with a key wait with no higher priority than is saved', async () => {
    await signIn();
    const client = createClient(service.other.url, await readKey());
    await go('/settings');
    await page.getByLabel('Highest priority').fill('5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await page.getByLabel('Highest priority').inputValue()).toBe('5');
    const item = { resource: 'plain', requester: 'q', ttlSeconds: 60, waitSeconds: 60 };
    expect((await client.reserve({ ...item, priority: 6 })).status).toBe(400);
    expect((await client.reserve({ ...item, priority: 5 })).body[0]?.status).toBe('ACQUIRED');
  });

  test('reservations have the leases and the notes that are saved; an empty lease is none', async () => {
    await signIn();
    const client = createClient(service.other.url, await readKey());
    const save = async (lease: string, longest: string) => {
      await page.getByLabel(/^Lease of reservations/).fill(lease);
      await page.getByLabel(/^Longest lease/).fill(longest);
      // Until the response comes, the page still shows the message about the save before.
      const answered = page.waitForResponse((response) => response.request().method() === 'POST');
      await page.getByRole('button', { name: 'Save' }).click();
      await answered;
    };
    const explanation = async (fields: object) =>
      (await client.reserve({ resource: 'plain', requester: 'q', ...fields })).body[0]?.explanation;
    await go('/settings');
    await save('an hour', '60');
    await page.getByRole('alert').getByText('Write a length such as 30m, 2h or 1d.').waitFor();
    await save('1m1s', '60');
    await page.getByRole('alert').getByText('DefaultTtlSeconds must be at most maxTtlSeconds').waitFor();
    await page.getByLabel('Reservations must have a note').check();
    await save('', '60');
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await page.getByLabel(/^Lease of reservations/).inputValue()).toBe('');
    expect(await page.getByLabel(/^Longest lease/).inputValue()).toBe('1m');
    expect(await explanation({ note: 'n' })).toMatch(/at most 60 s$/);
    expect(await explanation({ ttlSeconds: 60 })).toBe('NOT_VALID: a note is required');
    await page.getByLabel('Reservations must have a note').uncheck();
    await save('30', '');
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect((await client.reserve({ resource: 'plain', requester: 'q' })).body[0]?.expiresAt).not.toBeNull();
  });

  test('an issuer of JWTs is registered and forgotten, from tier Starter on; one that is refused says why', async () => {
    const who = await signIn();
    await go('/settings');
    await page.getByText('Tier Free has no token exchange').waitFor();
    expect(await page.getByRole('button', { name: 'Register the issuer' }).count()).toBe(0);
    await forgetSession();
    await signIn('root');
    await go(`/tenants?q=${who}`);
    await page.getByRole('link', { name: new RegExp(`^${who}-`) }).click();
    await page.getByLabel('Tier').selectOption('Starter');
    await page.getByRole('button', { name: 'Change the tier' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    await forgetSession();
    await signIn(who);
    await go('/settings');
    expect(await page.getByLabel('Audience').inputValue()).toMatch(new RegExp(`^holdfast:${who}-`));
    const register = () => page.getByRole('button', { name: 'Register the issuer' }).click();
    const fill = async (issuer: string, jwksUrl: string) => {
      await page.getByLabel('Id', { exact: true }).fill('own');
      await page.getByLabel('Issuer', { exact: true }).fill(issuer);
      await page.getByLabel('Audience').fill(`${issuer}/api`);
      await page.getByLabel(/^Address/).fill(jwksUrl);
      await register();
    };
    await fill('https://id.example', 'https://id.example/keys');
    await page.getByRole('alert').getByText('Say whose JWTs you mean').waitFor();
    await page.getByLabel('No conditions').check();
    await fill('https://id.example', 'ftp://id.example/keys');
    await page.getByRole('alert').getByText('JwksUrl must be').waitFor();
    expect(await page.getByLabel('Issuer', { exact: true }).inputValue()).toBe('https://id.example');
    await fill('https://id.example', 'https://id.example/keys');
    await page.getByText('Saved.', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Edit own' }).click();
    await page.getByLabel('No conditions').uncheck();
    await page.getByLabel('Conditions, one').fill('team = a\nteam = b\nsub = ci/*');
    await page.getByRole('button', { name: 'Save the issuer' }).click();
    await page.getByText('team = a | b').waitFor();
    await confirm(/^Remove/, 'Remove');
    await page.getByText('No issuer is registered.').waitFor();
    // The preset of GitHub lacks the id of the repository, which the owner has to fill in.
    await page.getByRole('link', { name: 'GitHub Actions' }).click();
    await register();
    await page.getByRole('alert').getByText('must be 1 to 256 characters long').waitFor();
    const conditions = page.getByLabel('Conditions, one');
    await conditions.fill((await conditions.inputValue()).replace('repository_id =', 'repository_id = 4711'));
    await register();
    await page.getByText('repository_id = 4711').waitFor();
    await page.getByText('{repository}#{run_id}.<instance>').waitFor();
  });
});

describe('tenants', () => {
  test('are for administrators', async () => {
    await signIn();
    await go('');
    expect(await page.getByRole('link', { name: 'Tenants' }).count()).toBe(0);
    expect((await go('/tenants'))?.status()).toBe(403);
    expect((await go('/tenants/acme'))?.status()).toBe(403);
  });

  test('are searched; one gets another tier, is suspended and resumed, and all of it is in its audit trail', async () => {
    const who = await signIn();
    const client = createClient(service.other.url, await readKey());
    await forgetSession();
    await signIn('root');
    await go('');
    await page.locator('[popovertarget=tenants]').click();
    await page.getByRole('link', { name: 'All tenants' }).click();
    await page.getByLabel('Search').fill(who);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: new RegExp(`^${who}-`) }).click();
    await page.getByLabel('Tier').selectOption('Pro');
    await page.getByRole('button', { name: 'Change the tier' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    await confirm(/^Suspend/, 'Suspend');
    await page.getByText('The tenant is suspended.').waitFor();
    expect((await client.definitions()).status).toBe(403);
    await confirm(/^Resume/, 'Resume');
    await page.getByText('The suspension has ended.').waitFor();
    await page.waitForLoadState();
    expect((await client.definitions()).status).toBe(200);
    const done = await page
      .locator('section', { hasText: 'Audit trail' })
      .locator('tr[data-day]')
      .evaluateAll((rows) =>
        rows.map((row) => `${row.querySelector('th')?.textContent} ${row.children[2]?.textContent}`),
      );
    expect(done.slice(0, 3)).toEqual([
      'the administrator root@id.example ended the suspension of the tenant',
      'the administrator root@id.example suspended the tenant',
      'the administrator root@id.example changed the tier to Pro',
    ]);
    const signedIn = ['created the tenant', 'signed in', 'was shown the key without a label'];
    expect(done.slice(3).toSorted()).toEqual(signedIn.map((what) => `${who}@id.example ${what}`));
  });
});
