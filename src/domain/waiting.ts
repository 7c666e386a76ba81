/**
 * The defaults and bounds of waiting (docs/specification.md#waiting). src/domain/maxSizes.ts has the bounds that can be
 * configured.
 */
import type { TransactionMethod } from './reservations.ts';
import type { Tier } from './tiers.ts';

export const MAX_PRIORITY = 100;
export const DEFAULT_PRIORITY = 0;

export const MIN_CLAIM_SECONDS = 5;
export const MAX_CLAIM_SECONDS = 600;
export const DEFAULT_CLAIM_SECONDS = 10;

export const MAX_POLL_SECONDS = 30;
export const DEFAULT_POLL_SECONDS = 20;

/** Long polls of one ticket at an instance. */
export const MAX_LONG_POLLS_OF_TICKET = 3;

/** The part of an instance's long polls that one tenant may have, by its tier. */
export const LONG_POLL_PARTS: Readonly<Record<Tier, number>> = { Free: 0.05, Starter: 0.2, Pro: 0.5, Enterprise: 1 };

/** The methods of transactions that can wait: each has one moment at which the whole transaction is carried out. */
export const WAITING_METHODS = ['ALL_OR_NONE', 'FIRST'] as const satisfies readonly TransactionMethod[];

/** Why a wait ended: the `explanation` of WAIT_ENDED events. */
export const WAIT_ENDS = ['ACQUIRED', 'ALREADY_HAD', 'CANCELLED', 'ELAPSED', 'NOT_VALID'] as const;

/** The wait of a request: of a reserve item, or of a transaction as a whole. */
export interface Wait {
  /** Absent or 0: the request is a try. */
  readonly waitSeconds?: number | undefined;
  /** Higher is served first. */
  readonly priority?: number | undefined;
  /** Time for which a ticket stays attended after its call ended, and for which a grant can be claimed. */
  readonly claimSeconds?: number | undefined;
}

/** The caller of a request that is held. */
export interface Caller {
  /** True if its connection has closed before the response was sent. */
  readonly isGone: boolean;
  /** Calls back once it is gone. */
  onGone(callback: () => void): void;
  /** Called when the response starts to be held: from then on the request takes up little. */
  onLongPoll?(): void;
}

export const isWaiting = ({ waitSeconds = 0 }: Wait): boolean => waitSeconds > 0;
