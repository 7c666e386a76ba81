/**
 * What pages of the dashboard say about reservations and resources: notes (docs/specification.md#notes), shared holds,
 * several slots, groups and labels (#shared-holds, #several-slots, #groups, #labels).
 */
import { expect, test } from 'vitest';
import { createClient } from '../support/client.ts';
import { forgetSession, go, page, readKey, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

test('notes stand on the Board, on the page of a resource and beside those who wait', async () => {
  await signIn();
  const client = createClient(service.other.url, await readKey());
  await client.register({ name: 'phone', capacity: 2 });
  await client.reserve(
    { resource: 'phone', requester: 'ann', note: 'nightly <build>' },
    { resource: 'phone_1', requester: 'bob', note: 'by its name' },
    { resource: 'desk', requester: 'cy' },
  );
  await client.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
    { resource: 'phone', requester: 'dee', ttlSeconds: 60, waitSeconds: 600, note: 'next build' },
  ]);

  const notesIn = (part: string) =>
    page.locator(`[data-live="${part}"] .note`).evaluateAll((all) => all.map((one) => one.textContent).sort());
  await go('?view=table');
  const told = await page.locator('tr.slot .doing, tr[data-name] .doing').allTextContents();
  expect(told.filter((one) => /nightly <build>|by its name/.test(one))).toHaveLength(2);
  await go('/resources/one?name=phone');
  await page.locator('[data-live="queue"]').getByText('1 waiting').waitFor();
  expect(await notesIn('slots')).toEqual(['by its name', 'nightly <build>']);
  expect(await notesIn('queue')).toEqual(['next build']);
});

test('a reservation says that it is SHARED, and which slots it has', async () => {
  await signIn();
  const client = createClient(service.other.url, await readKey());
  await client.register({ name: 'phone', capacity: 4 });
  await client.reserve(
    { resource: 'docs', requester: 'ann', mode: 'SHARED' },
    { resource: 'docs', requester: 'bob', mode: 'SHARED' },
    { resource: 'phone', requester: 'cy', count: 3 },
  );

  await go('?view=table');
  await page.locator('tr[data-name="docs"]').getByText('Shared by 2').waitFor();
  expect(await page.locator('tr.slot th').allTextContents()).toEqual(['phone_0', 'phone_1', 'phone_2']);
  await go('/resources/one?name=phone');
  expect(await page.locator('.slots tr', { hasText: 'cy' }).count()).toBe(3);
});

test('a group and labels are typed in, shown in the tree, and found by a search', async () => {
  await signIn();
  const client = createClient(service.other.url, await readKey());
  await go('/resources/register');
  await page.getByLabel('Name', { exact: true }).fill('lab');
  await page.getByLabel(/Only a group/).check();
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByText(/ is registered\./).waitFor();
  await go('/resources/register');
  await page.getByLabel('Name', { exact: true }).fill('phone1');
  await page.getByLabel(/^Path/).fill('lab');
  await page.getByLabel('Labels 1').fill('os=android, site=berlin');
  await page.getByRole('button', { name: 'Register' }).click();
  await page.locator('[data-name="phone1"] .along', { hasText: 'android · berlin' }).waitFor();
  expect(await page.locator('[data-name="lab"].group').count()).toBe(1);

  const stored = (await client.definitions()).body;
  expect(stored).toMatchObject([
    { name: 'lab', group: true },
    { name: 'phone1', treePath: 'lab', labels: { os: 'android', site: 'berlin' } },
  ]);
  await client.register({ name: 'phone2', labels: { os: 'ios' } });
  await go('/resources');
  await page.getByLabel('Search').fill('os=ios');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByText('1 found').waitFor();
  await page.locator('[data-name="phone2"]').waitFor();
  expect(await page.locator('[data-name="phone1"]').count()).toBe(0);
});

test('pages show 40 of 10,000 reservations and 300 of 10,000 resources at most', async () => {
  await signIn();
  const key = await readKey();
  await forgetSession();
  await signIn('root');
  const tenant = /^hf_(.+)_/.exec(key)?.[1];
  await go(`/tenants/${tenant}`);
  await page.getByLabel('Tier').selectOption('Enterprise');
  await page.getByRole('button', { name: 'Change the tier' }).click();
  await page.getByText('Saved.', { exact: true }).waitFor();
  await forgetSession();
  await signIn(tenant?.replace(/-[0-9a-f]+$/, ''));
  const client = createClient(service.other.url, key);
  for (let i = 0; i < 10_000; i += 500) {
    const names = Array.from({ length: 500 }, (_, j) => `r${String(i + j).padStart(5, '0')}`);
    await client.register(
      ...names.map((name, j) => ({
        name,
        ...(j % 50 === 0 ? {} : { treePath: names[j - (j % 50)] ?? '' }),
        capacity: 60,
      })),
    );
    await client.reserve(...names.map((name, j) => ({ resource: `plain-${name}`, requester: `q${j}` })));
  }
  await go('?used=1');
  expect(await page.locator('tbody tr[data-name]').count()).toBe(40);
  await page.getByRole('link', { name: 'Next' }).click();
  await page.getByText('Page 2 of 250').waitFor();
  await page.getByRole('searchbox').fill('plain-r00007');
  await page.keyboard.press('Enter');
  await page.getByRole('rowheader', { name: 'plain-r00007' }).waitFor();
  expect(await page.locator('tbody tr[data-name]').count()).toBe(1);
  await go('/resources');
  await page.getByText('10,000 registered').waitFor();
  expect(await page.locator('.node').count()).toBe(300);
});
