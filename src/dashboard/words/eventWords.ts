/** The words of pages for types of events (docs/specification.md#event-types). */
import type { EventType } from '../../domain/eventTypes.ts';

export const EVENT_WORDS: Readonly<Record<EventType, string>> = {
  RESERVED: 'Reserved',
  RENEWED: 'Extended',
  UNRESERVED: 'Released',
  RESERVATION_EXPIRED: 'Lease ended',
  RESERVE_FAILED: 'Reserve failed',
  UNRESERVE_FAILED: 'Release failed',
  TRANSACTION_APPLIED: 'Several changed at once',
  TRANSACTION_ROLLED_BACK: 'Several not changed',
  WAITING: 'Joined the queue',
  WAIT_ENDED: 'Wait ended',
  RESET: 'Everything released',
  CONDITION: 'Condition changed',
  TIER_LIMIT_REACHED: 'Limit reached',
  ENDS_SOON: 'Ends soon',
  WANTED: 'Somebody waits for it',
  BOOKED: 'Booked',
  BOOKING_CHANGED: 'Booking changed',
  BOOKING_CANCELLED: 'Booking cancelled',
  BOOKING_DELAYED: 'Booking delayed',
};
