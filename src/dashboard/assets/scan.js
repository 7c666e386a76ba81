/**
 * Reads codes with the camera, where the browser can. It opens only the page of this service that reserves a resource:
 * whatever else a code contains is shown as not being one of this service.
 */
const RESERVE = '/dashboard/reserve';
const LOOK_MS = 250;

/**
 * @typedef {object} Detector
 * @property {(from: HTMLVideoElement) => Promise<{ rawValue: string }[]>} detect
 */

/** @type {(new (options: { formats: string[] }) => Detector) | undefined} */
const BarcodeDetector = Reflect.get(globalThis, 'BarcodeDetector');
const video = document.getElementById('camera');
const seen = document.getElementById('seen');
const start = document.getElementById('start');

/** Returns the name of the resource that a code of this service leads to; null: it is none. @param {string} text */
function resourceIn(text) {
  if (!URL.canParse(text)) return null;
  const { origin, pathname, searchParams } = new URL(text);
  return origin === location.origin && pathname === RESERVE ? searchParams.get('resource') : null;
}

/** @param {string} text */
function tell(text) {
  if (seen && seen.textContent !== text) seen.textContent = text;
}

/** @param {HTMLVideoElement} from @param {Detector} detector @param {MediaStream} stream */
async function look(from, detector, stream) {
  for (;;) {
    const [code] = await detector.detect(from).catch(() => []);
    const resource = code && resourceIn(code.rawValue);
    if (resource) {
      for (const track of stream.getTracks()) track.stop();
      location.assign(`${RESERVE}?${new URLSearchParams({ resource })}`);
      return;
    }
    if (code) tell('This code is not one of this service.');
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** @param {HTMLVideoElement} into */
async function begin(into) {
  if (BarcodeDetector === undefined) return;
  try {
    const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
    into.srcObject = stream;
    await into.play();
    start?.remove();
    tell('Point the camera at the code on the device.');
    await look(into, new BarcodeDetector({ formats: ['qr_code'] }), stream);
  } catch {
    tell('The camera cannot be used. Allow it for this page in the settings of the browser, or type the name.');
  }
}

if (BarcodeDetector !== undefined && navigator.mediaDevices && video instanceof HTMLVideoElement) {
  document.getElementById('scan')?.removeAttribute('hidden');
  document.getElementById('no-scan')?.remove();
  start?.addEventListener('click', () => void begin(video));
  // Who has allowed it before need not press the button.
  navigator.permissions.query({ name: 'camera' }).then(
    ({ state }) => {
      if (state === 'granted') void begin(video);
    },
    () => {},
  );
}
