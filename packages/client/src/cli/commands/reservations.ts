/** How `reserve` prints a reservation, and how `release` and `renew` read it again. */
import type { ReservationKey } from '../../index.ts';
import type { Arguments } from '../arguments.ts';
import { type Option, REQUESTER_OPTION } from '../command.ts';
import { namedRequester, readText } from '../connect.ts';
import { usageError } from '../exitCodes.ts';

export const RESERVATION_OPTIONS: readonly Option[] = [
  { name: 'token', value: '<token>', text: 'the release token, if the argument is a name' },
  { ...REQUESTER_OPTION, text: 'who holds it, if the argument is a name; default: $HOLDFAST_REQUESTER' },
];

export const RESERVATION_DETAILS = `\
The argument is the JSON that \`reserve --json\` printed (- reads it from stdin), or a name with --token and
--requester.`;

/** What one argument names. */
function parsed(text: string): ReservationKey[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw usageError(`${JSON.stringify(text)} is not what reserve --json printed; a name needs --token`);
  }
  return (Array.isArray(value) ? value : [value]).map((item: unknown) => {
    const field = (name: string) => {
      const found: unknown = typeof item === 'object' && item !== null ? Reflect.get(item, name) : undefined;
      if (typeof found === 'string') return found;
      throw usageError(`the reservation has no ${name}: release and renew need what reserve --json printed`);
    };
    return { resource: field('resource'), requester: field('requester'), releaseToken: field('releaseToken') };
  });
}

/** @throws ExitError of wrong use */
function reservationsOf(args: Arguments): ReservationKey[] {
  const { positionals } = args;
  const releaseToken = args.text('token');
  if (releaseToken === undefined) return positionals.flatMap((text) => parsed(text === '-' ? readText('-') : text));
  const [resource = '', ...others] = positionals;
  const requester = namedRequester(args);
  if (others.length > 0) throw usageError('--token is for one resource');
  if (requester === undefined) throw usageError('who holds it? --token needs --requester, or HOLDFAST_REQUESTER');
  return [{ resource, requester, releaseToken }];
}

/** Does something with each reservation. If some fail, the others are done all the same. */
export async function forEachReservation<Row>(
  args: Arguments,
  work: (key: ReservationKey) => Promise<Row>,
): Promise<Row[]> {
  const results = await Promise.allSettled(reservationsOf(args).map(work));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}
