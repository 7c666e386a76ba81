/**
 * Out of service in a browser: at most three clicks from the Board, with Undo, live on other pages, and accessible
 * (docs/specification.md#dashboard-and-sign-in).
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { violations } from '../support/browser.ts';
import { type Client, createClient } from '../support/client.ts';
import { checkPlaces } from '../support/places.ts';
import { go, open, page, readKey, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

let client: Client;
let me = '';
beforeEach(async () => {
  me = `person:${await signIn()}@id.example`;
  client = createClient(service.other.url, await readKey());
  await client.register(
    { name: 'phones', group: true },
    ...['pixel-7', 'pixel-8', 'pixel-9'].map((name) => ({ name, treePath: 'phones', labels: { os: 'Android' } })),
    { name: 'emulators', capacity: 6 },
  );
});

const set = (resource: string, condition: string, reason?: string) =>
  client.request('PUT', '/api/v1/Resource/condition', [{ resource, condition, ...(reason && { reason }) }]);
const row = (name: string) => page.locator(`[data-name="${name}"]`).first();
const toast = () => page.locator('#toasts .toast');
const menu = (name: string) => row(name).locator('summary').click();

describe('from the Board', () => {
  test('a phone goes out of service in three clicks, is taken back by Undo, and comes back in one', async () => {
    await go('');
    await page.evaluate('window.wasHere = true');
    await menu('pixel-7');
    await page.locator('.row-menu[open]').getByText('Out of service …').click();
    const field = page.locator('dialog').getByLabel('What is wrong');
    await field.waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('reason');
    expect(await violations(page)).toEqual([]);
    await field.fill('display dark');
    await page.locator('dialog').getByRole('button', { name: 'Out of service' }).click();
    await toast().getByText('pixel-7 is out of service.').waitFor();
    await row('pixel-7')
      .getByText(/since .+: display dark/)
      .waitFor();
    await page.getByRole('button', { name: 'Undo the change of pixel-7' }).click();
    await toast().getByText('pixel-7 is as it was before.').waitFor();
    await row('pixel-7').getByText('Free').waitFor();
    await set('pixel-7', 'out', 'display dark');
    await row('pixel-7').getByRole('button', { name: 'Back in service pixel-7' }).click();
    await toast().getByText('pixel-7 is back in service.').waitFor();
    await row('pixel-7').getByText('Free').waitFor();
    expect(await page.evaluate('window.wasHere')).toBe(true);
  });

  test('what a person has is released as broken in three clicks', async () => {
    await client.reserve({ resource: 'pixel-8', requester: me, ttlSeconds: 3600 });
    await go('');
    await menu('pixel-8');
    await page.locator('.row-menu[open]').getByText('Release as broken …').click();
    await page.locator('dialog').getByLabel('What is wrong').fill('battery swollen');
    await page.locator('dialog').getByRole('button', { name: 'Release as broken' }).click();
    await toast().getByText('pixel-8 is released, and out of service.').waitFor();
    await row('pixel-8').getByText('Out of service', { exact: true }).waitFor();
    expect((await client.active()).body).toEqual([]);
  });

  test('one slot of a pool goes out of service in three clicks and a choice', async () => {
    await go('');
    await menu('emulators');
    await page.locator('.row-menu[open]').getByText('Out of service …').click();
    await page.locator('dialog').getByLabel('Which').selectOption('emulators_4');
    await page.locator('dialog').getByLabel('What is wrong').fill('image broken');
    await page.locator('dialog').getByRole('button', { name: 'Out of service' }).click();
    await row('emulators').getByText('1 of 6 out of service').waitFor();
  });
});

describe('a condition that another instance sets', () => {
  test('appears on the Board and among the events without a reload, in words', async () => {
    await go('');
    const events = await open();
    await go('/activity/live', events);
    await events.getByText('connected', { exact: true }).waitFor();
    await set('pixel-9', 'out', 'camera cracked');
    await row('pixel-9').getByText('Out of service', { exact: true }).waitFor();
    const event = events.locator('#events tr', { hasText: 'Condition' });
    await event.getByText(/^Out of service: camera cracked by key/).waitFor();
    await set('pixel-9', 'ready');
    await row('pixel-9').getByText('Free').waitFor();
    await events.locator('#events tr', { hasText: 'Back in service' }).waitFor();
  });
});

describe('pages with what is not ready', () => {
  test('have no violation that axe-core finds, and nothing wider than the screen', async () => {
    await set('pixel-7', 'out', 'display dark');
    await set('pixel-9', 'dirty');
    await set('emulators_3', 'out', 'image broken');
    await set('emulators_4', 'dirty');
    await checkPlaces([
      ...['', '?view=table', '?view=grid', '?view=tv', '?notready=1', '/resources', '/find?q=pixel', '/insight'],
      ...['pixel-7', 'pixel-9', 'emulators'].map((name) => `/resources/one?name=${name}`),
      ...['/condition/out?resource=emulators', '/resources/register?name=pixel-7'],
    ]);
  });
});
