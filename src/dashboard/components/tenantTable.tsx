/**
 * The list of tenants, sorted by what they use, and the form that creates one: for administrators.
 */
import { TIERS } from '../../domain/tiers.ts';
import type { Order, Sort, TenantPage, UsedTenant } from '../../store/tenantList.ts';
import { TENANTS } from '../viewer.ts';
import { Scroll, SortHead } from './tableParts.tsx';
import { When } from './when.tsx';

/** Which tenants are listed, and how. */
export interface Listing {
  /** The search; '' none */
  readonly q: string;
  readonly sort: Sort;
  /** undefined: the usual one */
  readonly order: Order | undefined;
}

const MEASURES = [
  ['reservations', 'Reservations'],
  ['definitions', 'Resources'],
  ['requests', 'Requests in an hour'],
  ['refusals', 'Refusals in an hour'],
] as const;

const usualOrder = (sort: Sort): Order => (sort === 'id' ? 'asc' : 'desc');

const addressOf = ({ q, sort, order }: Listing, after?: string) => {
  const query = new URLSearchParams({ q, sort });
  if (order !== undefined) query.set('order', order);
  if (after !== undefined) query.set('after', after);
  return `${TENANTS}?${query}`;
};

/** A column's head, which sorts by it; if the list is sorted by it already, the other way round. */
const Head = ({ listing, sort, label }: { listing: Listing; sort: Sort; label: string }) => {
  const order = listing.sort === sort ? (listing.order ?? usualOrder(sort)) : undefined;
  const next = order === undefined ? usualOrder(sort) : order === 'asc' ? 'desc' : 'asc';
  return <SortHead label={label} order={order} href={addressOf({ ...listing, sort, order: next })} />;
};

export const TenantTable = ({ tenants, next, listing }: TenantPage & { listing: Listing }) =>
  tenants.length === 0 ? (
    <p>None found.</p>
  ) : (
    <>
      <Scroll label="Tenants">
        <table class="stacked">
          <thead>
            <tr>
              <Head listing={listing} sort="id" label="Tenant" />
              <th scope="col">Name</th>
              <th scope="col">Tier</th>
              <th scope="col">State</th>
              {MEASURES.map(([sort, label]) => (
                <Head listing={listing} sort={sort} label={label} />
              ))}
              <Head listing={listing} sort="activity" label="Last active" />
              <th scope="col">Created</th>
            </tr>
          </thead>
          <tbody>
            {tenants.map((tenant) => (
              <TenantRow {...tenant} />
            ))}
          </tbody>
        </table>
      </Scroll>
      {next !== null && (
        <nav class="pages" aria-label="Pages of tenants">
          <a href={addressOf(listing, next)}>More</a>
        </nav>
      )}
    </>
  );

const TenantRow = ({ id, name, tier, suspendedAt, usage, createdAt }: UsedTenant) => (
  <tr>
    <th scope="row">
      <a href={`${TENANTS}/${id}`}>{id}</a>
    </th>
    <td data-label="Name">{name}</td>
    <td data-label="Tier">{tier}</td>
    <td data-label="State">{suspendedAt === null ? 'active' : 'suspended'}</td>
    {MEASURES.map(([measure, label]) => (
      <td data-label={label}>{usage[measure].toLocaleString('en')}</td>
    ))}
    <td data-label="Last active">
      <When at={usage.lastActiveAt} as="ago" none="not yet" />
    </td>
    <td data-label="Created">
      <When at={createdAt} as="ago" />
    </td>
  </tr>
);

/** The text that was typed into the form. */
export interface TypedTenant {
  readonly id: string;
  readonly name: string;
  readonly tier: string;
  readonly owner: string;
}

export const CreateTenant = ({ typed }: { typed: TypedTenant | undefined }) => (
  <form method="post" action={TENANTS} class="fields">
    <h2>Create a tenant</h2>
    <label>
      Id (lower-case letters, digits and hyphens){' '}
      <input name="id" required maxlength={40} pattern="[a-z0-9\-]+" value={typed?.id} autocomplete="off" />
    </label>
    <label>
      Name <input name="name" required maxlength={200} value={typed?.name} autocomplete="off" />
    </label>
    <label>
      Tier{' '}
      <select name="tier">
        {TIERS.map((tier) => (
          <option value={tier} selected={tier === typed?.tier}>
            {tier}
          </option>
        ))}
      </select>
    </label>
    <label>
      E-mail address of the first owner, who is invited for 14 days{' '}
      <input type="email" name="owner" maxlength={320} value={typed?.owner} autocomplete="off" />
    </label>
    <button type="submit">Create the tenant</button>
  </form>
);
