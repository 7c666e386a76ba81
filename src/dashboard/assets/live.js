/**
 * Shows events as they happen, newest first: those that match the filter of the live page, or those of the resource
 * that the page is of. dashboard.js opens the stream.
 */

import { timeElement } from './times.js';

/**
 * @typedef {object} Change
 * @property {string} resource
 * @property {string} requester
 * @property {string} requestType
 * @property {string} explanation
 *
 * @typedef {object} TenantEvent
 * @property {string} type
 * @property {string | null} resource
 * @property {string | null} requester
 * @property {string | null} explanation
 * @property {string | null} apiKeyLabel
 * @property {string} timestamp
 * @property {string | null} expiresAt
 * @property {string | null} method
 * @property {Change[] | null} changes
 * @property {string | null} limitType
 * @property {number | null} limit
 * @property {string | null} actor
 * @property {string | null} [reason]
 * @property {string} [claimBy]
 * @property {number} [waiting]
 */

/** Maximum number of events that are shown, and of events that are kept while the page is paused. */
const MAX_EVENTS = 200;

const list = /** @type {HTMLElement} */ (document.getElementById('events'));
const connection = /** @type {HTMLElement} */ (document.getElementById('connection'));
const filter = /** @type {HTMLFormElement | null} */ (document.getElementById('filter'));
const pause = document.getElementById('pause');
/** The resource that the page is of; undefined: it is the live page. */
const { of } = list.dataset;
/** The words for types of events, and for conditions. @type {Readonly<Record<string, string>>} */
const words = JSON.parse(list.dataset.words ?? '{}');

/** Rows that are not shown yet. @type {HTMLTableRowElement[]} */
let queue = [];
let isPaused = false;
let isScheduled = false;
let wasConnected = false;

document.addEventListener('holdfast:connected', () => {
  connection.textContent = 'connected';
  if (wasConnected)
    add(
      row(
        [timeElement(new Date().toISOString()), 'The stream was interrupted. Events in between are not known.'],
        'gap',
      ),
    );
  wasConnected = true;
});
document.addEventListener('holdfast:disconnected', () => {
  connection.textContent = 'interrupted, connecting again';
});
document.addEventListener('holdfast:event', (message) => {
  if (!(message instanceof CustomEvent)) return;
  /** @type {TenantEvent} */
  const event = JSON.parse(message.detail);
  if (!passes(event)) return;
  add(
    row([
      timeElement(event.timestamp),
      words[event.type] ?? event.type,
      event.resource ?? '',
      event.requester ?? '',
      describe(event),
      event.apiKeyLabel ?? '',
    ]),
  );
});

/** @param {TenantEvent} event */
function passes(event) {
  if (of !== undefined) return isOf(of, event);
  const wanted = new FormData(filter ?? undefined);
  if (!wanted.getAll('type').includes(event.type)) return false;
  return (
    has(event, 'resource', String(wanted.get('resource'))) && has(event, 'requester', String(wanted.get('requester')))
  );
}

/** The resources or requesters of an event. @param {TenantEvent} event @param {'resource' | 'requester'} field */
const namesIn = (event, field) => [event[field] ?? '', ...(event.changes ?? []).map((change) => change[field])];

/** True if an event is of a resource or one of its slots. @param {string} name @param {TenantEvent} event */
function isOf(name, event) {
  return namesIn(event, 'resource').some((one) => {
    const last = one.split('>').at(-1) ?? '';
    return last === name || one === name || (last.startsWith(`${name}_`) && /^\d+$/.test(last.slice(name.length + 1)));
  });
}

/**
 * @param {TenantEvent} event @param {'resource' | 'requester'} field @param {string} text
 */
function has(event, field, text) {
  return namesIn(event, field).some((name) => name.toLowerCase().includes(text.toLowerCase()));
}

/** @param {TenantEvent} event @returns {string | (string | Node)[]} */
function describe({ type, explanation, expiresAt, method, changes, limitType, limit, actor, ...rare }) {
  const { reason, claimBy, waiting } = rare;
  if (limitType !== null) return `${limitType}: ${limit}`;
  if (type === 'RENEWED' || type === 'ENDS_SOON') return ['until ', timeElement(expiresAt ?? '')];
  if (claimBy !== undefined) return ['to be taken until ', timeElement(claimBy)];
  if (waiting !== undefined) return `${waiting} waiting`;
  const what = [words[explanation ?? ''] ?? explanation, reason].filter(Boolean).join(': ');
  if (changes === null) return [what, actor && `by ${actor}`].filter(Boolean).join(' ');
  const items = changes.map(
    (change) => `${change.requestType} ${change.resource} for ${change.requester}: ${change.explanation}`,
  );
  return `${method} ${explanation}: ${items.join('; ')}`;
}

const COLUMNS = ['Time', 'Type', 'Resource', 'Who', 'What', 'Key'];

/** @param {(string | Node | (string | Node)[])[]} cells */
function row(cells, kind = '') {
  const tr = document.createElement('tr');
  tr.className = kind;
  cells.forEach((content, i) => {
    const td = document.createElement('td');
    if (kind === '') td.dataset.label = COLUMNS[i];
    td.append(...[content].flat().filter((part) => part !== ''));
    if (kind === 'gap' && i === 1) td.colSpan = 5;
    tr.append(td);
  });
  return tr;
}

/** Adds a row. Rows are shown together, once a frame. @param {HTMLTableRowElement} tr */
function add(tr) {
  queue.push(tr);
  if (queue.length > MAX_EVENTS) queue = queue.slice(-MAX_EVENTS);
  if (isPaused || isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    if (!isPaused) flush();
  });
}

function flush() {
  list.prepend(...queue.reverse());
  queue = [];
  while (list.childElementCount > MAX_EVENTS) list.lastElementChild?.remove();
}

document.getElementById('events-part')?.removeAttribute('hidden');
filter?.addEventListener('submit', (event) => event.preventDefault());
pause?.addEventListener('click', () => {
  isPaused = !isPaused;
  pause.setAttribute('aria-pressed', String(isPaused));
  if (!isPaused) flush();
});
document.getElementById('clear')?.addEventListener('click', () => list.replaceChildren());
