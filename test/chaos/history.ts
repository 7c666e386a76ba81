/**
 * Records of a campaign: each call with the times of its invocation and its completion, each stream of events, each
 * fault, and the state at the end. Checks read nothing else. Times are those of clock.ts, in ms.
 */
import type { BookResult, CancelledBookings } from '../../src/contract/bookings.ts';
import type { CheckItem, CheckResult } from '../../src/contract/check.ts';
import type { Definition } from '../../src/contract/definitions.ts';
import type { Event } from '../../src/contract/events.ts';
import type { HistoryEntry, HistoryPage } from '../../src/contract/history.ts';
import type { RenewItem, RenewResult } from '../../src/contract/renewals.ts';
import type {
  ActiveReservation,
  ReserveItem,
  ReserveResult,
  Transaction,
  TransactionResult,
  UnreserveItem,
  UnreserveResult,
} from '../../src/contract/reservations.ts';
import type {
  BegunSession,
  EndedSession,
  NewSession,
  RenewedSession,
  SessionProof,
} from '../../src/contract/sessions.ts';
import type { CancelItem, CancelResult, WaitingRequest } from '../../src/contract/waiting.ts';
import type { RegistrationItem } from '../support/client.ts';

/** A request to book one slot. Times are ISO 8601. */
export interface BookRequest {
  readonly bookings: readonly {
    readonly resource: string;
    readonly requester: string;
    readonly start: string;
    readonly end: string;
  }[];
}

interface CallFields<Verb extends string, Request, Response> {
  readonly verb: Verb;
  /** Counts the calls of a campaign in the order of their invocation, from 0. */
  readonly id: number;
  /** Who called. A caller has one call at a time. */
  readonly caller: string;
  readonly tenant: string;
  /** The name of the instance or balancer that it was sent to. */
  readonly at: string;
  readonly request: Request;
  readonly invokedAt: number;
  /** When the response had arrived, or the call had failed or was given up. */
  readonly completedAt: number;
  /** The HTTP status; null: no response came, so the outcome is unknown. */
  readonly status: number | null;
  /** Only with status 200. */
  readonly response: Response | null;
  /** With another status: the response as text; without a response: why not. */
  readonly failure: string | null;
  /** Left out: the request had no Idempotency-Key. */
  readonly idempotencyKey?: string;
  /** True if the response is that of an earlier call with this Idempotency-Key. Left out: it is not. */
  readonly isReplayed?: true;
  /** Longest time for which the response may be held. Only of calls that wait. */
  readonly pollSeconds?: number;
}

/** One call. With status 503 and without a response its outcome is unknown; with 4xx it had no effect. */
export type Call =
  | CallFields<'reserve', readonly ReserveItem[], readonly ReserveResult[]>
  | CallFields<'unreserve', readonly UnreserveItem[], readonly UnreserveResult[]>
  | CallFields<'renew', readonly RenewItem[], readonly RenewResult[]>
  | CallFields<'transaction', Transaction, TransactionResult>
  | CallFields<'cancel', readonly CancelItem[], readonly CancelResult[]>
  | CallFields<'beginSession', NewSession, BegunSession>
  | CallFields<'renewSession', SessionProof, RenewedSession>
  | CallFields<'endSession', SessionProof, EndedSession>
  | CallFields<'book', BookRequest, BookResult>
  | CallFields<'cancelBooking', string, CancelledBookings>
  | CallFields<'register', readonly RegistrationItem[], readonly Definition[]>
  | CallFields<'delete', string, { readonly deleted: readonly string[] }>
  | CallFields<'reset', null, { readonly cleared: number }>
  | CallFields<'active', string, readonly ActiveReservation[]>
  | CallFields<'available', string, boolean>
  | CallFields<'check', readonly CheckItem[], readonly CheckResult[]>
  | CallFields<'waiting', null, readonly WaitingRequest[]>
  | CallFields<'past', { readonly resource: string }, HistoryPage>;

export type Verb = Call['verb'];
export type CallOf<V extends Verb> = Extract<Call, { readonly verb: V }>;

/** A stream of events, from its first comment to its end. */
export interface StreamSeen {
  readonly tenant: string;
  readonly at: string;
  /** When `: open` had arrived: what happens from then on is in the stream. */
  readonly openedAt: number;
  /** Infinity: it was open until the campaign closed it. */
  readonly endedAt: number;
  readonly events: readonly { readonly receivedAt: number; readonly event: Event }[];
}

/** Which answered writes a fault may undo, as the documentation says. */
export type Loses =
  | 'nothing'
  | 'everything'
  /** Those that were answered less than so many ms before it, or while it lasted. */
  | { readonly recentMs: number };

/** One fault. */
export interface FaultSeen {
  readonly kind: string;
  /** The parts that it hit. */
  readonly targets: readonly string[];
  readonly startedAt: number;
  /** When all parts ran and could reach each other again. */
  readonly healedAt: number;
  readonly loses: Loses;
  /** The time after `servedFromAt` in which everything must be served again, as the documentation says. */
  readonly servedWithinMs: number;
  /** Left out: healedAt. Earlier if the service must get over the fault by itself: a dead primary is replaced. */
  readonly servedFromAt?: number;
  /** Names of addresses at which no call may fail while it lasts. Left out: none. */
  readonly sparedAddresses?: readonly string[];
  /** Which calls it spares there. Left out: all. */
  readonly sparedVerbs?: readonly Verb[];
  /** Step of the clock of Redis, in ms; negative: backwards. It is moved back at healedAt. */
  readonly clockStepMs: number;
  /** For people who read a report. */
  readonly detail: string;
}

/** The state of a tenant once nothing fails and nobody calls any more. */
export interface EndState {
  readonly tenant: string;
  readonly readAt: number;
  readonly active: readonly ActiveReservation[];
  readonly waiting: readonly WaitingRequest[];
  /** The whole history, oldest first. */
  readonly past: readonly HistoryEntry[];
  readonly definitions: readonly Definition[];
  /** Lines that say what is wrong inside Redis: counts that differ from what they count, indexes without records. */
  readonly inconsistencies: readonly string[];
}

export interface History {
  readonly seed: string;
  readonly setup: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly calls: readonly Call[];
  readonly streams: readonly StreamSeen[];
  readonly faults: readonly FaultSeen[];
  readonly end: readonly EndState[];
  /** When the campaign's own process did not run, although it had something to do: the machine was busy. */
  readonly lags: readonly Lag[];
}

export interface Lag {
  readonly from: number;
  readonly by: number;
}
