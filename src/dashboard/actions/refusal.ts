/**
 * Says in people's words why something could not be reserved.
 */
import type { CheckResult } from '../../contract/check.ts';
import type { ReserveResult } from '../../contract/reservations.ts';

const DAY_MS = 86_400_000;

/** A time of UTC in a sentence, with its date only if that is not near. */
function timeText(iso: string): string {
  const isNear = Math.abs(Date.parse(iso) - Date.now()) < DAY_MS;
  return `${isNear ? iso.slice(11, 16) : `${iso.slice(0, 10)} ${iso.slice(11, 16)}`} UTC`;
}

/** The reasons that explanations give, in other words. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^ancestor (.+) is at capacity$/, '“$1”, to which it belongs, is in use.'],
  [/^blocker (.+) is held$/, '“$1”, which it needs too, is in use.'],
  [/^kept for a waiting request$/, 'It is kept for somebody who waits.'],
  [/^(.+) is being deleted$/, '“$1” is being deleted.'],
  [/^a note is required$/, 'Say what you need it for: this tenant asks for a note.'],
  [/^you hold it SHARED; release it first$/, 'You share it already. Release it first.'],
];

/**
 * Returns who is in the way or what is wrong, how many wait, and what to do next.
 * @param state the resource as it is now; null: not known
 */
export function refusalText(
  { resource, status, explanation, heldBy }: ReserveResult,
  state: CheckResult | null,
): string {
  const [, reason = ''] = /^[A-Z_]+: (.+)$/.exec(explanation) ?? [];
  const known = REASONS.find(([pattern]) => pattern.test(reason));
  const why = known ? reason.replace(known[0], known[1]) : reason.replace(/[^.]$/, '$&.');
  if (status === 'NOT_VALID') return why || 'This cannot be reserved.';
  const holder = heldBy && heldBy.resource === resource ? holderText(resource, heldBy) : '';
  const queue = state && state.waiting > 0 ? `${state.waiting} waiting.` : '';
  return [holder || why || `“${resource}” is in use.`, holder && why, queue].filter((part) => part !== '').join(' ');
}

function holderText(resource: string, { requester, expiresAt }: NonNullable<ReserveResult['heldBy']>): string {
  if (requester === null) return '';
  return `“${resource}” is held by ${requester} ${expiresAt === null ? 'without an end' : `until ${timeText(expiresAt)}`}.`;
}
