/** `holdfast ls`: lists reservations. `holdfast bookings`: lists bookings. */
import type { ActiveReservation, Booking } from '../../types.ts';
import { type Command, JSON_OPTION, URL_OPTION } from '../command.ts';
import { connect } from '../connect.ts';
import { EXIT } from '../exitCodes.ts';
import { ago, dayAndTime, left } from '../moments.ts';
import { printRows } from '../output.ts';

const COLUMNS = {
  RESOURCE: ({ resource }: ActiveReservation) => resource,
  SLOTS: ({ slots, acquiredSlots }: ActiveReservation) => (slots ?? Object.values(acquiredSlots ?? {})).join(' '),
  'HELD BY': ({ requester }: ActiveReservation) => requester,
  MODE: ({ mode }: ActiveReservation) => (mode === 'SHARED' ? 'shared' : ''),
  FOR: ({ reservedAt }: ActiveReservation) => ago(reservedAt),
  'ENDS IN': ({ expiresAt }: ActiveReservation) => left(expiresAt),
  NOTE: ({ note }: ActiveReservation) => note ?? '',
};

/** Options of both lists. */
export const FILTERS = [
  { name: 'resource', value: '<name>', text: 'only this resource' },
  { name: 'requester', value: '<name>', text: 'only this requester' },
] as const;

export const ls: Command = {
  name: 'ls',
  summary: 'Lists reservations: who has them, for how long, and why',
  synopsis: 'ls [options]',
  positionals: { min: 0, max: 0 },
  options: [...FILTERS, JSON_OPTION, URL_OPTION],
  examples: ['holdfast ls', 'holdfast ls --resource printer', "holdfast ls --json | jq -r '.[].resource'"],
  run: async ({ args, signal }) => {
    const filter = { resource: args.text('resource'), requester: args.text('requester'), signal };
    const rows = await (await connect({ args, signal })).active(filter);
    const byName = rows.toSorted((a, b) => compare(a.resource, b.resource) || compare(a.reservedAt, b.reservedAt));
    printRows(args.has('json'), byName, COLUMNS, 'nothing is held');
    return EXIT.done;
  },
};

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));

const BOOKING_COLUMNS = {
  SLOT: ({ slot }: Booking) => slot,
  REQUESTER: ({ requester }: Booking) => requester,
  FROM: ({ start }: Booking) => dayAndTime(start),
  TO: ({ end }: Booking) => dayAndTime(end),
  STATE: ({ state }: Booking) => state.toLowerCase(),
  BOOKING: ({ booking }: Booking) => booking,
  NOTE: ({ note }: Booking) => note ?? '',
};

/** A column of its own, if there are series. */
const SERIES = ({ series }: Booking) => series ?? '';

export const bookings: Command = {
  name: 'bookings',
  summary: 'Lists bookings that are to come or running',
  synopsis: 'bookings [options]',
  positionals: { min: 0, max: 0 },
  options: [...FILTERS, JSON_OPTION, URL_OPTION],
  examples: ['holdfast bookings', 'holdfast bookings --resource pixel-8', 'holdfast bookings --requester ann --json'],
  run: async ({ args, signal }) => {
    const filter = { resource: args.text('resource'), requester: args.text('requester'), signal };
    const rows = await (await connect({ args, signal })).bookings(filter);
    const columns = rows.some(({ series }) => series) ? { ...BOOKING_COLUMNS, SERIES } : BOOKING_COLUMNS;
    printRows(args.has('json'), rows, columns, 'nothing is booked');
    return EXIT.done;
  },
};
