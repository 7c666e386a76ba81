/**
 * Bounds how many long lists of one tenant an instance reads at the same time, so that one tenant's lists do not keep
 * it from the others.
 */
import { LimitError } from '../domain/errors.ts';

/** Long lists of one tenant at the same time, on one instance. */
const MAX_LISTINGS = 4;

export class Listings {
  readonly #open = new Map<string, number>();

  /**
   * Begins a list.
   * @returns to be called once, when it has ended
   * @throws LimitError if the tenant has as many under way as it may
   */
  begin(tenant: string): () => void {
    const open = this.#open.get(tenant) ?? 0;
    if (open >= MAX_LISTINGS)
      throw new LimitError(
        `This instance reads ${MAX_LISTINGS} long lists of a tenant at the same time. Wait for one to end.`,
        {
          limitType: 'ConcurrentListings',
          limit: MAX_LISTINGS,
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
