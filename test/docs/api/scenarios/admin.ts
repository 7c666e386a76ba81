/** Tenants, as administrators of the service manage them. */
import type { Stage } from '../world.ts';

export async function admin({ record, admin, key, tenant: id, made }: Stage & { made: string }): Promise<void> {
  const beta = { id: made, name: 'Beta Ltd.', tier: 'Free', owner: 'ben@example.com' };
  const path = { id };
  await record.quiet('reserve', { by: key, body: [{ resource: 'printer', requester: 'worker-1', ttlSeconds: 60 }] });
  await record.show('A tenant for Beta Ltd., and an invitation for Ben', 'adminCreateTenant', {
    by: admin,
    body: beta,
  });
  await record.show('Those whose name has “beta” in it', 'adminListTenants', { by: admin, query: '?search=beta' });
  await record.show('One tenant', 'adminGetTenant', { by: admin, path: { id: made } });
  await record.show('Move it to Pro', 'adminChangeTier', { by: admin, path: { id: made }, body: { tier: 'Pro' } });
  await record.show('Suspend it', 'adminSuspendTenant', { by: admin, path: { id: made } });
  await record.show('Let it go on', 'adminResumeTenant', { by: admin, path: { id: made } });
  await record.show('End its reservations', 'adminResetTenant', { by: admin, path });
  await record.show('The latest changes of a tenant', 'adminListAudit', {
    by: admin,
    query: `?tenant=${made}&limit=2`,
  });
  await record.show('Its latest change', 'adminListTenantAudit', { by: admin, path: { id: made }, query: '?limit=1' });
}
