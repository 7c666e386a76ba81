/**
 * Push on a device (docs/specification.md#push), in a real Chromium. Its push service cannot be reached, so the test
 * stands in for the subscription, and has messages delivered to the service worker.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pushDevices } from '../../src/store/noticesSchema.ts';
import { violations } from '../support/browser.ts';
import { makeBrowser } from '../support/pushBrowser.ts';
import { type OpenStore, openStore } from '../support/tenancy.ts';
import { until } from '../support/until.ts';
import { context, go, page, service, signIn, signOut, useVisitor } from '../support/visitor.ts';

useVisitor();

const { target } = makeBrowser('https://push.example/secret');
let store: OpenStore;
beforeAll(async () => {
  store = await openStore(service.env.DATABASE_URL ?? '');
});
afterAll(() => store.close());
beforeEach(async () => {
  await store.database.run((db) => db.delete(pushDevices));
  await signIn();
  await context.grantPermissions(['notifications']);
  await context.addInitScript(`{
    const { endpoint, ...keys } = ${JSON.stringify(target)};
    const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
    PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
      localStorage.setItem('subscribed', applicationServerKey);
      return { toJSON: () => ({ endpoint, keys }) };
    };
    PushManager.prototype.getSubscription = async () => {
      const key = localStorage.getItem('subscribed');
      return key && {
        options: { applicationServerKey: bytes(key).buffer },
        toJSON: () => ({ endpoint, keys }),
        unsubscribe: async () => localStorage.removeItem('subscribed'),
      };
    };
  }`);
});

const devices = () => store.database.run((db) => db.select().from(pushDevices));
const button = (what: 'on' | 'off') => page.getByRole('button', { name: `Turn ${what} push on this device` });
const turnOn = async () => {
  await go('/mine/notices');
  await button('on').click();
  await page.getByText('Push is on for this device.').waitFor();
};

describe('push on this device', () => {
  test('is turned on by a click, begins with turns and ends of leases, and is turned off by one', async () => {
    await turnOn();
    expect(await violations(page)).toEqual([]);
    for (const what of ['It is my turn', 'My time ends soon'])
      expect(await page.getByLabel(`${what}: Push`).isChecked()).toBe(true);
    const [device, ...more] = await devices();
    expect(more).toEqual([]);
    expect(device?.target).not.toContain('push.example');
    expect(await page.content()).not.toContain(target.endpoint);
    await button('off').click();
    await page.getByText('Push is off for this device.').waitFor();
    expect(await devices()).toEqual([]);
    await button('on').waitFor();
  });

  test('ends with the sign-out', async () => {
    await turnOn();
    expect(await devices()).toHaveLength(1);
    await signOut();
    await until('it is forgotten', async () => (await devices()).length === 0);
  });

  test('can be turned on again if the browser has ended it, or the key of the service has changed', async () => {
    await turnOn();
    await page.evaluate("localStorage.setItem('subscribed', 'BAAA')");
    await go('/mine/notices');
    await button('on').waitFor();
    expect(await button('off').isVisible()).toBe(false);
    await turnOn();
    await button('off').waitFor();
  });

  test('says what to do if the browser does not let it', async () => {
    await context.clearPermissions();
    await go('/mine/notices');
    await button('on').click();
    await page.getByText('Allow them in its settings.').waitFor();
    expect(await devices()).toEqual([]);
  });
});

describe('the service worker', () => {
  /** What it has shown and opened. It is asked in its place: a browser without a screen shows nothing. */
  const watched = async () => {
    await turnOn();
    const [worker] = context.serviceWorkers();
    if (worker === undefined) throw new Error('there is no service worker');
    await worker.evaluate(`{
      self.done = [];
      registration.showNotification = async (title, { body, data }) => void done.push({ title, body, data });
      clients.openWindow = async (url) => void done.push(url);
      PushManager.prototype.getSubscription = async () => ({ unsubscribe: async () => void done.push('unsubscribed') });
    }`);
    const areDone = async (number: number) => {
      await until('what it does', async () => (await worker.evaluate<number>('done.length')) === number);
      return worker.evaluate<readonly unknown[]>('done');
    };
    return { worker, areDone };
  };

  test('shows a message, and a click leads to the page about it, or ends push', async () => {
    const { worker, areDone } = await watched();
    const cdp = await context.newCDPSession(page);
    const registered = new Promise<string>((resolve) =>
      cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        for (const { registrationId } of registrations) resolve(registrationId);
      }),
    );
    await cdp.send('ServiceWorker.enable');
    const said = { title: '[acme] It is your turn: lamp', text: 'You can take it', tag: 'x' };
    await cdp.send('ServiceWorker.deliverPushMessage', {
      origin: service.one.url,
      registrationId: await registered,
      data: JSON.stringify({ ...said, tenant: 'acme', notice: 'TURN', resource: 'lamp' }),
    });
    const link = '/dashboard/notice?tenant=acme&notice=TURN&resource=lamp';
    const shown = { title: said.title, body: said.text, data: link };
    expect(await areDone(1)).toEqual([shown]);
    for (const action of ['', 'off'])
      await worker.evaluate(
        `dispatchEvent(Object.assign(new ExtendableEvent('notificationclick'), {
          action: '${action}', notification: { close() {}, data: '${link}' } }))`,
      );
    expect(await areDone(3)).toEqual([shown, link, 'unsubscribed']);
  });
});
