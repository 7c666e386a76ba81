/**
 * Statements of the database that are cancelled: their requests get 503, and no answer to another tenant changes.
 */
import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { putGroup } from '../../src/store/groupRoles.ts';
import { BY, type Session, signIn, storeTenant } from '../support/tenancy.ts';
import { one, own, store, useTwoInstances } from '../support/twoInstances.ts';

const GROUPS = '/api/v1/Tenant/groups';
/** The neighbour reads these paths, by a query each. */
const PATHS = [
  '',
  '/keys',
  '/groups',
  '/members',
  '/settings',
  '/invitations',
  '/tokens',
  '/issuers',
  '/groups/team-1',
];

let owner: Session;
let neighbour: Session;
useTwoInstances('Enterprise');
beforeAll(async () => {
  owner = await signIn(store.redis, own.tenant);
  const next = await storeTenant(store);
  neighbour = await signIn(store.redis, next.tenant);
  for (const { tenant } of [own, next])
    for (const i of [1, 2, 3, 4]) await putGroup(store, tenant, `team-${i}`, 'viewer', true, BY);
  // Cancels each statement that lists the groups of the first tenant, once it has sent two of them: PostgreSQL
  // computes columns that are expensive after it has sorted the rows.
  const run = (statement: string) => store.database.run((db) => db.execute(sql.raw(statement)));
  await run(`create function cancelled(anyelement) returns anyelement language plpgsql stable cost 10000 as
    $$ begin perform pg_cancel_backend(pg_backend_pid()); perform pg_sleep(5); return $1; end $$`);
  await run('alter table group_roles rename to all_group_roles');
  await run(`create view group_roles as select tenant_id, "group", created_at,
    case when tenant_id = '${own.tenant}' and "group" = 'team-3' then cancelled(role) else role end as role
    from all_group_roles`);
});

/** Without what the tenant keeps in Redis: the counts of the requests are written once a second, and take bytes. */
const read = async (path: string) => {
  const { status, body } = await neighbour.request<object>(one.url, 'GET', `/api/v1/Tenant${path}`);
  const text = JSON.stringify(body, (key, value: unknown) => (key === 'bytes' ? undefined : value));
  return { path, status, text };
};

test('the answers to a tenant stay right while statements of another one are cancelled', async () => {
  const right = await Promise.all(PATHS.map(read));
  expect(new Set(right.map(({ status }) => status))).toEqual(new Set([200]));
  for (let i = 0; i < PATHS.length; i++) {
    const cancelled = await owner.request(one.url, 'GET', GROUPS);
    expect(cancelled).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
    // Begins with another path each time: the connection that was used last is used first.
    expect(await read(right[i]?.path ?? '')).toEqual(right[i]);
  }
  expect(await Promise.all(PATHS.map(read))).toEqual(right);
});
