/**
 * Says in people's words why something could not be reserved.
 */
import type { CheckResult } from '../../contract/check.ts';
import type { ReserveResult } from '../../contract/reservations.ts';
import { reasonOf, refusalText } from '../../operations/refusalText.ts';
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
  return { fault: refusalText(result, state?.waiting ?? 0, (iso) => timeText(iso, zone)), field };
}
