/**
 * Charges reads that no script of their own charges: those from the database, dry runs, and more of an answer that has
 * begun (docs/specification.md#what-a-request-costs).
 */

import type { Quota } from '../domain/quota.ts';
import type { Right } from '../domain/rights.ts';
import type { Credential } from '../domain/tenants.ts';
import { callRead } from '../engine/call.ts';
import type { Engine } from '../engine/engine.ts';

export class ReadLimiter {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Verifies the credential and charges reads to its tenant. Reads that do not fit cost nothing.
   * @param right what the credential must be allowed to do; null: anything
   * @returns the remaining quota
   * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError if fewer reads are left
   */
  async charge(credential: Credential, right: Right | null, cost = 1): Promise<readonly Quota[]> {
    return (await callRead(this.#engine, 'chargeReads', credential, cost, () => [right ?? '', 0])).quota;
  }

  /**
   * Charges reads for more of an answer that has begun, or for a wait that goes on. They are charged even if the quota
   * is used up; the next read is refused.
   * @throws HoldfastError unauthenticated, unavailable
   */
  async debit(credential: Credential, cost = 1): Promise<void> {
    await callRead(this.#engine, 'chargeReads', credential, cost, () => ['', 1]);
  }
}
