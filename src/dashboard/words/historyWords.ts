/**
 * Words for how reservations and waits ended.
 */
import type { Ending } from '../../domain/history.ts';
import { whoDid } from './auditSentences.ts';

export const ENDING_WORDS: Readonly<Record<Ending, string>> = {
  RELEASED: 'released',
  EXPIRED: 'expired',
  TAKEN_AWAY: 'taken away',
  SESSION_ENDED: 'ended with its session',
  RESET: 'released with everything',
  NOT_CLAIMED: 'never claimed',
  ELAPSED: 'waited in vain',
  CANCELLED: 'wait ended',
  NOT_VALID: 'no longer valid',
  OUT_OF_SERVICE: 'was out of service',
};

/** Says how something ended, and who did it. `in use` if it has not. */
export function howItEnded({
  ending,
  actor,
}: {
  readonly ending: Ending | null;
  readonly actor: string | null;
}): string {
  if (ending === null) return 'in use';
  return actor === null ? ENDING_WORDS[ending] : `${ENDING_WORDS[ending]} by ${whoDid(actor)}`;
}
