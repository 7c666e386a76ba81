/** The form in which `reserve` prints a reservation, and `release` and `renew` read it. */
import type { Reservation, ReservationKey } from '../../index.ts';
import type { Arguments, Option } from '../arguments.ts';
import { REQUESTER_OPTION } from '../command.ts';
import { namedRequester, readText } from '../connect.ts';
import { usageError } from '../exitCodes.ts';

export const RESERVATION_OPTIONS: readonly Option[] = [
  { name: 'token', value: '<token>', text: 'the release token, if the argument is a name' },
  { ...REQUESTER_OPTION, text: 'who holds it, if the argument is a name; default: $HOLDFAST_REQUESTER' },
];

export const RESERVATION_DETAILS = `\
The argument is - to read what \`reserve --json\` printed from stdin, or that JSON itself, or a name with --token and
--requester. Other users of the machine can see arguments in the list of processes, but not stdin.`;

/** A reservation with its lease, as `reserve --json` prints it. */
export interface Leased extends ReservationKey {
  /** In seconds. Null: it never ends by itself. Undefined: the argument does not say. */
  readonly ttlSeconds: number | null | undefined;
}

/** @param ttlMs the lease; Infinity: it never ends by itself */
export const leased = (reservation: Reservation, ttlMs: number): Reservation & Leased => ({
  ...reservation,
  ttlSeconds: Number.isFinite(ttlMs) ? Math.ceil(ttlMs / 1000) : null,
});

/** The resource and token of an argument. No message has its text, since that contains a release token. */
function parsed(argument: string): Leased[] {
  const text = argument === '-' ? readText('-') : argument;
  if (argument === '-' && text.trim() === '') throw usageError('stdin is empty: - reads what `reserve --json` printed');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    if (argument === '-') throw usageError('stdin is not what `reserve --json` printed');
    throw usageError('the argument is not what `reserve --json` printed; a name needs --token');
  }
  const items: unknown[] = Array.isArray(value) ? value : [value];
  if (items.length === 0) throw usageError('the list has no reservation: was `reserve --json` refused?');
  return items.map((item) => {
    const found = (name: string): unknown =>
      typeof item === 'object' && item !== null ? Reflect.get(item, name) : undefined;
    const field = (name: string): string => {
      const value = found(name);
      if (typeof value === 'string') return value;
      throw usageError(`the reservation has no ${name}: release and renew need what \`reserve --json\` printed`);
    };
    const ttl = found('ttlSeconds');
    const ttlSeconds = ttl === null || (typeof ttl === 'number' && ttl > 0) ? ttl : undefined;
    return {
      resource: field('resource'),
      requester: field('requester'),
      releaseToken: field('releaseToken'),
      ttlSeconds,
    };
  });
}

/** @throws ExitError of wrong use */
export function reservationsOf(args: Arguments): readonly Leased[] {
  const { positionals } = args;
  const releaseToken = args.text('token');
  if (releaseToken === undefined) return positionals.flatMap(parsed);
  const [resource = '', ...others] = positionals;
  const requester = namedRequester(args);
  if (others.length > 0) throw usageError('--token is for one resource');
  if (requester === undefined) throw usageError('who holds it? --token needs --requester, or HOLDFAST_REQUESTER');
  return [{ resource, requester, releaseToken, ttlSeconds: undefined }];
}

/** Does something with each reservation. If some fail, the others are done all the same. */
export async function forEachReservation<Row>(
  reservations: readonly Leased[],
  work: (reservation: Leased) => Promise<Row>,
): Promise<Row[]> {
  const results = await Promise.allSettled(reservations.map(work));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}
