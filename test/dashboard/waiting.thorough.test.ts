/**
 * Who waits, on the pages of the dashboard: in order, live, and ended by a person.
 */
import { describe, expect, test } from 'vitest';
import type { ReserveResult } from '../../src/contract/reservations.ts';
import { violations } from '../support/browser.ts';
import { type Client, createClient } from '../support/client.ts';
import { confirm, go, page, readKey, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

const newClient = async () => {
  await signIn();
  return createClient(service.other.url, await readKey());
};

/** Waits for a resource without a call that attends the ticket. */
const queueUp = (client: Client, requester: string, resource: string, fields: object = {}) =>
  client.request<ReserveResult[]>('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
    { resource, requester, ttlSeconds: 60, waitSeconds: 600, ...fields },
  ]);

/** The cells of the table of those who wait, row by row. */
const rows = () =>
  page
    .locator('[data-live="waiting"] tbody tr')
    .evaluateAll((trs) => trs.map((tr) => [...tr.querySelectorAll('th, td')].slice(0, -1).map((td) => td.textContent)));

const TIME = expect.stringMatching(/^\d+ (s|min)$/);

describe('the page of reservations', () => {
  test('shows who waits in queue order, since when, until when and for what, on an open page', async () => {
    const client = await newClient();
    await client.reserve({ resource: 'printer', requester: 'holder' });
    await go('/reservations');
    await page.getByRole('heading', { name: '0 waiting' }).waitFor();
    const before = Date.now();
    await queueUp(client, 'first', 'printer');
    await queueUp(client, 'urgent', 'printer', { priority: 5 });
    await client.request('POST', '/api/v1/Reservation/transaction?pollSeconds=0', {
      method: 'ALL_OR_NONE',
      waitSeconds: 600,
      requests: ['scanner', 'printer'].map((resource) => ({
        requestType: 'RESERVE',
        resource,
        requester: 'both',
        ttlSeconds: 60,
      })),
    });
    await page.getByRole('heading', { name: '3 waiting' }).waitFor();
    expect(await rows()).toEqual([
      ['1', 'urgent', 'printer', 'printer', TIME, TIME, '5', 'no', '–'],
      ['2', 'first', 'printer', 'printer', TIME, TIME, '0', 'no', '–'],
      ['3', 'both', 'all of scanner, printer', 'printer', TIME, TIME, '0', 'no', '–'],
    ]);
    const [since = '', until = ''] = await page
      .locator('[data-live="waiting"] tr', { hasText: 'first' })
      .locator('time')
      .evaluateAll((times) => times.map((time) => time.getAttribute('datetime') ?? ''));
    expect(Math.abs(Date.parse(since) - before)).toBeLessThan(30_000);
    expect(Date.parse(until) - Date.parse(since)).toBe(600_000);
    await page.getByLabel('Search').fill('SCAN');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('heading', { name: '1 waiting' }).waitFor();
    expect(await rows()).toEqual([expect.arrayContaining(['3', 'both'])]);
  });

  test('says that a call attends the wait, and until when a grant can be claimed', async () => {
    const client = await newClient();
    const [held] = (await client.reserve({ resource: 'printer', requester: 'holder' })).body;
    const stop = new AbortController();
    const items = [{ resource: 'printer', requester: 'caller', ttlSeconds: 60, waitSeconds: 600 }];
    const call = fetch(`${service.other.url}/api/v1/Reservation/reserve`, {
      method: 'POST',
      headers: { 'X-Api-Key': await readKey(), 'Content-Type': 'application/json' },
      body: JSON.stringify(items),
      signal: stop.signal,
    }).catch(() => null);
    await go('/reservations');
    await page.getByRole('heading', { name: '1 waiting' }).waitFor();
    expect((await rows())[0]?.slice(-2)).toEqual(['yes', '–']);
    stop.abort();
    await call;
    await queueUp(client, 'caller', 'printer', { claimSeconds: 600 });
    await client.unreserve({ resource: 'printer', requester: 'holder', releaseToken: held?.releaseToken });
    await page.locator('[data-live="held"]').getByText('granted, to be claimed within').waitFor();
    await page.getByRole('heading', { name: '0 waiting' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await client.reserve({ resource: 'printer', requester: 'caller', ttlSeconds: 60 });
    await page.locator('[data-live="held"]').getByText('granted, to be claimed within').waitFor({ state: 'detached' });
  });

  test('lets a person end a wait, once it was asked again; its caller is refused', async () => {
    const client = await newClient();
    await client.reserve({ resource: 'printer', requester: 'holder' });
    await queueUp(client, 'gone', 'printer');
    const waiting = client.request<ReserveResult[]>('POST', '/api/v1/Reservation/reserve', [
      { resource: 'printer', requester: 'stays', ttlSeconds: 60, waitSeconds: 600 },
    ]);
    await go('/reservations');
    await page.getByRole('heading', { name: '2 waiting' }).waitFor();
    await confirm('End the wait of stays for printer', 'End the wait');
    await page.getByText('The wait has ended.', { exact: true }).waitFor();
    expect((await waiting).body).toMatchObject([{ status: 'NOT_AVAILABLE', explanation: 'NOT_AVAILABLE: cancelled' }]);
    expect((await rows()).map(([, requester]) => requester)).toEqual(['gone']);
  });

  test('says so if the wait to be ended is over already', async () => {
    const client = await newClient();
    await client.reserve({ resource: 'printer', requester: 'holder' });
    await queueUp(client, 'gone', 'printer');
    await go('/reservations');
    await page.getByRole('button', { name: 'End the wait of gone for printer' }).click();
    await client.reset();
    await page.locator(':popover-open').getByRole('button', { name: 'End the wait' }).click();
    await page.getByRole('alert').getByText('Nothing was ended: this requester no longer waits for it.').waitFor();
  });
});

describe('the page of a resource', () => {
  test('shows who waits for it, lets a person end that, and shows what is not claimed', async () => {
    const client = await newClient();
    await client.register({ name: 'pool', capacity: 1, treePath: 'House' }, { name: 'other' });
    const [held] = (
      await client.reserve({ resource: 'pool', requester: 'holder' }, { resource: 'other', requester: 'x' })
    ).body;
    await go('/resources/one?name=pool');
    await queueUp(client, 'first', 'pool', { claimSeconds: 600 });
    await queueUp(client, 'by-path', 'House>pool');
    await queueUp(client, 'elsewhere', 'other');
    const queue = page.locator('[data-live="queue"]');
    await queue.getByText('2 waiting').waitFor();
    expect(await queue.locator('li .who > span:last-child').allTextContents()).toEqual(['first', 'by-path']);
    expect(await violations(page)).toEqual([]);
    await confirm('End the wait of by-path for House>pool', 'End the wait');
    await page.getByText('The wait has ended.', { exact: true }).waitFor();
    await queue.getByText('1 waiting').waitFor();
    await page.getByRole('heading', { name: 'pool', exact: true }).waitFor();
    await client.unreserve({ resource: 'pool', requester: 'holder', releaseToken: held?.releaseToken });
    await page.locator('[data-live="now"]', { hasText: 'first' }).getByText('granted, take it by').waitFor();
  });

  test('and the picture of all say how many wait', async () => {
    const client = await newClient();
    await client.register({ name: 'pool' });
    await client.reserve({ resource: 'pool', requester: 'holder' });
    await go('/resources');
    for (const requester of ['a', 'b']) await queueUp(client, requester, 'pool');
    await page.locator('[data-name="pool"]').getByText('2 waiting').waitFor();
  });
});

describe('the live page', () => {
  test('shows when waits begin and how they end', async () => {
    const client = await newClient();
    const [held] = (await client.reserve({ resource: 'printer', requester: 'holder' })).body;
    await go('/activity/live');
    await page.getByText('connected', { exact: true }).waitFor();
    await queueUp(client, 'bot', 'printer');
    await page.locator('#events tr', { hasText: 'WAITING' }).getByText('bot').waitFor();
    await client.unreserve({ resource: 'printer', requester: 'holder', releaseToken: held?.releaseToken });
    await page.locator('#events tr', { hasText: 'WAIT_ENDED' }).getByText('ACQUIRED').waitFor();
  });
});
