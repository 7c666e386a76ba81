/**
 * The dashboard in a browser: events, reservations and resources, and how open pages follow them.
 */
import { describe, expect, test } from 'vitest';
import { freePort } from '../../scripts/freePort.ts';
import { violations } from '../support/browser.ts';
import { createClient } from '../support/client.ts';
import { startInstance } from '../support/service.ts';
import { choose, confirm, go, known, page, readKey, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

describe('a reservation over HTTP', () => {
  test('appears live on another replica’s page, and goes when it is released', async () => {
    await signIn();
    const client = createClient(service.one.url, await readKey());
    await go('/activity/live', page, service.other);
    await page.getByText('connected', { exact: true }).waitFor();
    const { body } = await client.reserve({ resource: 'seen-live', requester: 'robot' });
    const row = page.locator('#events tr', { hasText: 'Reserved' });
    await row.getByText('seen-live').waitFor();
    await client.unreserve({ resource: 'seen-live', requester: 'robot', releaseToken: body[0]?.releaseToken });
    await page.locator('#events tr', { hasText: 'Released' }).getByText('RELINQUISHED').waitFor();
    await page.locator('[data-live="before"]').getByText('seen-live').waitFor();
  });
});

describe('the live page', () => {
  test('shows what passes its filter, and nothing else; it is paused and cleared', async () => {
    await signIn();
    const client = createClient(service.one.url, await readKey());
    await go('/activity/live');
    await page.getByText('connected', { exact: true }).waitFor();
    await page.locator('#types > summary').click();
    await page.getByLabel('Reserve failed', { exact: true }).uncheck();
    await page.getByLabel('Who', { exact: true }).fill('ALI');
    await client.reserve(
      { resource: 'a', requester: 'bob' },
      { resource: 'a', requester: 'alice' },
      { resource: 'b', requester: 'alice' },
    );
    await page.locator('#events tr').getByText('alice').waitFor();
    expect(await page.locator('#events tr').allInnerTexts()).toEqual([expect.stringMatching(/Reserved\s+b\s+alice/)]);
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    const [held] = (await client.reserve({ resource: 'c', requester: 'alice' })).body;
    await client.unreserve({ resource: 'c', requester: 'alice', releaseToken: held?.releaseToken });
    await page.locator('[data-live="before"]').getByText('c', { exact: true }).waitFor();
    expect(await page.locator('#events tr').count()).toBe(1);
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.locator('#events tr').nth(1).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    expect(await page.locator('#events tr').count()).toBe(0);
  });

  test('connects again when its replica is back, says so, and reads anew what ended', async () => {
    await signIn();
    const client = createClient(service.one.url, await readKey());
    const port = await freePort();
    const before = await startInstance({ keys: [], env: service.env, port });
    known.push(before.url);
    await go('/activity/live', page, before);
    await page.getByText('connected', { exact: true }).waitFor();
    await before.stop();
    await page.getByText('interrupted, connecting again').waitFor();
    const [held] = (await client.reserve({ resource: 'while-away', requester: 'robot' })).body;
    await client.unreserve({ resource: 'while-away', requester: 'robot', releaseToken: held?.releaseToken });
    const after = await startInstance({ keys: [], env: service.env, port });
    await page.getByText('The stream was interrupted').waitFor();
    await page.locator('[data-live="before"]').getByText('while-away').waitFor();
    await after.stop();
  });
});

describe('reservations', () => {
  test('are searched, and one is taken away, once it was asked again', async () => {
    await signIn();
    const client = createClient(service.other.url, await readKey());
    await client.reserve({ resource: 'printer', requester: 'alice' }, { resource: 'scanner', requester: 'bob' });
    await go('');
    await page.getByRole('searchbox').fill('ALICE');
    await page.keyboard.press('Enter');
    await page.getByRole('rowheader', { name: 'printer' }).waitFor();
    expect(await page.getByText('scanner').count()).toBe(0);
    await choose('printer', 'Take away');
    await page.getByRole('heading', { name: 'Take printer away?' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Take away' }).click();
    await page.getByText(/ is taken away\./).waitFor();
    await page.getByText('Nothing fits.').waitFor();
    expect((await client.available('printer')).body).toBe(true);
    expect((await client.available('scanner')).body).toBe(false);
  });

  test('that are free already are reported as such', async () => {
    await signIn();
    const client = createClient(service.other.url, await readKey());
    await client.reserve({ resource: 'printer', requester: 'alice' });
    await go('');
    await choose('printer', 'Take away');
    await client.reset();
    await page.getByRole('button', { name: 'Take away' }).click();
    await page.getByRole('alert').getByText('It was not released: it is free already.').waitFor();
    await page.getByRole('link', { name: 'Back to the page' }).click();
    await page.getByRole('heading', { name: 'Three things to try' }).waitFor();
    await client.reserve({ resource: 'later', requester: 'bob' });
    await page.getByRole('rowheader', { name: 'later' }).waitFor(); // the page goes on renewing itself
  });

  test('are released all at once', async () => {
    await signIn();
    const client = createClient(service.other.url, await readKey());
    await client.reserve({ resource: 'a', requester: 'q' }, { resource: 'b', requester: 'q' });
    await go('?view=table');
    await page.getByRole('button', { name: 'Release everything' }).click();
    const question = page.locator(':popover-open');
    const send = question.getByRole('button', { name: 'Release everything' });
    await question.getByLabel(/^Type the name/).fill('another');
    await send.click();
    await page.getByRole('alert').getByText('that is not the name of the tenant').waitFor();
    expect((await client.active()).body).toHaveLength(2);
    await page.getByRole('button', { name: 'Release everything' }).click();
    const name = await page.locator('.side .tenant .cut').textContent();
    await question.getByLabel(/^Type the name/).fill(String(name));
    await send.click();
    await page.getByText('All reservations are released.').waitFor();
    expect((await client.active()).body).toEqual([]);
  });
});

describe('resources', () => {
  test('are registered; a reservation of a leaf colours it and what is above it, on an open page', async () => {
    await signIn();
    const client = createClient(service.other.url, await readKey());
    await go('/resources/register');
    await page.getByLabel('Name', { exact: true }).fill('Desk');
    await page.getByLabel(/^Path/).fill('House>Floor');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('alert').getByText('Not registered yet: “House”, “Floor”.').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel(/resources of one slot/).check();
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText(/ is registered\./).waitFor();
    const colour = () => page.evaluate(`getComputedStyle(document.querySelector('[data-name="House"] .state')).color`);
    const states = () =>
      Promise.all(['House', 'Floor', 'Desk'].map((name) => page.locator(`[data-name="${name}"]`).textContent()));
    expect(await states()).toEqual(Array(3).fill(expect.stringContaining('Free')));
    const before = await colour();
    await client.reserve({ resource: 'Desk', requester: 'alice' });
    await page.locator('[data-name="House"].full').waitFor();
    expect(await states()).toEqual(Array(3).fill(expect.stringContaining('n use')));
    await expect.poll(colour).not.toBe(before);
  });

  test('a free leaf below a full ancestor is shown as not available, in the tree and on its page', async () => {
    await signIn();
    const client = createClient(service.other.url, await readKey());
    await client.register({ name: 'Bench', treePath: 'Hall' }, { name: 'Stool', treePath: 'Hall' });
    await client.reserve({ resource: 'Bench', requester: 'alice' });
    await go('/resources');
    expect(await page.locator('[data-name="Bench"].full').count()).toBe(1);
    const stool = page.locator('[data-name="Stool"].shut');
    expect(await stool.textContent()).toContain('Not availableHall has no free slot');
    await stool.getByRole('link', { name: 'Stool', exact: true }).click();
    const state = page.getByRole('region', { name: 'Now' });
    await state.getByText('Not available to new requesters: Hall is full.').waitFor();
    await client.reset();
    await state.getByText('Not available to new').waitFor({ state: 'detached' });
  });

  test('a pool is shown slot by slot, with what it takes along; it is changed and deleted', async () => {
    await signIn();
    const client = createClient(service.other.url, await readKey());
    await client.register({ name: 'pool', capacity: 3, blocks: ['Ink', 'Paper'] }, { name: 'Ink' });
    await go('/resources');
    await page.getByRole('link', { name: 'pool', exact: true }).click();
    await client.reserve({ resource: 'pool', requester: 'alice' });
    await page.locator('.slots tr', { hasText: 'pool_0' }).getByText('alice').first().waitFor();
    await page.getByText('takes Ink, Paper along').waitFor();
    expect(await page.locator('.slots tr .mark.free').count()).toBe(2);
    await page.getByRole('link', { name: 'Definition' }).click();
    await page.getByLabel('Capacity').fill('5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('4 of 5 free').waitFor();
    await page.getByRole('link', { name: 'pool', exact: true }).click();
    await page.getByRole('link', { name: 'Definition' }).click();
    await confirm(/^Delete/, 'Delete');
    await page.getByRole('alert').waitFor();
    await client.reset();
    await confirm(/^Delete/, 'Delete');
    await page.getByText(/ is deleted\./).waitFor();
    expect((await client.definitions()).body.map(({ name }) => name)).toEqual(['Ink']);
  });

  test('that are too many for a picture are found page by page, and below their parent', async () => {
    await signIn();
    const client = createClient(service.other.url, await readKey());
    const names = Array.from({ length: 130 }, (_, i) => `r${String(i).padStart(3, '0')}`);
    await client.register(
      ...names.map((name) => ({ name })),
      ...names.map((name) => ({ name: `${name}-below`, treePath: 'House' })),
    );
    await go('/resources');
    expect(await page.locator('.node').count()).toBe(100 + 50);
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByText('Page 2 of 2').waitFor();
    await page.getByRole('link', { name: 'r129', exact: true }).waitFor();
    await page.getByLabel('Search').fill('-below');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('130 found').waitFor();
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByRole('link', { name: 'r129-below', exact: true }).waitFor();
    await go('/resources');
    await page.getByRole('link', { name: 'and 80 more below House' }).click();
    await page.getByRole('link', { name: 'More below it' }).click();
    await page.getByRole('link', { name: 'r129-below', exact: true }).waitFor();
  });

  test('a registration that is refused says why, and keeps what was typed', async () => {
    await signIn();
    await go('/resources/register');
    await page.getByLabel('Name', { exact: true }).fill('a>b');
    await page.getByLabel('Takes along 2').fill('y');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('alert').getByText('Name must not contain >').waitFor();
    expect(await page.getByLabel(/^Name/).inputValue()).toBe('a>b');
    expect(await page.getByLabel('Takes along 1').inputValue()).toBe('y');
  });
});

describe('every page', () => {
  test('renews itself without taking the focus away, or a question that is open', async () => {
    await signIn();
    const client = createClient(service.other.url, await readKey());
    await client.register({ name: 'House', capacity: 3 }, { name: 'Desk', treePath: 'House' });
    await go('/resources');
    await page.getByRole('link', { name: 'House', exact: true }).focus();
    await client.reserve({ resource: 'Desk', requester: 'alice' });
    await page.locator('[data-name="House"].some').waitFor();
    expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe('House');
    await go('?view=table');
    await page.getByRole('button', { name: 'Release everything' }).click();
    const renewed = page.waitForResponse((response) => response.url().endsWith('?view=table'));
    await client.reserve({ resource: 'other', requester: 'bob' });
    await renewed;
    await page.locator(':popover-open').getByRole('button', { name: 'Cancel' }).click();
    await client.reserve({ resource: 'third', requester: 'bob' });
    await page.getByRole('rowheader', { name: 'third' }).waitFor();
  });

  test('renews itself without losing a click that has begun, and once a question is closed', async () => {
    await signIn();
    const client = createClient(service.other.url, await readKey());
    await client.reserve({ resource: 'Desk', requester: 'alice' });
    await go('?view=table');
    const fetchedAnew = async (held: number) => {
      await client.reserve({ resource: `other${held}`, requester: 'bob' });
      // The counts stand in another part of the page, which is renewed.
      await page.getByText(`${held + 1} in use`).waitFor();
    };
    await page.getByRole('button', { name: 'Release everything' }).hover();
    await page.mouse.down();
    await fetchedAnew(1);
    await page.mouse.up();
    const cancel = page.locator(':popover-open').getByRole('button', { name: 'Cancel' });
    await cancel.waitFor();
    await fetchedAnew(2);
    await cancel.click();
    await page.getByRole('rowheader', { name: 'other2' }).waitFor();
  });
});
