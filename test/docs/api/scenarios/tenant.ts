/** The tenant: tier and usage, settings, audit trail, and its end. */
import type { Stage } from '../world.ts';

export async function tenant({ record, key, program, owner, tenant: id }: Stage): Promise<void> {
  await record.quiet('reserve', {
    by: key,
    body: [{ resource: 'printer', requester: 'worker-1', ttlSeconds: 60 }],
  });
  await record.show('Tier Starter, with one reservation', 'getTenant', { by: key });
  await record.show('The defaults', 'getSettings', { by: program });
  await record.show('Leases of an hour at most', 'changeSettings', { by: program, body: { maxTtlSeconds: 3600 } });
  await record.show('A default that is longer than the longest lease', 'changeSettings', {
    by: program,
    body: { defaultTtlSeconds: 7200 },
  });
  await record.show('The latest change', 'listAudit', { by: program, query: '?limit=1' });
  await record.show('All changes of settings, as CSV', 'listAudit', {
    by: program,
    query: '?action=settings.change&format=csv',
  });
  await record.show('The id does not match', 'deleteTenant', { by: owner, query: '?confirm=another' });
  await record.show('Delete everything', 'deleteTenant', { by: owner, query: `?confirm=${id}` });
}
