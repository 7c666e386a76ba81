/**
 * The service worker of the dashboard: shows what is pushed to this device (docs/specification.md#push). It caches
 * nothing and takes no requests, so pages load as they do without it.
 */

/**
 * @typedef {object} Pushed
 * @property {string} title
 * @property {string} text
 * @property {string} tag
 * @property {string} tenant
 * @property {string} notice
 * @property {string} resource
 *
 * @typedef {Event & { waitUntil(work: Promise<unknown>): void, data: { json(): Pushed } }} PushEvent
 *
 * @typedef {Event & { waitUntil(work: Promise<unknown>): void, action: string,
 *   notification: { close(): void, data: string } }} ClickEvent
 *
 * @typedef {object} WorkerScope
 * @property {{ (type: 'push', listener: (event: PushEvent) => void): void,
 *   (type: 'notificationclick', listener: (event: ClickEvent) => void): void }} addEventListener
 * @property {{ pushManager: PushManager, showNotification(title: string, options: object): Promise<void> }} registration
 * @property {{ openWindow(url: string): Promise<unknown> }} clients
 */

const worker = /** @type {WorkerScope} */ (/** @type {unknown} */ (self));

worker.addEventListener('push', (event) => {
  const { title, text, tag, tenant, notice, resource } = event.data.json();
  const options = {
    body: text,
    tag,
    icon: '/dashboard/icons/192.png',
    data: `/dashboard/notice?${new URLSearchParams({ tenant, notice, resource })}`,
    actions: [{ action: 'off', title: 'Turn off push' }],
  };
  event.waitUntil(worker.registration.showNotification(title, options));
});

/** Ends the pushes of all tenants to this device: its push service says so when the next one comes. */
const turnOff = async () => (await worker.registration.pushManager.getSubscription())?.unsubscribe();

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(event.action === 'off' ? turnOff() : worker.clients.openWindow(event.notification.data));
});
