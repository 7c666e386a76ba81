/**
 * Says in people's words why something could not be reserved.
 */
import type { ReserveResult } from '../contract/reservations.ts';

/** The reasons that explanations give, in other words. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^ancestor (.+) is at capacity$/, '“$1”, to which it belongs, is in use.'],
  [/^blocker (.+) is held$/, '“$1”, which it needs too, is in use.'],
  [/^ancestor (.+) (is out of service|needs cleaning)(.*)$/, '“$1”, to which it belongs, $2$3.'],
  [/^blocker (.+) (is out of service|needs cleaning)(.*)$/, '“$1”, which it needs too, $2$3.'],
  [/^booked from (.+)$/, 'It is booked from $1.'],
  [/^kept for a waiting request$/, 'It is kept for somebody who waits.'],
  [/^(.+) is being deleted$/, '“$1” is being deleted.'],
  [/^a note is required$/, 'Say what you need it for: this tenant asks for a note.'],
  [/^you hold it SHARED; release it first$/, 'You share it already. Release it first.'],
];

const ISO_TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/;

/** The reason in an explanation; '' if it has none. */
export const reasonOf = ({ explanation }: Pick<ReserveResult, 'explanation'>): string =>
  /^[A-Z_]+: (.+)$/.exec(explanation)?.[1] ?? '';

/**
 * Returns who is in the way or what is wrong, and how many wait.
 * @param waiting number of requests that wait for it
 * @param timeText writes a time in ISO 8601
 */
export function refusalText(
  result: Pick<ReserveResult, 'resource' | 'status' | 'explanation' | 'heldBy'>,
  waiting: number,
  timeText: (iso: string) => string,
): string {
  const { resource, status, heldBy } = result;
  const reason = reasonOf(result);
  const known = REASONS.find(([pattern]) => pattern.test(reason));
  const inWords = known ? reason.replace(known[0], known[1]) : reason.replace(/[^.]$/, '$&.');
  const why = inWords.replace(ISO_TIME, timeText);
  if (status === 'NOT_VALID') return why || 'This cannot be reserved.';
  const holder = heldBy && heldBy.resource === resource ? holderText(resource, heldBy, timeText) : '';
  const queue = waiting > 0 ? `${waiting} waiting.` : '';
  return [holder || why || `“${resource}” is in use.`, holder && why, queue].filter((part) => part !== '').join(' ');
}

function holderText(
  resource: string,
  { requester, expiresAt }: NonNullable<ReserveResult['heldBy']>,
  timeText: (iso: string) => string,
): string {
  if (requester === null) return '';
  return `“${resource}” is held by ${requester} ${expiresAt === null ? 'without an end' : `until ${timeText(expiresAt)}`}.`;
}
