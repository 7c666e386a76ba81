import { LimitError } from '../domain/errors.ts';

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
