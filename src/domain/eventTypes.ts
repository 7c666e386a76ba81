import { ALL_TYPES } from './notices.ts';

/**
 * The types of events (docs/specification.md#event-types). Bit i of a mask of types stands for the i-th: so types may
 * be added at the end, and never move.
 */
export const EVENT_TYPES = [
  'RESERVED',
  'RENEWED',
  'UNRESERVED',
  'RESERVATION_EXPIRED',
  'RESERVE_FAILED',
  'UNRESERVE_FAILED',
  'TRANSACTION_APPLIED',
  'TRANSACTION_ROLLED_BACK',
  'WAITING',
  'WAIT_ENDED',
  'RESET',
  'CONDITION',
  'TIER_LIMIT_REACHED',
  'ENDS_SOON',
  'WANTED',
  'BOOKED',
  'BOOKING_CHANGED',
  'BOOKING_CANCELLED',
  'BOOKING_DELAYED',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** The bit of a type in masks. */
export const bitOf = (type: EventType): number => 2 ** EVENT_TYPES.indexOf(type);

/** The mask of all types, also of those that are added later. */
const ALL_BITS = 2 ** 32 - 1;

/** The mask of some types. `*` stands for all. */
export const maskOf = (types: readonly string[]): number =>
  types.includes(ALL_TYPES)
    ? ALL_BITS
    : EVENT_TYPES.filter((type) => types.includes(type)).reduce((mask, type) => mask + bitOf(type), 0);

/** Returns whether a mask has a type. */
export const hasType = (mask: number, type: EventType): boolean => Math.floor(mask / bitOf(type)) % 2 === 1;
