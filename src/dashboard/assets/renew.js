/**
 * Renews the regions marked data-live when the tenant's state changes, and says when it is the person's turn.
 */
import { say } from './dialogs.js';
import { Idiomorph } from './idiomorph.js';
import { showTimes } from './times.js';

/** renew: the address to fetch the page from. renewEvery: seconds between refreshes. events: types that refresh it. */
const { renew: from, renewEvery = '0', events = '', stream } = document.body.dataset;
/**
 * A change is shown within so many ms, if three refreshes take no longer. At worst it waits for a refresh that began
 * too early, the pause after it, and one of its own.
 */
const SHOWN_WITHIN_MS = 600;
const RECONNECT_MS = 3000;

let renewing = false;
let wanted = false;
let isPaused = false;

/**
 * A submitted form leads to another page. It may have ended the session, such as by signing out: then its response says
 * more than the sign-in page to which renewing leads.
 */
let leaving = false;
document.addEventListener('submit', (event) => {
  leaving ||= !event.defaultPrevented;
});

/**
 * Fetches the page and morphs the marked regions of the current one into it. Runs one fetch at a time, with a pause after
 * each that is at least as long: a slow service has half of the time to itself.
 */
async function renew() {
  wanted = true;
  if (renewing || isPaused) return;
  renewing = true;
  while (wanted && !isPaused) {
    wanted = false;
    const start = performance.now();
    await renewOnce().catch(() => {});
    const took = performance.now() - start;
    await new Promise((resolve) => setTimeout(resolve, Math.max(took, SHOWN_WITHIN_MS - 2 * took)));
  }
  renewing = false;
}

async function renewOnce() {
  // Not the browser's address: it may be that of a form, whose response cannot be fetched again.
  const response = await fetch(from ?? '', { headers: { Accept: 'text/html' } });
  const text = await response.text();
  // Paused while the response was on its way: the page stands still. It is fetched anew when it resumes.
  if (isPaused) return;
  if (response.redirected && !leaving) location.assign(response.url);
  // The link of a wallboard was revoked.
  if (stream !== undefined && response.status === 404) location.reload();
  if (!response.ok) return;
  show(new DOMParser().parseFromString(text, 'text/html'));
}

/** Morphs the regions of the page into those of a newer one. @param {Document} fresh */
export function show(fresh) {
  for (const region of document.querySelectorAll('[data-live]')) {
    const next = fresh.querySelector(`[data-live="${region.getAttribute('data-live')}"]`);
    if (!next) continue;
    showTimes(next);
    if (region.isEqualNode(next)) continue;
    // Replaced between press and release of a button, it would miss the click.
    if (region.matches(':active')) wanted = true;
    else morph(region, next);
  }
  tellTurns();
}

const title = document.title;
/** The grants that were last announced. */
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
 * Morphs a region into its new content, unless it has an open confirmation. Elements keep their identity by their ids,
 * so the focus, the selection, open details and scroll positions stay. If the focused element is gone, the focus goes to
 * the link of the same row, never to the button of another one.
 * @param {Element} region @param {Element} next
 */
function morph(region, next) {
  if (region.querySelector(':popover-open')) return;
  const changed = changedRows(next);
  const focused = document.activeElement?.closest('[data-name]')?.id;
  Idiomorph.morph(region, next, {
    restoreFocus: false,
    callbacks: {
      // Nodes that are equal need no look at their children.
      beforeNodeMorphed: (/** @type {Node} */ one, /** @type {Node} */ other) => !one.isEqualNode(other),
      beforeAttributeUpdated: mayUpdate,
    },
  });
  for (const id of changed) {
    const row = document.getElementById(id);
    row?.setAttribute(TINT, '');
    setTimeout(() => row?.removeAttribute(TINT), TINT_MS);
  }
  if (focused && document.activeElement === document.body)
    document.getElementById(focused)?.querySelector('a')?.focus({ preventScroll: true });
}

/** Opened details and checked boxes stay as the person left them. @param {string} name */
const mayUpdate = (name, /** @type {Element} */ element) =>
  !(name === 'open' && element.tagName === 'DETAILS') &&
  !(name === 'checked' && element.tagName === 'INPUT') &&
  !(name === 'hidden' && element.matches('[data-copy]')) &&
  name !== TINT;

/** The attribute of a row that has just changed, and for how long it has it. */
const TINT = 'data-changed';
const TINT_MS = 2000;

/** Returns the ids of the rows of a newer region that say something new. @param {Element} next */
const changedRows = (next) =>
  [...next.querySelectorAll('tr[id]')].flatMap((row) => {
    const before = document.getElementById(row.id);
    return before && (before.isEqualNode(row) || textOf(before) === textOf(row)) ? [] : row.id;
  });

/** The text of a row without times and timelines, which change by themselves. @param {Element} row */
function textOf(row) {
  const copy = /** @type {Element} */ (row.cloneNode(true));
  for (const time of copy.querySelectorAll('time')) time.textContent = time.getAttribute('datetime');
  for (const drawing of copy.querySelectorAll('svg')) drawing.remove();
  return copy.textContent;
}

/** Shows the button that stops and resumes the renewal of the page. */
function offerPause() {
  const button = document.getElementById('pause-page');
  if (button === null) return;
  button.hidden = false;
  button.addEventListener('click', () => {
    isPaused = !isPaused;
    button.setAttribute('aria-pressed', String(isPaused));
    if (!isPaused) void renew();
  });
}

/**
 * Opens the event stream, and opens another when it ends. After each opening the page is refreshed, which makes up for
 * missed events (docs/specification.md#the-stream).
 */
function follow() {
  const source = new EventSource(stream ?? '/api/v1/events');
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
  offerPause();
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
