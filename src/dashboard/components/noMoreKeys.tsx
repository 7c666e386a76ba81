/**
 * Says that the tier of a tenant allows no more API keys, and what to do. It stands in place of the form, which could
 * only fail.
 */
import { isRaisedByUpgrade, type Tier, type TierTable } from '../../domain/tiers.ts';
import { TENANTS } from '../viewer.ts';
import { number } from '../words/numbers.ts';

interface NoMoreKeysProps {
  readonly tenant: string;
  /** True if the person may give the tenant another tier. */
  readonly isAdmin: boolean;
  readonly tier: Tier;
  readonly tiers: TierTable;
}

export const NoMoreKeys = ({ tenant, isAdmin, tier, tiers }: NoMoreKeysProps) => {
  const keys = tiers[tier].apiKeys ?? 0;
  return (
    <section class="notice" aria-labelledby="no-more-keys">
      <h2 id="no-more-keys">No more keys</h2>
      <p>
        {keys === 1
          ? `Tier ${tier} allows one key, and the default key is that one: it can do everything.`
          : `Tier ${tier} allows ${number(keys)} keys. Delete one that nobody uses any more.`}
        {isRaisedByUpgrade(tiers, tier, 'apiKeys') &&
          (isAdmin ? (
            <>
              {' '}
              For another one, <a href={`${TENANTS}/${tenant}`}>give the tenant a higher tier</a>.
            </>
          ) : (
            ' For another one, ask those who run this service for a higher tier.'
          ))}
      </p>
    </section>
  );
};
