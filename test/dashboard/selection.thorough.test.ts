/**
 * The table of the Board in a browser: rows are selected and released together, with and without scripts; and the
 * rows of tables on a small screen.
 */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { violations } from '../support/browser.ts';
import { type Client, createClient } from '../support/client.ts';
import { choose, go, page, readKey, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

/** Signs in, and has things held over another replica. */
async function reserve(...names: string[]): Promise<Client> {
  await signIn();
  const client = createClient(service.other.url, await readKey());
  await client.reserve(...names.map((resource) => ({ resource, requester: 'ci' })));
  return client;
}

const held = async (client: Client) => (await client.active()).body.map(({ resource }) => resource).sort();

async function releaseTwo(on: Page): Promise<void> {
  await on.getByRole('button', { name: 'Release the selected' }).click();
  await on.getByRole('heading', { name: 'Release 2 reservations?' }).waitFor();
  expect(await violations(on)).toEqual([]);
  await on.getByRole('button', { name: 'Release 2 reservations' }).click();
  await on.getByText('The selected reservations are released.').waitFor();
}

describe('selected rows', () => {
  test('stay selected while the page renews itself, and are released together', async () => {
    const client = await reserve('a', 'b', 'c');
    await go('?view=table');
    const release = page.getByRole('button', { name: 'Release the selected' });
    expect(await release.isVisible()).toBe(false);
    for (const name of ['a', 'c']) await page.getByLabel(`Select ${name} of ci`).check();
    expect(await release.isVisible()).toBe(true);
    await client.reserve({ resource: 'd', requester: 'ci' });
    await page.getByLabel('Select d of ci').waitFor();
    const checked = await page
      .locator('input[type="checkbox"]:checked')
      .evaluateAll((boxes) => boxes.map((box) => box.getAttribute('aria-label')));
    expect(checked).toEqual(['Select a of ci', 'Select c of ci']);
    await releaseTwo(page);
    expect(await held(client)).toEqual(['b', 'd']);
  });

  test('are released without scripts, too: all of a page by one link', async () => {
    const client = await reserve('a', 'b');
    const browser = page.context().browser();
    const plain = await browser?.newContext({
      javaScriptEnabled: false,
      storageState: await page.context().storageState(),
    });
    const on = await plain?.newPage();
    if (plain === undefined || on === undefined) throw new Error('there is no browser');
    await go('?view=table', on);
    await on.getByRole('link', { name: 'Select all 2 of this page' }).click();
    await on.getByRole('link', { name: 'Select none' }).waitFor();
    await on.getByRole('button', { name: 'Release the selected' }).click();
    await on.getByRole('button', { name: 'Release 2 reservations' }).click();
    await on.getByText('The selected reservations are released.').waitFor();
    await on.getByRole('heading', { name: 'Three things to try' }).waitFor();
    expect(await held(client)).toEqual([]);
    await plain.close();
  });
});

test('free rows are selected by the key x, and reserved together', async () => {
  const client = await reserve('taken');
  await client.register({ name: 'left' }, { name: 'right' });
  await go('?view=table');
  const together = page.getByRole('button', { name: 'Reserve together' });
  expect(await together.isVisible()).toBe(false);
  for (const name of ['left', 'right']) {
    await page.getByRole('table').getByRole('link', { name, exact: true }).focus();
    await page.keyboard.press('x');
  }
  expect(await page.getByRole('button', { name: 'Release the selected' }).isVisible()).toBe(false);
  await together.click();
  await page.getByRole('heading', { name: 'Reserve left and right' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Reserve both' }).click();
  await page.getByText(/^left and right are yours until/).waitFor();
  expect(await held(client)).toEqual(['left', 'right', 'taken']);
});

describe('on a screen of 360 px', () => {
  // In light colours: everyPage.test.ts looks at dark ones on this screen.
  test('all of a row is in sight', async () => {
    await page.setViewportSize({ width: 360, height: 800 });
    const client = await reserve('phone-of-the-lab-with-a-long-name');
    await client.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
      { resource: 'phone-of-the-lab-with-a-long-name', requester: 'w', ttlSeconds: 60, waitSeconds: 600 },
    ]);
    for (const place of ['/access/keys', '/access', '/access/tokens', '/activity/changes', '/activity/live']) {
      await go(place);
      expect([place, await violations(page)]).toEqual([place, []]);
      const outside = await page
        .locator('.stacked tbody :is(th, td, a, button, time, input, select)')
        .evaluateAll((all) =>
          all
            .filter((one) => one.getClientRects().length > 0 && !one.closest('[popover]'))
            .filter((one) => one.getBoundingClientRect().right > 360 || one.getBoundingClientRect().left < 0)
            .map((one) => one.outerHTML.slice(0, 80)),
        );
      expect([place, outside]).toEqual([place, []]);
    }
    await go('');
    await page.getByRole('table').getByRole('link', { name: 'phone-of-the-lab-with-a-long-name', exact: true }).click();
    await choose('phone-of-the-lab-with-a-long-name', 'Take away');
    await page.getByRole('button', { name: 'Take away' }).waitFor();
  });
});
