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
    await page.locator('#events tr', { hasText: 'Joined the queue' }).getByText('bot').waitFor();
    await client.unreserve({ resource: 'printer', requester: 'holder', releaseToken: held?.releaseToken });
    await page.locator('#events tr', { hasText: 'Wait ended' }).getByText('ACQUIRED').waitFor();
  });
});
