/**
 * Writes a duration for people. The server uses it to render pages, and the browser to keep them fresh.
 */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Writes a duration in at most two units, rounded down: `12 s`, `2 h 5 min`, `3 d 4 h`, `20 d`.
 * @param {number} ms less than 0 counts as 0
 * @returns {string}
 */
export function span(ms) {
  const time = Math.max(0, ms);
  if (time < MINUTE) return `${Math.floor(time / SECOND)} s`;
  if (time < HOUR) return `${Math.floor(time / MINUTE)} min`;
  if (time < DAY) return twoUnits(time, HOUR, 'h', MINUTE, 'min');
  if (time < 7 * DAY) return twoUnits(time, DAY, 'd', HOUR, 'h');
  return `${Math.floor(time / DAY)} d`;
}

/** @param {number} ms @param {number} large @param {string} name @param {number} small @param {string} smallName */
function twoUnits(ms, large, name, small, smallName) {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${name}${rest === 0 ? '' : ` ${rest} ${smallName}`}`;
}

/**
 * Writes a time as seen from now.
 * @param {'since' | 'in' | 'ago'} as since: how long ago; in: how long until then; ago: `3 d ago`, or `in 3 d`
 * @param {number} atMs @param {number} nowMs both in ms since 1970 UTC
 * @returns {string}
 */
export function relative(as, atMs, nowMs) {
  if (as === 'since') return span(nowMs - atMs);
  if (as === 'in') return span(atMs - nowMs);
  return atMs > nowMs ? `in ${span(atMs - nowMs)}` : `${span(nowMs - atMs)} ago`;
}
