/**
 * Keyboard shortcuts: `/` and `g` with a letter go where data-shortcut says, `j` and `k` move between rows, other
 * letters act on the row that has the focus, `?` shows all of them. A person can turn them off, since some browsers and
 * screen readers use the same keys.
 */
import { openDialog, readPage, say } from './dialogs.js';

const OFF = 'holdfast-shortcuts-off';
/** Time for the second key of two, in ms. */
const SECOND_KEY_MS = 1500;

/** Key → the button that it presses, in the row that has the focus. @type {Readonly<Record<string, string>>} */
const IN_ROW = {
  r: 'a[href^="/dashboard/reserve"]',
  b: 'a[href^="/dashboard/book?"]',
  e: 'a[href^="/dashboard/extend"]',
  x: 'input[type=checkbox]',
  '.': 'summary, button[popovertarget]',
};

const ROW = 'main tbody tr, main [data-row]';

/** The first key of two; '' none. */
let first = '';
let timer = 0;

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') closeMenu();
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
  if (document.querySelector('dialog[open], :popover-open') || localStorage.getItem(OFF) !== null) return;
  if (press(event.key)) event.preventDefault();
});

/** Closes the menu that is open, if there is one, and gives the focus back to what opened it. */
function closeMenu() {
  const opener = /** @type {HTMLElement | null} */ (document.querySelector('details[name=menu][open] summary'));
  opener?.click();
  opener?.focus();
}

/** True if an element takes keys itself. @param {EventTarget | null} target */
const isTyping = (target) =>
  target instanceof Element && target.matches('input:not([type=checkbox]), textarea, select, [contenteditable]');

/** Does what a key stands for. Returns whether it stands for anything. @param {string} key */
function press(key) {
  clearTimeout(timer);
  const keys = first === '' ? key : `${first} ${key}`;
  first = '';
  if (keys === 'g') {
    first = keys;
    timer = setTimeout(() => {
      first = '';
    }, SECOND_KEY_MS);
    return true;
  }
  if (keys === 'j' || keys === 'k') return moveBy(keys === 'j' ? 1 : -1);
  const row = document.activeElement?.closest(ROW);
  const target =
    (IN_ROW[keys] && row?.querySelector(IN_ROW[keys])) ??
    document.querySelector(`[data-shortcut="${CSS.escape(keys)}"]`);
  if (keys === '?') void show();
  else if (target instanceof HTMLElement) target.click();
  if (target instanceof HTMLInputElement) {
    target.focus();
    target.select();
  }
  return target !== null;
}

/** Moves the focus to the first link or button of the next row, or of the one before. @param {1 | -1} step */
function moveBy(step) {
  const rows = [...document.querySelectorAll(ROW)].filter((row) => targetIn(row) !== null);
  if (rows.length === 0) return false;
  const now = rows.findLastIndex((row) => row.contains(document.activeElement));
  const next = rows[now < 0 ? (step > 0 ? 0 : rows.length - 1) : now + step];
  if (next === undefined) {
    say(step > 0 ? 'This is the last row.' : 'This is the first row.');
    return true;
  }
  targetIn(next)?.focus();
  next.scrollIntoView({ block: 'nearest' });
  return true;
}

/** Returns what takes the focus in a row; null: nothing that can be seen. @param {Element} row */
function targetIn(row) {
  for (const one of row.querySelectorAll('a[href], button, summary, input:not([type=hidden])'))
    if (one instanceof HTMLElement && one.checkVisibility()) return one;
  return null;
}

/** Shows all shortcuts in a dialog: the content of their page. */
async function show() {
  const link = document.querySelector('a[data-shortcut="?"]');
  if (!(link instanceof HTMLAnchorElement)) return;
  const page = await readPage(link.href).catch(() => null);
  const list = page?.getElementById('shortcuts');
  if (!list) {
    location.assign(link.href);
    return;
  }
  const close = document.createElement('button');
  close.textContent = 'Close';
  close.autofocus = true;
  const dialog = openDialog('', 'Keyboard shortcuts', list, close);
  close.addEventListener('click', () => dialog.close());
  offerSwitch(dialog);
}

/** Makes the switch work that turns shortcuts off. @param {ParentNode} part */
function offerSwitch(part) {
  const box = part.querySelector('input[data-shortcuts]');
  if (!(box instanceof HTMLInputElement)) return;
  box.checked = localStorage.getItem(OFF) === null;
  box.addEventListener('change', () => {
    if (box.checked) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, '1');
  });
  const label = box.closest('label');
  if (label) label.hidden = false;
}

offerSwitch(document);
