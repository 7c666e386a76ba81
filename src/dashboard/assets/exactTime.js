/**
 * Makes dates and times in forms those of the browser's zone: beside each goes the same time of UTC, in the hidden field
 * that it names.
 */
import { clock } from './times.js';

const MINUTE_MS = 60_000;

/** @param {ParentNode} root */
export function showExactTimes(root) {
  for (const input of root.querySelectorAll('input[data-exact]')) {
    if (!(input instanceof HTMLInputElement)) continue;
    const exact = input.form?.elements.namedItem(input.dataset.exact ?? '');
    const zone = input.closest('label')?.querySelector('[data-zone]');
    if (!(exact instanceof HTMLInputElement)) continue;
    const note = () => {
      const time = new Date(input.value);
      const isTime = !Number.isNaN(time.getTime());
      exact.value = isTime ? time.toISOString() : '';
      // Some browsers show 11/12 for the 12th of November.
      if (zone) zone.textContent = `your time${isTime ? `: ${clock(time)}` : ''}`;
    };
    // The page has the time of UTC.
    const known = new Date(input.dataset.at ?? '');
    if (!Number.isNaN(known.getTime()))
      input.value = new Date(known.getTime() - known.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
    note();
    input.addEventListener('input', note);
    if (input.name === 'start') keepLength(input);
    // The browser may have kept what was typed before.
    addEventListener('pageshow', note);
  }
}

/**
 * Moves the end of a time with its start.
 * @param {HTMLInputElement} start
 */
function keepLength(start) {
  const end = start.form?.elements.namedItem('end');
  if (!(end instanceof HTMLInputElement)) return;
  let before = start.valueAsNumber;
  start.addEventListener('input', () => {
    const by = start.valueAsNumber - before;
    if (Number.isNaN(start.valueAsNumber)) return;
    before = start.valueAsNumber;
    if (Number.isNaN(by) || Number.isNaN(end.valueAsNumber)) return;
    end.valueAsNumber += by;
    end.dispatchEvent(new Event('input'));
  });
}

showExactTimes(document);
