/**
 * Wake-ups: the messages by which Redis tells an instance that tickets of its calls were granted or have ended. They
 * may be lost; beats repeat grants (docs/specification.md#waiting-lifetimes).
 */
import { RESERVE_STATUSES } from '../domain/reservations.ts';

/** Why a ticket ended without success, as its caller is told. */
export interface Ending {
  readonly status: (typeof RESERVE_STATUSES)[number];
  readonly explanation: string;
  /** The item of a transaction that has this status; -1: all items have it. */
  readonly failedAt: number;
}

/** The ending of all tickets of a tenant that was reset. */
export const RESET: Ending = { status: 'NOT_AVAILABLE', explanation: 'NOT_AVAILABLE: reset', failedAt: -1 };

export type WakeUp =
  | { readonly kind: 'granted'; readonly ticket: string }
  | { readonly kind: 'ended'; readonly ticket: string; readonly ending: Ending }
  | { readonly kind: 'reset' };

/** Reads a message. Lines of an unknown form are left out: a later release may send them. */
export const parseWakeUps = (message: string): WakeUp[] => message.split('\n').flatMap(parseLine);

function parseLine(line: string): WakeUp[] {
  const [ticket = '', kind, statusText, explanation = '', failedAt] = line.split('\t');
  if (kind === 'RESET') return [{ kind: 'reset' }];
  if (kind === 'GRANTED') return [{ kind: 'granted', ticket }];
  const status = RESERVE_STATUSES.find((one) => one === statusText);
  if (kind !== 'ENDED' || status === undefined) return [];
  return [{ kind: 'ended', ticket, ending: { status, explanation, failedAt: Number(failedAt ?? -1) } }];
}
