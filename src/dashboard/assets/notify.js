/**
 * Browser notifications of what the person has chosen on My notices, while a page is open. The choices are kept in the
 * browser, which reads them from that page: other pages need not.
 */

/**
 * @typedef {object} TenantEvent
 * @property {string} type
 * @property {string | null} resource
 * @property {string | null} requester
 * @property {string | null} [actor]
 * @property {string | null} [explanation]
 * @property {string | null} [expiresAt]
 * @property {string | null} [claimBy]
 * @property {string} [booking]
 * @property {{ requester: string }[]} [booked]
 */

const KEY = 'holdfast_tell';
/** me: the requester of the person. myself: the same as an actor. */
const { tenant = '', me = '', myself = '' } = document.body.dataset;

/** Null if the browser keeps nothing. */
const storage = (() => {
  try {
    return localStorage;
  } catch {
    return null;
  }
})();

/** Returns the notices that the person has chosen in this tenant. */
function chosen() {
  const [of, ...notices] = storage?.getItem(KEY)?.split(' ') ?? [];
  return of === tenant ? notices : [];
}

/** @param {string | null | undefined} iso */
const clock = (iso) => new Date(iso ?? '').toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });

/**
 * Returns the notice that an event is, and its title; null: none.
 * @param {TenantEvent} event @returns {[string, string] | null}
 */
function noticeOf({ type, resource, requester, actor, explanation, expiresAt, claimBy, booking, booked }) {
  if (booked?.some((one) => one.requester === me) && actor !== myself)
    return ['BEGINS', `${resource}, which you booked, is ${explanation === 'out' ? 'out of' : 'back in'} service.`];
  if (requester !== me) return null;
  if (type === 'RESERVED' && claimBy) return ['TURN', `It is your turn: ${resource}. Take it by ${clock(claimBy)}.`];
  if (type === 'RESERVED' && booking) return ['BEGINS', `${resource} is yours now, until ${clock(expiresAt)}.`];
  if (type === 'BOOKING_DELAYED') return ['BEGINS', `${resource}, which you booked, is not free yet.`];
  if (type === 'ENDS_SOON') return ['ENDS_SOON', `${resource} is yours until ${clock(expiresAt)}.`];
  if (type === 'WANTED') return ['WANTED', `Somebody waits for ${resource}.`];
  if (type === 'UNRESERVED' && actor && actor !== myself) return ['TAKEN', `${resource} is taken away from you.`];
  if (type === 'BOOKING_CANCELLED' && (actor ? actor !== myself : explanation === 'NOT_AVAILABLE'))
    return ['TAKEN', `Your booking of ${resource} is cancelled.`];
  return null;
}

document.addEventListener('holdfast:event', (message) => {
  if (!(message instanceof CustomEvent)) return;
  /** @type {TenantEvent} */
  const event = JSON.parse(message.detail);
  const notice = noticeOf(event);
  if (notice === null || !chosen().includes(notice[0])) return;
  const [what, title] = notice;
  const { resource, expiresAt, claimBy, booking } = event;
  try {
    // Pages that are open at the same time say the same: the browser shows one of a tag.
    const shown = new Notification(title, { tag: [tenant, what, resource, claimBy ?? booking ?? expiresAt].join(' ') });
    shown.addEventListener('click', () => {
      window.focus();
      location.assign(`/dashboard/notice?${new URLSearchParams({ tenant, notice: what, resource: resource ?? '' })}`);
    });
  } catch {
    // Browsers of phones do not let pages do that, and some have no notifications. Without permission nothing is shown.
  }
});

const form = document.querySelector('[data-tell]');
if (form instanceof HTMLElement) storage?.setItem(KEY, `${tenant} ${form.dataset.tell}`);
const allow = document.getElementById('allow-notifications');
if (allow !== null && 'Notification' in window) {
  allow.hidden = Notification.permission !== 'default';
  allow.addEventListener('click', async () => {
    allow.hidden = (await Notification.requestPermission()) !== 'default';
  });
}
