/**
 * The palette in a browser (docs/specification.md#dashboard-and-sign-in).
 */
import { describe, expect, test } from 'vitest';
import { violations } from '../support/browser.ts';
import { createClient } from '../support/client.ts';
import { go, page, readKey, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

const palette = () => page.getByRole('dialog', { name: 'Search or jump' });
const focused = () => page.evaluate<string>('document.activeElement.id');
const selected = () => page.locator('[role=option][aria-selected=true]');
/** Waits for the options of all that was typed. Later ones select the first again. */
const areFoundFor = (term: string) => page.getByRole('option', { name: `Search the Board for “${term}”` }).waitFor();

async function lab() {
  await signIn();
  const client = createClient(service.one.url, await readKey());
  await client.register({ name: 'staging' }, { name: 'staging-us' }, { name: 'phone' });
  await client.reserve({ resource: 'staging', requester: 'ci-42', ttlSeconds: 3600 });
  return client;
}

describe('the palette', () => {
  test('opens by keys, moves by arrows, opens what is selected, and gives the focus back', async () => {
    await lab();
    await go('');
    await page.locator('[data-name="phone"] a').first().focus();
    await page.keyboard.press('/');
    await palette().waitFor();
    await page.keyboard.type('stag');
    await areFoundFor('stag');
    await selected()
      .getByText(/^staging ci-42/)
      .waitFor();
    expect(await page.locator('#find').getAttribute('aria-activedescendant')).toBe(await selected().getAttribute('id'));
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await selected().getByText('staging-us').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await selected().getByText('Search the Board for').waitFor();
    expect(await focused()).toBe('find');
    await page.keyboard.press('Escape');
    await palette().waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.textContent')).toBe('phone');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('history of staging');
    await areFoundFor('staging');
    await page.getByRole('option', { name: 'History of staging', exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(/resources\/one\?name=staging$/);
  });

  test('opens within a field by Ctrl+K, where a slash is a slash', async () => {
    await lab();
    await go('');
    const field = page.locator('main input[type=search]');
    await field.focus();
    await page.keyboard.type('a/b');
    expect([await field.inputValue(), await palette().count()]).toEqual(['a/b', 0]);
    await page.keyboard.press('Control+k');
    await palette().waitFor();
    await page.keyboard.press('Control+k');
    await palette().waitFor({ state: 'detached' });
  });

  test('asks at most each 120 ms, and an older answer never overwrites a newer one', async () => {
    await lab();
    await page.addInitScript(`
      window.asked = [];
      window.addEventListener('keydown', () => { window.openedAt ??= performance.now(); }, true);
      const ask = window.fetch;
      window.fetch = (to, options) => {
        if (String(to).includes('/find')) window.asked.push(performance.now() - window.openedAt);
        return ask(to, options);
      };
    `);
    await go('');
    await page.route('**/find?part=1&q=*', async (route) => {
      // What was typed before is answered last.
      if (!route.request().url().endsWith('q=phone')) await new Promise((resolve) => setTimeout(resolve, 600));
      await route.continue().catch(() => {});
    });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('phone', { delay: 15 });
    await selected().getByText('phone').waitFor();
    await page.waitForTimeout(900);
    expect(await selected().textContent()).toContain('phone');
    // From the key on, as a request that follows another may be sent sooner after its time has come.
    const asked = await page.evaluate<number[]>('window.asked');
    expect(asked.length).toBeGreaterThan(1);
    for (const [i, at] of asked.entries()) expect(at).toBeGreaterThanOrEqual(119 * i);
  });

  test('an action opens its form as a drawer', async () => {
    await lab();
    await go('');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('reserve staging-us');
    await page.getByRole('option', { name: /^Reserve staging-us until/ }).click();
    const drawer = page.getByRole('dialog', { name: 'Reserve staging-us' });
    await drawer.getByRole('button', { name: /^Reserve until/ }).waitFor();
    expect(await palette().count()).toBe(0);
  });
});
