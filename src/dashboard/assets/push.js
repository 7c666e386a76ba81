/**
 * Turns on push on this device, by a button of My notices (docs/specification.md#push). Turning it off needs no script.
 */
const WORKER = '/dashboard/worker.js';
const on = document.getElementById('push-on');
const said = document.getElementById('push-said');

/** @param {string} text */
function tell(text) {
  if (said) said.textContent = text;
}

/** @param {ArrayBuffer | null} bytes */
const base64url = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

/** @param {PushSubscription | null | undefined} subscription @param {string} key that of the service */
const isOf = (subscription, key) => base64url(subscription?.options.applicationServerKey ?? null) === key;

/** Returns the subscription of this browser. It makes a new one if there is none, or that of another key. */
async function subscribe(/** @type {string} */ key) {
  await navigator.serviceWorker.register(WORKER);
  const { pushManager } = await navigator.serviceWorker.ready;
  const had = await pushManager.getSubscription();
  if (had !== null && isOf(had, key)) return had;
  await had?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
}

/** @param {HTMLFormElement} form @param {string} key */
async function turnOn(form, key) {
  try {
    if ((await Notification.requestPermission()) !== 'granted')
      return tell('The browser shows no notifications of this page. Allow them in its settings.');
    const { endpoint, keys } = (await subscribe(key)).toJSON();
    for (const [name, value] of Object.entries({ endpoint, ...keys })) {
      const field = form.elements.namedItem(name);
      if (field instanceof HTMLInputElement) field.value = value ?? '';
    }
    form.submit();
  } catch {
    tell('The push service of the browser cannot be reached. Try again later.');
  }
}

if (on instanceof HTMLFormElement && 'serviceWorker' in navigator && 'PushManager' in window) {
  const { key = '' } = on.dataset;
  const off = document.getElementById('push-off');
  tell('');
  on.hidden = off !== null;
  on.addEventListener('submit', (event) => {
    event.preventDefault();
    void turnOn(on, key);
  });
  // The browser may have ended it, by a click on a notification or in its settings.
  if (off !== null) {
    const registration = await navigator.serviceWorker.getRegistration(WORKER);
    const isOn = isOf(await registration?.pushManager.getSubscription(), key);
    [off.hidden, on.hidden] = [!isOn, isOn];
  }
}
