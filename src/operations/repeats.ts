/**
 * Charges requests with an Idempotency-Key that are not carried out, since one under that key was carried out before
 * (docs/specification.md#repeating-safely).
 */
import { afterCharge, type ErrorCode, HoldfastError } from '../domain/errors.ts';
import type { Once } from '../domain/once.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import type { OperationDeps } from './deps.ts';

/** Why such a request does not get the response to the first one. */
const REFUSALS: readonly ErrorCode[] = ['mismatch', 'running', 'notKept'];

/**
 * Waits for a request. Charges a read if it was a repeat.
 * @param once its Idempotency-Key; undefined: it is no repeat
 * @throws as `pending`; LimitError if no read is left
 */
export const chargeRepeat = <Result>(
  { reads }: Pick<OperationDeps, 'reads'>,
  credential: Credential,
  once: Once | undefined,
  pending: Promise<Charged<Result>>,
): Promise<Charged<Result>> =>
  once === undefined
    ? pending
    : pending.then(
        async (done) => (done.isReplayed ? { ...done, quota: await reads.charge(credential, null) } : done),
        async (error: unknown) => {
          if (!(error instanceof HoldfastError && REFUSALS.includes(error.code))) throw error;
          return afterCharge(await reads.charge(credential, null), () => Promise.reject(error));
        },
      );
