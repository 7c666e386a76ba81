/**
 * The little that pages need a script for: copying, and renewing the regions that are marked data-live when the
 * tenant's state changes. Pages are whole without it.
 */
const said = document.getElementById('said');

/** Tells a screen reader. @param {string} text */
function say(text) {
  if (said) said.textContent = text;
}

for (const button of document.querySelectorAll('button[data-copy]')) {
  if (!(button instanceof HTMLButtonElement)) continue;
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const text = document.getElementById(button.dataset.copy ?? '')?.textContent ?? '';
    try {
      await navigator.clipboard.writeText(text);
      say('Copied.');
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = label;
      }, 2000);
    } catch {
      say('The browser did not allow it: show the key and copy it by hand.');
    }
  });
}

/** Where the page is to be had again, every how many seconds whatever happens, and with which events. */
const { renew: from, renewEvery = '0', events = '' } = document.body.dataset;
/** The least time between two renewals, and how many times as long as the last one took. */
const PAUSE_MS = 500;
const PAUSE_SHARE = 9;
const RECONNECT_MS = 3000;

let renewing = false;
let wanted = false;

/**
 * Fetches the page anew and puts its marked regions in place of those that are shown. At most one at a time, with a
 * pause after each.
 */
async function renew() {
  wanted = true;
  if (renewing) return;
  renewing = true;
  while (wanted) {
    wanted = false;
    const start = performance.now();
    await renewOnce().catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS + PAUSE_SHARE * (performance.now() - start)));
  }
  renewing = false;
}

async function renewOnce() {
  // Not the browser's address: the response to a form cannot be requested again.
  const answer = await fetch(from ?? '', { headers: { Accept: 'text/html' } });
  if (answer.redirected) location.assign(answer.url);
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const region of document.querySelectorAll('[data-live]')) {
    const next = fresh.querySelector(`[data-live="${region.getAttribute('data-live')}"]`);
    if (next && !region.isEqualNode(next)) replace(region, next);
  }
}

/**
 * Leaves a region alone in which somebody is being asked something, or has selected text; keeps what is unfolded, and
 * where the focus is.
 * @param {Element} region @param {Element} next
 */
function replace(region, next) {
  const selection = getSelection();
  if (region.querySelector(':popover-open')) return;
  if (selection && !selection.isCollapsed && selection.anchorNode && region.contains(selection.anchorNode)) return;
  for (const unfolded of region.querySelectorAll('details[open]'))
    next.querySelector(`#${CSS.escape(unfolded.id)}`)?.setAttribute('open', '');
  const focused = document.activeElement;
  const scrolled = [...region.querySelectorAll('.scroll')].map((one) => [one.scrollLeft, one.scrollTop]);
  const again = focused && region.contains(focused) ? alike(region, focused) : null;
  region.replaceWith(next);
  [...next.querySelectorAll('.scroll')].forEach((one, i) => {
    one.scrollTo(scrolled[i]?.[0] ?? 0, scrolled[i]?.[1] ?? 0);
  });
  if (again) again(next)?.focus({ preventScroll: true });
}

/**
 * How to find, in the region's successor, what had the focus: by its id, its address, or its place.
 * @param {Element} region @param {Element} focused
 * @returns {(next: Element) => HTMLElement | null}
 */
function alike(region, focused) {
  const href = focused.getAttribute('href');
  const place = [...region.querySelectorAll('a, button, summary, [tabindex]')].indexOf(focused);
  return (next) => {
    const all = [...next.querySelectorAll('a, button, summary, [tabindex]')];
    const found =
      all.find((one) => focused.id !== '' && one.id === focused.id) ??
      all.find((one) => href !== null && one.getAttribute('href') === href) ??
      all[Math.min(place, all.length - 1)];
    return found instanceof HTMLElement ? found : null;
  };
}

/**
 * Holds a stream of events, and opens another when it ends. Whatever was missed meanwhile is made good by renewing the
 * page (docs/specification.md#events).
 */
function follow() {
  const source = new EventSource('/api/v1/events');
  const tell = (/** @type {string} */ name, /** @type {unknown} */ detail) =>
    document.dispatchEvent(new CustomEvent(name, { detail }));
  source.addEventListener('open', () => {
    tell('holdfast:connected', null);
    void renew();
  });
  source.addEventListener('error', () => {
    tell('holdfast:disconnected', null);
    source.close();
    // Where nobody is signed in any more, that is found out here.
    void renew();
    setTimeout(follow, RECONNECT_MS * (0.5 + Math.random()));
  });
  for (const type of events.split(' '))
    source.addEventListener(type, (event) => {
      tell('holdfast:event', event.data);
      void renew();
    });
}

if (from !== undefined) {
  // By then the page's own script listens too.
  document.addEventListener('DOMContentLoaded', follow);
  if (Number(renewEvery) > 0) setInterval(() => void renew(), Number(renewEvery) * 1000);
}
