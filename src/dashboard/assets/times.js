/**
 * Shows times in the zone and language of the browser, and keeps relative times fresh. Without it, absolute times are
 * in UTC, and say so.
 */
import { showDays } from './days.js';
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
/**
 * The pages are in English, so their times are too: in the reader's own English, if the browser has one. The clock has
 * 24 hours everywhere: timelines have no room for more.
 */
const english = navigator.languages.find((one) => /^en\b/i.test(one)) ?? 'en-GB';
const locale = new Intl.Locale(english, { hourCycle: 'h23' }).toString();
const local = new Intl.DateTimeFormat(locale, TO_THE_SECOND);
const localWithZone = new Intl.DateTimeFormat(locale, { ...TO_THE_SECOND, timeZoneName: 'short' });

/** The marks of a timeline's axis. */
const AXIS = {
  hour: new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' }),
  day: new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric' }),
};

/** A time to the minute, with as much of the date as it takes: the day of the week, then day and month, then the year. */
const CLOCK = { hour: '2-digit', minute: '2-digit' };
const CLOCKS = [
  { ...CLOCK },
  { weekday: 'short', ...CLOCK },
  { day: 'numeric', month: 'short', ...CLOCK },
  { day: 'numeric', month: 'short', year: 'numeric' },
  { weekday: 'long' },
  { day: 'numeric', month: 'short' },
].map((options) => new Intl.DateTimeFormat(locale, /** @type {Intl.DateTimeFormatOptions} */ (options)));
const HALF_YEAR_DAYS = 183;

/**
 * Writes when something is, for a plan: `14:29`, `Fri 14:29`, `23 Jan, 14:29`; or only the day: `Friday`, `23 Jan`.
 * @param {Date} at
 */
export function clock(at, isDay = false) {
  const days =
    Math.abs(new Date(at).setHours(0, 0, 0, 0) - new Date(Date.now() + aheadMs).setHours(0, 0, 0, 0)) / 86_400_000;
  const i = days < 0.5 ? 0 : days > HALF_YEAR_DAYS ? 3 : (days < 6.5 ? 1 : 2) + (isDay ? 3 : 0);
  return CLOCKS[i]?.format(at) ?? '';
}

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
  showDays(root, locale, Date.now() + aheadMs);
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
    const at = time.getAttribute('datetime') ?? '';
    if (as === 'clock' || as === 'day') setText(time, clock(new Date(at), as === 'day'));
    if (as === 'since' || as === 'in' || as === 'ago')
      setText(time, relative(as, Date.parse(at), Date.now() + aheadMs));
  }
}

/** @param {Element} element @param {string} text */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

showTimes(document);
setInterval(() => refresh(document), TICK_MS);
