/**
 * Where the keyboard focus goes when a page renews itself (docs/specification.md#dashboard-and-sign-in).
 */
import { describe, expect, test } from 'vitest';
import { createClient } from '../support/client.ts';
import { go, page, readKey, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

/** Signs in somebody who has some things. */
async function visitorWith(...names: readonly string[]) {
  const requester = `person:${await signIn()}@id.example`;
  const client = createClient(service.other.url, await readKey());
  const take = (name: string) => client.reserve({ resource: name, requester, ttlSeconds: 600 });
  const taken = new Map<string, string | null | undefined>();
  for (const name of names) taken.set(name, (await take(name)).body[0]?.releaseToken);
  const release = (resource: string) =>
    client.unreserve({ resource, requester, releaseToken: taken.get(resource) ?? undefined });
  const held = async () => (await client.active()).body.map(({ resource }) => resource).sort();
  return { client, take, release, held };
}

/** Opens the menu of a row, and returns its button. */
async function release(name: string) {
  await page.locator('summary', { hasText: `More for ${name}` }).click();
  return page.getByRole('button', { name: `Release ${name}` });
}
const row = (name: string) => page.locator(`tr[data-name="${name}"]`);
const focused = () => page.evaluate('document.activeElement.innerText');

describe('when a page renews itself, the keyboard focus', () => {
  test.each(['/', '/?mine=1', '/?view=table'])('stays at the button of its resource: %s', async (at) => {
    const { take, held } = await visitorWith('bench', 'phone', 'tablet');
    await go(at === '/' ? '' : at.replace('/?', '?'));
    await (await release('phone')).focus();
    await take('aaa');
    await row('aaa').waitFor();
    expect(await focused()).toMatch(/^Release\s+phone$/);
    await page.keyboard.press('Enter');
    await page.getByText(/ is released\./).waitFor();
    expect(await held()).toEqual(['aaa', 'bench', 'tablet']);
  });

  test('goes to the link of the row if its button is gone', async () => {
    const { client, release: end } = await visitorWith('bench', 'phone', 'tablet');
    await client.register({ name: 'bench' }, { name: 'phone' }, { name: 'tablet' });
    await go('');
    await (await release('phone')).focus();
    await end('phone');
    await row('phone').locator('.state.free').waitFor();
    expect(await focused()).toBe('phone');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('A');
  });

  test('goes to no other button if its row is gone', async () => {
    const { held, release: end } = await visitorWith('bench', 'phone', 'tablet');
    await go('');
    await (await release('phone')).focus();
    await end('phone');
    await row('phone').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await row('bench').waitFor();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY');
    expect(await held()).toEqual(['bench', 'tablet']);
  });

  test('stays at a time', async () => {
    const { take } = await visitorWith('bench', 'phone');
    await go('');
    await row('bench').locator('time').first().focus();
    await take('zzz');
    await row('zzz').waitFor();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('TIME');
  });
});

describe('a page that renews itself', () => {
  test('keeps a menu open and a text selected, and tints the row that has changed', async () => {
    const { take, client } = await visitorWith('bench', 'phone');
    await client.register({ name: 'rigs', capacity: 2 });
    await go('');
    await row('bench').locator('summary').click();
    await page.evaluate('getSelection().selectAllChildren(document.querySelector(\'tr[data-name="bench"] a\'))');
    await take('rigs');
    await row('rigs').and(page.locator('[data-changed]')).waitFor();
    expect(await row('bench').getAttribute('data-changed')).toBeNull();
    expect(await row('bench').locator('details').getAttribute('open')).not.toBeNull();
    expect(await page.evaluate('String(getSelection())')).toBe('bench');
    await page.locator('[data-changed]').waitFor({ state: 'detached' });
  });

  test('stands still while it is paused', async () => {
    const { take } = await visitorWith('bench');
    await go('');
    await page.getByRole('button', { name: 'Pause live updates' }).click();
    await take('late');
    const other = await page.context().newPage();
    await go('', other);
    await other.locator('tr[data-name="late"]').waitFor();
    expect(await row('late').count()).toBe(0);
    await page.getByRole('button', { name: 'Pause live updates' }).click();
    await row('late').waitFor();
  });

  test('does not show what was on its way when it was paused', async () => {
    const { take } = await visitorWith('bench');
    const pause = page.getByRole('button', { name: 'Pause live updates' });
    // The page fetches itself once its stream is open.
    await page.route('**/dashboard', async (route) => {
      if (route.request().resourceType() === 'document') return route.continue();
      await take('late');
      const response = await route.fetch();
      await pause.click();
      await route.fulfill({ response });
    });
    const fetched = page.waitForResponse((response) => response.request().resourceType() === 'fetch');
    await go('');
    await (await fetched).finished();
    await page.evaluate('new Promise(requestAnimationFrame)');
    expect(await row('late').count()).toBe(0);
    await page.unroute('**/dashboard');
    await pause.click();
    await row('late').waitFor();
  });
});
