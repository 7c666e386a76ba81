/**
 * Why something is held or wanted, on the pages of the dashboard (docs/specification.md#notes).
 */
import { expect, test } from 'vitest';
import { createClient } from '../support/client.ts';
import { copyKey, go, page, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

test('notes stand in the list of reservations, on the page of a resource and beside those who wait', async () => {
  await signIn();
  const client = createClient(service.other.url, await copyKey());
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
  await go('/reservations');
  await page.getByRole('heading', { name: '1 waiting' }).waitFor();
  expect(await notesIn('held')).toEqual(['by its name', 'nightly <build>']);
  expect(await notesIn('waiting')).toEqual(['next build']);
  await go('/resources/one?name=phone');
  await page.getByRole('heading', { name: '1 waiting' }).waitFor();
  expect(await notesIn('slots')).toEqual(['by its name', 'nightly <build>']);
  expect(await notesIn('waiting')).toEqual(['next build']);
});
