/**
 * Shows times in the zone and language of the browser, and keeps relative times fresh. Without it, absolute times are
 * in UTC, and say so.
 */
import { relative } from './span.js';

const TICK_MS = 1000;

/** By how many ms the clock of the server is ahead of the browser's. */
const aheadMs = Number(document.body.dataset.now ?? Date.now()) - Date.now();

/** @type {Intl.DateTimeFormatOptions} */
const TO_THE_SECOND = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
};
const local = new Intl.DateTimeFormat(undefined, TO_THE_SECOND);
const localWithZone = new Intl.DateTimeFormat(undefined, { ...TO_THE_SECOND, timeZoneName: 'short' });

/** The marks of a timeline's axis. */
const AXIS = {
  hour: new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' }),
  day: new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' }),
};

/** Shows the times of a part of the page. @param {ParentNode} root */
export function showTimes(root) {
  for (const mark of root.querySelectorAll('text[data-at]')) {
    const as = mark.getAttribute('data-as') === 'day' ? 'day' : 'hour';
    setText(mark, AXIS[as].format(Number(mark.getAttribute('data-at'))));
  }
  for (const time of root.querySelectorAll('time[data-as]')) {
    if (!(time instanceof HTMLElement)) continue;
    const at = new Date(time.getAttribute('datetime') ?? '');
    if (time.dataset.as === 'at') setText(time, local.format(at));
    else time.title = localWithZone.format(at);
  }
  refresh(root);
}

/** Makes an element that shows a time. @param {string} at ISO 8601 */
export function timeElement(at) {
  const time = document.createElement('time');
  time.dateTime = at;
  time.dataset.as = 'at';
  time.textContent = local.format(new Date(at));
  return time;
}

/** @param {ParentNode} root */
function refresh(root) {
  for (const time of root.querySelectorAll('time[data-as]')) {
    const as = time.getAttribute('data-as');
    if (as === 'since' || as === 'in' || as === 'ago')
      setText(time, relative(as, Date.parse(time.getAttribute('datetime') ?? ''), Date.now() + aheadMs));
  }
}

/** @param {Element} element @param {string} text */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

showTimes(document);
setInterval(() => refresh(document), TICK_MS);
