/**
 * Dialogs over the page; drawers: forms that have pages of their own (`#panel` is the part that a drawer shows); and
 * texts for screen readers.
 */
import { showExactTimes } from './exactTime.js';
import { clock, showTimes } from './times.js';

/**
 * Shows a dialog. It closes at Escape and at a click beside it, and gives the focus back.
 * @param {string} kind its class @param {string} label @param {(Node | string)[]} content
 */
export function openDialog(kind, label, ...content) {
  const dialog = document.createElement('dialog');
  dialog.className = kind;
  dialog.setAttribute('aria-label', label);
  dialog.append(...content);
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** @param {string} address */
export const readPage = async (address) => toPage(await fetch(address, { headers: { Accept: 'text/html' } }));

/** Reads a page out of a response. @param {Response} response */
export const toPage = async (response) => new DOMParser().parseFromString(await response.text(), 'text/html');

/** Makes screen readers read a text. @param {string} text */
export function say(text) {
  const said = document.getElementById('said');
  if (said) said.textContent = text;
}

/** The addresses of forms that open as drawers. */
const DRAWERS = /^\/dashboard\/(reserve|extend|resources\/register|condition\/\w+|book|booking(\/\w+)+)$/;

document.addEventListener('click', (event) => {
  const link = event.target instanceof Element && event.target.closest('a[href]');
  if (!(link instanceof HTMLAnchorElement)) return;
  const dialog = link.closest('dialog');
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.defaultPrevented) return;
  if (link.matches('dialog [data-cancel]')) event.preventDefault();
  else if (!DRAWERS.test(link.pathname) || DRAWERS.test(location.pathname)) return;
  else {
    event.preventDefault();
    void openDrawer(link.href);
  }
  dialog?.close();
  link.closest('details')?.removeAttribute('open');
});

/** @param {string} address */
async function openDrawer(address) {
  const panel = (await readPage(address).catch(() => null))?.getElementById('panel');
  if (panel) fillDrawer(openDialog('drawer', '', ''), panel);
  else location.assign(address);
}

/** Shows a form in a drawer, and puts the focus where something is wrong, else where the form begins. */
export function fillDrawer(/** @type {HTMLDialogElement} */ dialog, /** @type {HTMLElement} */ panel) {
  dialog.setAttribute('aria-label', panel.querySelector('h1')?.textContent ?? '');
  dialog.replaceChildren(panel);
  showTimes(panel);
  showExactTimes(panel);
  for (const mark of ['[aria-invalid]', '[autofocus]', 'input:checked', 'input:not([type=hidden])', 'a, button']) {
    const target = panel.querySelector(mark);
    if (target instanceof HTMLElement && target.checkVisibility()) return target.focus();
  }
}

// The button of a form says when the chosen time ends, or the typed one.
document.addEventListener('input', ({ target }) => {
  const text = target instanceof HTMLInputElement && target.form?.querySelector('[data-until]');
  if (!text || (target.name !== 'lease' && target.name !== 'until')) return;
  const { elements } = /** @type {HTMLFormElement} */ (target.form);
  const [leases, typed] = ['lease', 'until'].map((name) => elements.namedItem(name));
  if (target === typed && leases instanceof RadioNodeList) leases.value = 'other';
  const isTyped =
    typed instanceof HTMLInputElement && typed.value !== '' && (target === typed || target.value === 'other');
  const chosen = target.labels?.[0]?.querySelector('time')?.textContent;
  text.textContent = isTyped ? clock(new Date(typed.value)) : (chosen ?? '…');
});
