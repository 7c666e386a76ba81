/**
 * Bookings in a browser: booked, moved and cancelled by keyboard alone, in the zone of the browser; axe-core finds
 * nothing in the pages.
 */
import { expect, test } from 'vitest';
import { violations } from '../support/browser.ts';
import { createClient } from '../support/client.ts';
import { checkPlaces } from '../support/places.ts';
import { go, page, readKey, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

const DAY_MS = 86_400_000;
/** A date and time of a field, tomorrow. */
const tomorrow = (time: string) => `${new Date(Date.now() + DAY_MS).toISOString().slice(0, 10)}T${time}`;

test('a booking is made, moved and cancelled by keyboard, and its pages are accessible', async () => {
  await signIn();
  const client = createClient(service.other.url, await readKey());
  await client.register({ name: 'pixel-8', bookable: true, labels: { os: 'android' } });
  await go('');
  await page.keyboard.press('j');
  await page.keyboard.press('b');
  await page.getByRole('heading', { name: 'Book pixel-8' }).waitFor();
  await page.getByLabel(/^From \(your time/).fill(tomorrow('09:00'));
  expect(await page.getByLabel(/^To \(your time/).inputValue()).toBe(tomorrow('10:00'));
  await page.getByLabel(/^To \(your time/).fill(tomorrow('11:00'));
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByText(/pixel-8 is booked for you from/).waitFor();
  const zone = await page.evaluate('new Date().getTimezoneOffset()');
  const { body } = await client.request<{ start: string }[]>('GET', '/api/v1/Booking');
  const start = Date.parse(`${tomorrow('09:00')}Z`) + Number(zone) * 60_000;
  expect(body.map((one) => Date.parse(one.start))).toEqual([start]);
  await go('/mine');
  await page.getByRole('link', { name: /^Change/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByLabel(/^To \(your time/).fill(tomorrow('12:00'));
  await page.keyboard.press('Enter');
  await page.getByText(/The booking is changed/).waitFor();
  await checkPlaces(['/mine', '/resources/one?name=pixel-8', '/book?resource=pixel-8', '/book?match=os%3Dandroid']);
  await go('/mine');
  await page.getByRole('link', { name: /^Cancel/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Cancel the booking' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('The booking of pixel-8 is cancelled.').waitFor();
});
