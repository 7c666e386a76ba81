/** The kinds of calls that travel in batches, and what minimal results of them leave out. */
import type {
  CancelItem,
  CancelResult,
  CheckItem,
  CheckResult,
  RenewItem,
  RenewResult,
  ReserveItem,
  ReserveResult,
  UnreserveItem,
  UnreserveResult,
} from '../types.ts';
import type { Kind } from './lane.ts';

type Minimal<Result extends { status: string }> = Partial<Result> & Pick<Result, 'status'>;

export const RESERVE: Kind<ReserveItem, ReserveResult> = {
  path: '/Reservation/reserve',
  // It joins the queue, and gets a response at once.
  pathOf: ({ waitSeconds }) => (waitSeconds ? '/Reservation/reserve?pollSeconds=0' : undefined),
  nameOf: ({ resource }) => resource,
  sizeOf: ({ count = 1 }) => count,
  // In one request, a second item with the same match would take a second resource.
  markOf: ({ match, requester }) => match && `${requester}`,
  restore: (result: Minimal<ReserveResult>, { resource = '', requester }) => ({
    resource,
    requester,
    explanation: result.status,
    releaseToken: null,
    expiresAt: null,
    acquiredSlots: null,
    acquiredBlockers: null,
    reservedAtPath: null,
    fencingToken: null,
    ...result,
  }),
};

export const UNRESERVE: Kind<UnreserveItem, UnreserveResult> = {
  path: '/Reservation/unreserve',
  restore: (result: Minimal<UnreserveResult>, { resource, requester }) => ({
    resource,
    requester,
    explanation: result.status,
    released: result.status === 'RELINQUISHED' ? [resource] : null,
    ...result,
  }),
};

export const RENEW: Kind<RenewItem, RenewResult> = {
  path: '/Reservation/renew',
  // Timers of holds that were taken together run one after the other: all but the first two travel together.
  maxInFlight: 2,
  restore: (result: Minimal<RenewResult>, { resource, requester }) => ({
    resource,
    requester,
    explanation: result.status,
    expiresAt: null,
    ...result,
  }),
};

export const CHECK: Kind<CheckItem, CheckResult> = { path: '/Reservation/check', has: 'reserved' };

export const CANCEL: Kind<CancelItem, CancelResult> = { path: '/Reservation/cancel' };
