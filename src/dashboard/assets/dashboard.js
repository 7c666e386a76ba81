/**
 * Adds what pages cannot do without a script: copy buttons, and refreshing the regions marked data-live when the
 * tenant's state changes. Without it, pages show the same content.
 */
import './exactTime.js';
import './shortcuts.js';
import { showTimes } from './times.js';

const said = document.getElementById('said');

/** Makes screen readers read a text. @param {string} text */
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

/** renew: the address to fetch the page from. renewEvery: seconds between refreshes. events: types that refresh it. */
const { renew: from, renewEvery = '0', events = '' } = document.body.dataset;
/** Minimum pause between two refreshes in ms, to which PAUSE_SHARE times the duration of the last one is added. */
const PAUSE_MS = 250;
const PAUSE_SHARE = 3;
const RECONNECT_MS = 3000;
/** Times and tables that scroll: they can have the focus, and do nothing. */
const PASSIVE = '[tabindex]';
/** What can have the focus in a region, and does something. */
const ACTIVE = 'a, button, input:not([type="hidden"]), summary';

let renewing = false;
let wanted = false;

/**
 * A submitted form leads to another page. It may have ended the session, such as by signing out: then its response says
 * more than the sign-in page to which renewing leads.
 */
let leaving = false;
document.addEventListener('submit', (event) => {
  leaving ||= !event.defaultPrevented;
});

/**
 * Fetches the page and replaces the marked regions of the current one. Runs one fetch at a time, with a pause after
 * each.
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
  // Not the browser's address: it may be that of a form, whose response cannot be fetched again.
  const response = await fetch(from ?? '', { headers: { Accept: 'text/html' } });
  if (response.redirected && !leaving) location.assign(response.url);
  if (!response.ok) return;
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
  for (const region of document.querySelectorAll('[data-live]')) {
    const next = fresh.querySelector(`[data-live="${region.getAttribute('data-live')}"]`);
    if (!next) continue;
    showTimes(next);
    if (region.isEqualNode(next)) continue;
    // Replaced between press and release of a button, it would miss the click.
    if (region.matches(':active')) wanted = true;
    else replace(region, next);
  }
  tellTurns();
}

const title = document.title;
/** What the person could take when that was last said. */
let turnsBefore = '';

/** Returns what the person can take now. */
function turnsNow() {
  return [...document.querySelectorAll('[data-turn]')].map((turn) => turn.getAttribute('data-turn')).join(', ');
}

/** Says that it is the person's turn, also in the title, which shows while they look at another page. */
function tellTurns() {
  const turns = turnsNow();
  if (turns !== turnsBefore && turns !== '') say(`It is your turn: ${turns}.`);
  turnsBefore = turns;
  document.title = turns === '' ? title : `Your turn: ${turns} – ${title}`;
}

/**
 * Replaces a region, unless it has an open confirmation or selected text. Keeps open details, scroll positions and the
 * focus.
 * @param {Element} region @param {Element} next
 */
function replace(region, next) {
  const selection = getSelection();
  if (region.querySelector(':popover-open')) return;
  if (selection && !selection.isCollapsed && selection.anchorNode && region.contains(selection.anchorNode)) return;
  for (const unfolded of region.querySelectorAll('details[open]'))
    next.querySelector(`#${CSS.escape(unfolded.id)}`)?.setAttribute('open', '');
  for (const box of next.querySelectorAll('input[type="checkbox"]'))
    if (box instanceof HTMLInputElement) box.checked = wasChecked(region, box);
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
 * Says whether a region has this box, checked. Rows that have just come are never selected.
 * @param {Element} region @param {HTMLInputElement} box
 */
function wasChecked(region, { name, value }) {
  const before = region.querySelector(`input[name="${CSS.escape(name)}"][value="${CSS.escape(value)}"]`);
  return before instanceof HTMLInputElement && before.checked;
}

/**
 * Returns a function that finds, in the new region, the element that had the focus. It is the one that does the same,
 * never the one at the same position: that may be the button of another resource. If there is none, it is the link of
 * the same row. Only what does nothing is found by its position.
 * @param {Element} region @param {Element} focused
 * @returns {(next: Element) => HTMLElement | null}
 */
function alike(region, focused) {
  const wanted = identityOf(focused);
  const place = [...region.querySelectorAll(PASSIVE)].indexOf(focused);
  const row = focused.closest('[data-name]')?.getAttribute('data-name');
  return (next) => {
    const found =
      [...next.querySelectorAll(ACTIVE)].find((one) => wanted !== null && identityOf(one) === wanted) ??
      next.querySelectorAll(PASSIVE)[place] ??
      (row && next.querySelector(`[data-name="${CSS.escape(row)}"] a[href]`));
    return found instanceof HTMLElement ? found : null;
  };
}

/**
 * Returns a text that only elements have in common that do the same: the id, the address of a link, or the form of a
 * button with its verb, resource and requester.
 * @param {Element} one
 * @returns {string | null}
 */
function identityOf(one) {
  if (one.id !== '') return `#${one.id}`;
  if (one instanceof HTMLAnchorElement) return one.getAttribute('href');
  if (one.tagName === 'SUMMARY') return `summary #${one.parentElement?.id}`;
  if (!(one instanceof HTMLButtonElement) || one.form === null) return null;
  const hidden = [...one.form.querySelectorAll('input[type="hidden"]')];
  const fields = [one, ...hidden].map((field) => [field.getAttribute('name'), field.getAttribute('value')]);
  return JSON.stringify([one.form.getAttribute('action'), fields]);
}

/**
 * Opens the event stream, and opens another when it ends. After each opening the page is refreshed, which makes up for
 * missed events (docs/specification.md#the-stream).
 */
function follow() {
  const source = new EventSource('/api/v1/events');
  const emit = (/** @type {string} */ name, /** @type {unknown} */ detail) =>
    document.dispatchEvent(new CustomEvent(name, { detail }));
  source.addEventListener('open', () => {
    emit('holdfast:connected', null);
    void renew();
  });
  source.addEventListener('error', () => {
    emit('holdfast:disconnected', null);
    source.close();
    // If the session has ended, this leads to the sign-in page.
    void renew();
    setTimeout(follow, RECONNECT_MS * (0.5 + Math.random()));
  });
  for (const type of events.split(' '))
    source.addEventListener(type, (event) => {
      emit('holdfast:event', event.data);
      void renew();
    });
}

if (from !== undefined) {
  // Wait until the page's own script listens too.
  document.addEventListener('DOMContentLoaded', follow);
  // While a question is open, its part of the page is not refreshed.
  document.addEventListener(
    'toggle',
    (event) => {
      if (event instanceof ToggleEvent && event.newState === 'closed') void renew();
    },
    true,
  );
  if (Number(renewEvery) > 0) setInterval(() => void renew(), Number(renewEvery) * 1000);
}

tellTurns();
