/**
 * What a person does without leaving the page: toasts, Undo and drawers (docs/specification.md#reserving-by-hand).
 */
import { describe, expect, test } from 'vitest';
import { violations } from '../support/browser.ts';
import { createClient } from '../support/client.ts';
import { go, page, readKey, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

const toast = () => page.locator('#toasts .toast');
const row = (name: string) => page.locator(`[data-name="${name}"]`).first();
const focusedRow = () => page.evaluate<string>("document.activeElement.closest('[data-name]')?.dataset.name");

async function lab() {
  const requester = `person:${await signIn()}@id.example`;
  const client = createClient(service.one.url, await readKey());
  const names = Array.from({ length: 30 }, (_, i) => ({ name: `rig-${10 + i}` }));
  await client.register(...names);
  return { client, requester };
}

describe('an action', () => {
  test('is said in a toast, keeps the scroll position and stays at its row; Undo takes it back', async () => {
    const { client, requester } = await lab();
    await client.reserve({ resource: 'rig-30', requester, ttlSeconds: 3600, note: 'a photo' });
    await go('');
    await page.evaluate('window.wasHere = true');
    const button = page.getByRole('button', { name: 'Release rig-30' });
    await row('rig-30').locator('summary').click();
    await button.scrollIntoViewIfNeeded();
    const scrolled = await page.evaluate<number>('scrollY');
    await button.focus();
    await page.keyboard.press('Enter');
    await toast().getByText('rig-30 is released.').waitFor();
    await toast().getByText('Nobody waits for it.').waitFor();
    await expect.poll(focusedRow).toBe('rig-30');
    expect(await page.evaluate('scrollY')).toBe(scrolled);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Undo the release of rig-30' }).click();
    await toast()
      .getByText(/rig-30 is yours again until/)
      .waitFor();
    expect((await client.active()).body).toMatchObject([{ resource: 'rig-30', requester, note: 'a photo' }]);
    expect(await focusedRow()).toBe('rig-30');
    expect(await page.evaluate('window.wasHere')).toBe(true);
    expect(page.url()).not.toContain('done');
  });

  test('that comes too late is said in a toast, too: somebody was faster than Undo', async () => {
    const { client, requester } = await lab();
    await client.reserve({ resource: 'rig-12', requester, ttlSeconds: 3600 });
    await go('');
    await row('rig-12').locator('summary').click();
    await page.getByRole('button', { name: 'Release rig-12' }).click();
    const undo = page.getByRole('button', { name: 'Undo the release of rig-12' });
    await undo.waitFor();
    await client.reserve({ resource: 'rig-12', requester: 'ci-42', ttlSeconds: 3600 });
    await undo.click();
    await toast()
      .getByText(/Not taken back: “rig-12” is held by ci-42 until/)
      .waitFor();
  });

  test('takes the place of the toast before, so that one Undo is in sight', async () => {
    const { client, requester } = await lab();
    const lease = { requester, ttlSeconds: 3600 };
    await client.reserve({ resource: 'rig-12', ...lease }, { resource: 'rig-13', ...lease });
    await go('');
    for (const name of ['rig-12', 'rig-13']) {
      await row(name).locator('summary').click();
      await page.getByRole('button', { name: `Release ${name}` }).click();
      await toast().getByText(`${name} is released.`).waitFor();
    }
    expect(await toast().count()).toBe(1);
  });
});

describe('a drawer', () => {
  test('keeps the focus, closes at Escape, and gives the focus back', async () => {
    await lab();
    await go('');
    const link = row('rig-15').getByRole('link', { name: /^Reserve/ });
    await link.focus();
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Reserve rig-15' });
    await drawer.waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page)).toEqual([]);
    }
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press('Tab');
      const isInside = "document.activeElement === document.body || document.activeElement.closest('dialog') !== null";
      expect(await page.evaluate(isInside)).toBe(true);
    }
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(await focusedRow()).toBe('rig-15');
    await page.keyboard.press('r');
    await drawer.waitFor();
    await drawer.getByRole('link', { name: 'Cancel' }).click();
    await drawer.waitFor({ state: 'detached' });
  });

  test('reserves in four taps with a note, without leaving the page', async () => {
    const { client, requester } = await lab();
    await go('');
    await row('rig-15')
      .getByRole('link', { name: /^Reserve/ })
      .click();
    const drawer = page.getByRole('dialog', { name: 'Reserve rig-15' });
    await drawer.getByRole('radio', { name: /· 2 h/ }).check({ force: true });
    await drawer.getByLabel('What for').fill('LAB-501');
    const end = await drawer.locator('label:has(:checked) time').textContent();
    await drawer.getByRole('button', { name: `Reserve until ${end}` }).click();
    await toast()
      .getByText(/rig-15 is yours until/)
      .waitFor();
    await drawer.waitFor({ state: 'detached' });
    expect((await client.active()).body).toMatchObject([{ resource: 'rig-15', requester, note: 'LAB-501' }]);
    expect(await focusedRow()).toBe('rig-15');
  });

  test('that is refused stays open with what was typed, and says at the field what is wrong', async () => {
    await lab();
    await go('');
    await row('rig-15')
      .getByRole('link', { name: /^Reserve/ })
      .click();
    const drawer = page.getByRole('dialog', { name: 'Reserve rig-15' });
    await drawer.getByLabel('What for').fill('LAB-501');
    await drawer.getByRole('radio', { name: 'Other…' }).check({ force: true });
    await drawer.getByLabel(/^Until \(your time/).fill('2020-01-01T10:00');
    await drawer.getByRole('button', { name: /^Reserve/ }).click();
    await drawer.getByText('The end must be in the future.').waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('until');
    expect(await drawer.getByLabel('What for').inputValue()).toBe('LAB-501');
    expect(await violations(page)).toEqual([]);
  });
});
