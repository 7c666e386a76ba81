/** The exports of the package. */

export type { HoldfastClient } from './client.ts';
export type { Duration } from './durations.ts';
export { type ErrorCode, HoldfastError } from './errors.ts';
export type { Mirror, MirrorOptions } from './events/mirror.ts';
export type { MirroredReservation } from './events/reservations.ts';
export type { ConnectionChange, EventsOptions } from './events/stream.ts';
export { Holdfast } from './holdfast.ts';
export type { Hold } from './holds/hold.ts';
export type { MatchOptions, Target } from './holds/plan.ts';
export type { Reservation, ReservationKey } from './holds/reservation.ts';
export type { ReserveRequest, TransactionOptions, UnreserveRequest } from './holds/transaction.ts';
export type { Work } from './holds/use.ts';
export type { BookingsOptions, CallOptions, ListOptions } from './lists.ts';
export type { Session, SessionOptions, SessionReserveOptions } from './sessions/session.ts';
export type {
  ActiveReservation,
  BookAllOptions,
  BookedItem,
  BookedSlot,
  Booking,
  BookOptions,
  ChangeBookingOptions,
  CheckResult,
  Condition,
  ConditionResult,
  Definition,
  HeldBy,
  HoldfastEvent,
  HoldfastOptions,
  Match,
  Reason,
  Registration,
  ReleaseOptions,
  Repeat,
  ReserveOptions,
  Retry,
  SessionInfo,
  TransactionResult,
  TreeNode,
  Waiting,
  WaitingRequest,
  Wanted,
} from './types.ts';
