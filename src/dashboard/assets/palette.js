/**
 * The palette: the page of the search as a dialog, by Ctrl+K, ⌘K and the link to that page.
 */
import { openDialog, say } from './dialogs.js';
import { showTimes } from './times.js';

/** Minimum pause between two questions, in ms. */
const PAUSE_MS = 120;

const link = document.getElementById('jump');
const template = document.getElementById('palette');

function open() {
  if (!(template instanceof HTMLTemplateElement) || !(link instanceof HTMLAnchorElement)) return;
  const dialog = openDialog('palette', 'Search or jump', template.content.cloneNode(true));
  const input = /** @type {HTMLInputElement} */ (dialog.querySelector('input'));
  const list = /** @type {HTMLElement} */ (dialog.querySelector('[role=listbox]'));
  let controller = new AbortController();
  let timer = 0;
  let askedAt = 0;
  let at = 0;

  const options = () => [...list.querySelectorAll('[role=option]')];

  const select = (/** @type {number} */ to) => {
    const all = options();
    at = (to + all.length) % all.length || 0;
    for (const option of all) option.setAttribute('aria-selected', String(option === all[at]));
    input.setAttribute('aria-activedescendant', all[at]?.id ?? '');
    all[at]?.scrollIntoView({ block: 'nearest' });
  };

  const ask = async () => {
    timer = 0;
    askedAt = performance.now();
    // An answer to what was typed before would come too late.
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    const query = new URLSearchParams({ part: '1', q: input.value });
    const response = await fetch(`${link.href}?${query}`, { signal });
    const found = await response.text();
    if (response.redirected) location.assign(link.href);
    if (!response.ok || signal.aborted) return;
    list.innerHTML = found;
    showTimes(list);
    select(0);
    say(`${options().length} results.`);
  };

  const askSoon = () => {
    timer ||= setTimeout(() => void ask().catch(() => {}), Math.max(0, askedAt + PAUSE_MS - performance.now()));
  };

  input.addEventListener('input', askSoon);
  input.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    const option = options()[at];
    if (event.key === 'ArrowDown') select(at + 1);
    else if (event.key === 'ArrowUp') select(at - 1);
    else if (event.key === 'Enter' && option instanceof HTMLElement) option.click();
    else return;
    event.preventDefault();
  });
  dialog.addEventListener('close', () => clearTimeout(timer));
  askSoon();
}

link?.addEventListener('click', (event) => {
  event.preventDefault();
  open();
});
document.addEventListener('keydown', (event) => {
  if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const dialog = document.querySelector('dialog[open]');
  if (dialog instanceof HTMLDialogElement && dialog.matches('.palette')) dialog.close();
  else if (dialog === null) open();
});
if (link && !/Mac|iPhone|iPad/.test(navigator.userAgent)) link.querySelector('kbd')?.replaceChildren('Ctrl K');
