/**
 * /api/v1/admin/tenants: lists, reads and changes tenants, for administrators
 * (docs/specification.md#tenants-and-administration). Every change is in the audit trail.
 */
import {
  AdminCleared,
  AdminTenant,
  AdminTenants,
  TenantParams,
  TenantsQuery,
  TenantToCreate,
  TierChange,
} from '../../contract/admin.ts';
import type { OperationDeps } from '../../operations/deps.ts';
import { changeTier, createTenant, resetTenant, resume, suspend } from '../../operations/tenants.ts';
import { listTenants, readUsedTenant, type UsedTenant } from '../../store/tenantList.ts';
import { operation } from '../call/operation.ts';
import { json } from '../call/reply.ts';
import { type Route, route } from '../call/route.ts';
import type { TenantDeps } from '../deps.ts';
import { answer, bodyOperation, parameterOperation, unknown } from '../openapi/responses.ts';

const PATH = '/api/v1/admin/tenants';

const common = { tags: ['Administration'], right: 'administrator' as const };

const listOperation = operation({
  ...common,
  method: 'get',
  path: PATH,
  operationId: 'adminListTenants',
  summary: 'Search the tenants, sorted by what they use',
  description: 'In pages. The usage is some seconds old, a minute at most.',
  request: { query: TenantsQuery },
  responses: { 200: answer('A page.', AdminTenants), ...parameterOperation },
});

const createOperation = operation({
  ...common,
  method: 'post',
  path: PATH,
  operationId: 'adminCreateTenant',
  summary: 'Create a tenant, and invite its first owner',
  description:
    'It gets a default key, which its owners see in the dashboard. The owner is invited by address, and accepts by signing in with it. Until there is an owner, the same call with another address replaces the invitation.',
  body: TenantToCreate,
  responses: {
    201: answer('The tenant.', AdminTenant),
    200: answer('The tenant exists already, with the same content.', AdminTenant),
    ...bodyOperation,
  },
});

const readOperation = operation({
  ...common,
  method: 'get',
  path: `${PATH}/{id}`,
  operationId: 'adminGetTenant',
  summary: 'See a tenant',
  description: 'With its settings and its usage.',
  request: { params: TenantParams },
  responses: { 200: answer('The tenant.', AdminTenant), ...unknown, ...parameterOperation },
});

const changeTierOperation = operation({
  ...common,
  method: 'put',
  path: `${PATH}/{id}/tier`,
  operationId: 'adminChangeTier',
  summary: 'Move a tenant to another tier',
  description: 'Its limits apply from the next request on, in windows of their own.',
  body: TierChange,
  request: { params: TenantParams },
  responses: { 200: answer('The tenant.', AdminTenant), ...unknown, ...bodyOperation },
});

const action = <Name extends string>(name: Name, operationId: string, summary: string, description: string) =>
  operation({
    ...common,
    method: 'post',
    path: `${PATH}/{id}/${name}`,
    operationId,
    summary,
    description,
    request: { params: TenantParams },
    responses: { 200: answer('The tenant.', AdminTenant), ...unknown, ...parameterOperation },
  });

const suspended = action(
  'suspend',
  'adminSuspendTenant',
  'Suspend a tenant',
  'Every call with a credential of the tenant is then a 403, and its event streams end. Its state stays.',
);
const resumed = action(
  'resume',
  'adminResumeTenant',
  'End the suspension of a tenant',
  'Its credentials are accepted again.',
);

const resetOperation = operation({
  ...common,
  method: 'post',
  path: `${PATH}/{id}/reset`,
  operationId: 'adminResetTenant',
  summary: 'End all reservations of a tenant',
  description: 'Definitions stay. Their holders learn at their next renewal or release who did it.',
  request: { params: TenantParams },
  responses: { 200: answer('All reservations have ended.', AdminCleared), ...unknown, ...parameterOperation },
});

export const adminOperations = [
  listOperation,
  createOperation,
  readOperation,
  changeTierOperation,
  suspended,
  resumed,
  resetOperation,
];

const toBody = ({ suspendedAt, createdAt, usage, ...tenant }: UsedTenant) => ({
  ...tenant,
  suspendedAt: suspendedAt?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
  usage: { ...usage, lastActiveAt: usage.lastActiveAt?.toISOString() ?? null },
});

export const adminRoutes = (deps: Pick<OperationDeps, 'engine' | 'trail'>, tenants: TenantDeps): readonly Route[] => {
  const { store } = tenants;
  return [
    route(
      listOperation,
      (call) => {
        const { search, sort, order, after, limit } = call.query;
        return listTenants(store, { search, sort, order, after, limit });
      },
      (page) => json({ tenants: page.tenants.map(toBody), next: page.next }),
    ),
    route(
      createOperation,
      (call) => {
        const { id, name, tier, owner } = call.body;
        return createTenant(tenants, call.actor, { id, name, tier, owner });
      },
      ({ tenant, isNew }) => json(toBody(tenant), isNew ? 201 : 200),
    ),
    route(readOperation, (call) => readUsedTenant(store, call.params.id), tenantBody),
    route(changeTierOperation, (call) => changeTier(store, call.actor, call.params.id, call.body.tier), tenantBody),
    route(suspended, (call) => suspend(store, call.actor, call.params.id), tenantBody),
    route(resumed, (call) => resume(store, call.actor, call.params.id), tenantBody),
    route(
      resetOperation,
      (call) => resetTenant(deps, store, call.actor, call.params.id),
      (cleared) => json({ cleared }),
    ),
  ];
};

const tenantBody = (tenant: UsedTenant) => json(toBody(tenant));
