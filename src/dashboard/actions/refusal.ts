/**
 * Says in people's words why something could not be reserved.
 */
import type { CheckResult } from '../../contract/check.ts';
import type { ReserveResult } from '../../contract/reservations.ts';
import type { Failed } from '../form.ts';

const DAY_MS = 86_400_000;

/** A time in a sentence: with its date if that is not near, and with its zone if that of the browser is not known. */
function timeText(iso: string, zone: string): string {
  const isNear = Math.abs(Date.parse(iso) - Date.now()) < DAY_MS;
  const time = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    timeStyle: 'short',
    ...(!isNear && { dateStyle: 'short' }),
  }).format(Date.parse(iso));
  return zone === 'UTC' ? `${time} UTC` : time;
}

/** The reasons that explanations give, in other words. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^ancestor (.+) is at capacity$/, '“$1”, to which it belongs, is in use.'],
  [/^blocker (.+) is held$/, '“$1”, which it needs too, is in use.'],
  [/^ancestor (.+) is (out of service|being cleaned)(.*)$/, '“$1”, to which it belongs, is $2$3.'],
  [/^blocker (.+) is (out of service|being cleaned)(.*)$/, '“$1”, which it needs too, is $2$3.'],
  [/^kept for a waiting request$/, 'It is kept for somebody who waits.'],
  [/^(.+) is being deleted$/, '“$1” is being deleted.'],
  [/^a note is required$/, 'Say what you need it for: this tenant asks for a note.'],
  [/^you hold it SHARED; release it first$/, 'You share it already. Release it first.'],
];

/** The field of a form that a reason is about. */
const FIELDS: readonly (readonly [RegExp, string])[] = [[/^a note is required$/, 'note']];

/**
 * Returns who is in the way or what is wrong, how many wait, and the field that is wrong, if it is one.
 * @param state the resource as it is now; null: not known
 * @param zone of the browser, for times
 */
export function refusalOf(
  result: ReserveResult,
  state: CheckResult | null,
  zone: string,
): Pick<Failed, 'fault' | 'field'> {
  const field = FIELDS.find(([pattern]) => pattern.test(reasonOf(result)))?.[1];
  return { fault: refusalText(result, state, zone), field };
}

const reasonOf = ({ explanation }: ReserveResult): string => /^[A-Z_]+: (.+)$/.exec(explanation)?.[1] ?? '';

function refusalText(result: ReserveResult, state: CheckResult | null, zone: string): string {
  const { resource, status, heldBy } = result;
  const reason = reasonOf(result);
  const known = REASONS.find(([pattern]) => pattern.test(reason));
  const why = known ? reason.replace(known[0], known[1]) : reason.replace(/[^.]$/, '$&.');
  if (status === 'NOT_VALID') return why || 'This cannot be reserved.';
  const holder = heldBy && heldBy.resource === resource ? holderText(resource, heldBy, zone) : '';
  const queue = state && state.waiting > 0 ? `${state.waiting} waiting.` : '';
  return [holder || why || `“${resource}” is in use.`, holder && why, queue].filter((part) => part !== '').join(' ');
}

function holderText(
  resource: string,
  { requester, expiresAt }: NonNullable<ReserveResult['heldBy']>,
  zone: string,
): string {
  if (requester === null) return '';
  return `“${resource}” is held by ${requester} ${expiresAt === null ? 'without an end' : `until ${timeText(expiresAt, zone)}`}.`;
}
