/** Limits of reads that cost no script of their own, and of long lists. */
import { LimitError } from '../domain/errors.ts';
import type { Quota } from '../domain/quota.ts';
import type { Right } from '../domain/rights.ts';
import type { Credential } from '../domain/tenants.ts';
import { callRead } from '../engine/call.ts';
import type { Engine } from '../engine/engine.ts';

/**
 * Charges reads that no script of their own charges: those from the database, dry runs, and more of an answer that has
 * begun (docs/specification.md#what-a-request-costs).
 */
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

/** Concurrent long lists of one tenant on one instance. */
const MAX_LISTS = 4;

/**
 * Limits how many long lists of one tenant an instance reads at the same time, so that one tenant's lists do not slow
 * down the other tenants.
 */
export class ConcurrentLists {
  readonly #open = new Map<string, number>();

  /**
   * Starts a list.
   * @returns a function to be called once, when the list has ended
   * @throws LimitError if the tenant has too many lists in flight
   */
  begin(tenant: string): () => void {
    const open = this.#open.get(tenant) ?? 0;
    if (open >= MAX_LISTS)
      throw new LimitError(
        `This instance reads ${MAX_LISTS} long lists of a tenant at the same time. Wait for one to end.`,
        {
          limitType: 'ConcurrentListings',
          limit: MAX_LISTS,
          tier: null,
          retryAfter: 1,
          upgradeRequired: false,
        },
      );
    this.#open.set(tenant, open + 1);
    return () => {
      const left = (this.#open.get(tenant) ?? 1) - 1;
      if (left === 0) this.#open.delete(tenant);
      else this.#open.set(tenant, left);
    };
  }
}
