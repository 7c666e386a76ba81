/** `holdfast renew`: renews what `reserve` has reserved. */
import { type Command, JSON_OPTION, URL_OPTION } from '../command.ts';
import { connect } from '../connect.ts';
import { EXIT, usageError } from '../exitCodes.ts';
import { printRows } from '../output.ts';
import { left } from '../times.ts';
import { forEachReservation, RESERVATION_DETAILS, RESERVATION_OPTIONS } from './reservations.ts';
import { DEFAULT_TTL_MS, ttlOf } from './reserving.ts';

interface Renewed {
  readonly resource: string;
  readonly requester: string;
  readonly expiresAt: string | null;
}

const COLUMNS = {
  RESOURCE: ({ resource }: Renewed) => resource,
  REQUESTER: ({ requester }: Renewed) => requester,
  'ENDS IN': ({ expiresAt }: Renewed) => left(expiresAt),
};

export const renew: Command = {
  name: 'renew',
  summary: 'Renews what `reserve` has reserved',
  synopsis: 'renew [options] <reservation>…',
  details: `${RESERVATION_DETAILS} The exit code is 76 if it is not held any more.`,
  positionals: { min: 1, max: 500 },
  options: [
    { name: 'ttl', value: '<duration>', text: 'it then ends this long from now. Default: 30s' },
    ...RESERVATION_OPTIONS,
    JSON_OPTION,
    URL_OPTION,
  ],
  examples: ['holdfast renew "$hold" --ttl 5m', 'holdfast renew printer --requester build-7 --token "$token" --ttl 5m'],
  run: async ({ args }) => {
    const ttl = ttlOf(args) ?? DEFAULT_TTL_MS;
    if (!Number.isFinite(ttl)) throw usageError('a renewal cannot make a lease endless');
    const client = connect(args);
    const rows = await forEachReservation(args, async (key): Promise<Renewed> => {
      const expiresAt = (await client.renew(key, ttl))?.toISOString() ?? null;
      return { resource: key.resource, requester: key.requester, expiresAt };
    });
    printRows(args.has('json'), rows, COLUMNS, '');
    return EXIT.done;
  },
};
