/** `holdfast renew`: renews what `reserve` has reserved. */

import { HoldfastError } from '../../errors.ts';
import type { Holdfast } from '../../holdfast.ts';
import { type Command, JSON_OPTION, URL_OPTION } from '../command.ts';
import { connect } from '../connect.ts';
import { EXIT, usageError } from '../exitCodes.ts';
import { left } from '../moments.ts';
import { printRows } from '../output.ts';
import {
  forEachReservation,
  type Leased,
  RESERVATION_DETAILS,
  RESERVATION_OPTIONS,
  reservationsOf,
} from './reservations.ts';

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
  details: `${RESERVATION_DETAILS}

The exit code is 76 if it is not held any more.`,
  positionals: { min: 1, max: 500 },
  options: [
    { name: 'ttl', value: '<duration>', text: 'it then ends this long from now. Default: the --ttl of its reserve' },
    ...RESERVATION_OPTIONS,
    JSON_OPTION,
    URL_OPTION,
  ],
  examples: [
    'printf %s "$hold" | holdfast renew -',
    'holdfast renew - --ttl 5m < hold.json',
    'holdfast renew printer --requester build-7 --token "$token" --ttl 5m',
  ],
  run: async ({ args, signal }) => {
    if (args.text('ttl') === 'never') throw usageError('a renewal cannot make a lease endless');
    const given = args.duration('ttl');
    const reservations = reservationsOf(args);
    if (given === undefined && reservations.some(({ ttlSeconds }) => ttlSeconds === undefined))
      throw usageError('how long? Only what `reserve --json` printed can be renewed without --ttl');
    const client = await connect({ args, signal });
    const rows = await forEachReservation(reservations, async (reservation): Promise<Renewed> => {
      const { resource, requester, ttlSeconds } = reservation;
      const ttl = given ?? (ttlSeconds ?? Number.POSITIVE_INFINITY) * 1000;
      if (!Number.isFinite(ttl)) return endless(client, reservation);
      return { resource, requester, expiresAt: (await client.renew(reservation, ttl))?.toISOString() ?? null };
    });
    printRows(args.has('json'), rows, COLUMNS, '');
    return EXIT.done;
  },
};

/** There is nothing to renew: says whether it is still held. */
async function endless(client: Holdfast, { resource, requester }: Leased): Promise<Renewed> {
  const { heldByRequester, expiresAt } = await client.check(resource, { requester });
  if (heldByRequester === true) return { resource, requester, expiresAt };
  throw new HoldfastError('NOT_RESERVED', `${resource}: NOT_RESERVED`);
}
