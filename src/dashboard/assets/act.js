/**
 * Carries out forms without leaving the page: it is renewed, what was done is said in a toast, and the focus and the
 * scroll position stay. A form that leads to another page opens that page.
 */
import { fillDrawer, openDialog, toPage } from './dialogs.js';
import { show } from './renew.js';
import { showTimes } from './times.js';

/** The addresses of forms that are carried out so. */
const FORMS =
  /^\/dashboard\/((reserve|claim|extend|release|undo|leave-queue|resources|demo|condition|book)(\/\w+)?|booking(\/\w+)+)$/;
/** The parameters of an address that tell of the form that led to it. */
const ABOUT = ['done', 'what', 'whom', 'start', 'until', 'count', 'was'];
/** Time that a toast stays, unless it has the pointer or the focus, in ms; and one with Undo. */
const TOAST_MS = 10_000;
const UNDO_MS = 30_000;

const toasts = document.getElementById('toasts');

document.addEventListener(
  'submit',
  (event) => {
    const { target: form, submitter } = event;
    if (!(form instanceof HTMLFormElement) || form.method !== 'post' || !FORMS.test(new URL(form.action).pathname))
      return;
    // At its own address, a form has no page below it to come back to.
    if (form.closest('main #panel') || document.body.dataset.renew === undefined) return;
    event.preventDefault();
    if (form.ariaBusy === 'true') return;
    form.ariaBusy = 'true';
    const body = new FormData(form, submitter);
    act(form, body)
      .catch(() => toast('Nothing came back from the service: look whether it was done.'))
      .finally(() => {
        form.ariaBusy = null;
      });
  },
  true,
);

/** @param {HTMLFormElement} form @param {FormData} body */
async function act(form, body) {
  // An event may renew the menu, without the form, before the response is here.
  const menu = form.closest('details[name]');
  // @ts-expect-error a form without files is a list of texts
  const response = await fetch(form.action, { method: 'POST', body: new URLSearchParams(body) });
  const fresh = await toPage(response);
  const dialog = form.closest('dialog');
  const panel = fresh.getElementById('panel');
  if (!response.redirected && panel) return fillDrawer(dialog ?? openDialog('drawer', '', ''), panel);
  const to = new URL(response.url);
  const name = to.searchParams.get('what');
  if (response.redirected && !isHere(to)) return location.assign(response.url);
  dialog?.close();
  form.closest('.toast')?.remove();
  menu?.removeAttribute('open');
  /** @type {HTMLElement | null} */ (form.closest('[popover]'))?.hidePopover();
  if (response.redirected) show(fresh);
  for (const said of fresh.querySelectorAll('#toasts > div, main [role=alert]')) toast(said);
  if (document.activeElement !== document.body || name === null) return;
  /** @type {HTMLElement | null} */
  const row = document.querySelector(`main [data-name="${CSS.escape(name)}"] a`);
  row?.focus({ preventScroll: true });
}

/** True if an address is that of the page. @param {URL} address */
function isHere({ href }) {
  const [there, here] = [href, location.href].map((one) => {
    const url = new URL(one);
    for (const name of ABOUT) url.searchParams.delete(name);
    url.searchParams.sort();
    return url.pathname + url.search;
  });
  return there === here;
}

/** Shows a toast. @param {Element | string} said the toast, or what a page says of a failure */
function toast(said) {
  const element = document.createElement('div');
  const isToast = said instanceof Element && said.matches('.toast');
  element.append(...(isToast ? said.childNodes : [said instanceof Element ? (said.textContent ?? '') : said]));
  element.className = isToast ? 'toast' : 'toast bad';
  showTimes(element);
  // One at a time: with two, which Undo is whose? Releases can be undone at Mine, too.
  for (const older of toasts?.querySelectorAll('div.toast') ?? []) older.remove();
  toasts?.append(element);
  const end = () => {
    if (element.matches(':hover, :focus-within')) setTimeout(end, TOAST_MS);
    else element.remove();
  };
  setTimeout(end, element.querySelector('form') ? UNDO_MS : TOAST_MS);
}

// The notice of a page that opens is added again: screen readers read additions only.
for (const said of document.querySelectorAll('#toasts > div')) {
  said.remove();
  setTimeout(() => toast(said));
}
const clean = new URL(location.href);
if (clean.searchParams.has('done')) {
  for (const name of ABOUT) clean.searchParams.delete(name);
  history.replaceState(history.state, '', clean);
}
