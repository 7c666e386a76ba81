/**
 * /api/v1/Tenant: shows the tenant's tier, its limits and its usage, shows and changes its settings, and deletes it
 * (docs/specification.md#tenants-and-administration, #settings, #deleting-a-tenant).
 */
import { DeletedTenant, DeleteTenantQuery } from '../../../contract/members.ts';
import { Settings, SettingsChange, Tenant } from '../../../contract/tenant.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import {
  changeSettings,
  deleteTenant,
  readSettings,
  type SettingsDeps,
  tenantUsage,
} from '../../../operations/tenant.ts';
import type { Store } from '../../../store/records.ts';
import { operation } from '../../call/operation.ts';
import { charged, json } from '../../call/reply.ts';
import { type Route, route } from '../../call/route.ts';
import { answer, anyOperation, bodyOperation, parameterOperation } from '../../openapi/responses.ts';

export const tenantOperation = operation({
  method: 'get',
  path: '/api/v1/Tenant',
  operationId: 'getTenant',
  right: 'usage',
  tags: ['Tenant'],
  summary: 'See the tier, its limits and the usage of them',
  description: 'The numbers are those of this moment, of all instances together.',
  responses: { 200: answer('The tenant.', Tenant), ...anyOperation },
});

export const tenantRoute = (
  deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads'> & { readonly store: Store },
): Route => route(tenantOperation, (call) => tenantUsage(deps, call.credential), charged);

export const deleteTenantOperation = operation({
  method: 'delete',
  path: '/api/v1/Tenant',
  operationId: 'deleteTenant',
  right: 'tenant',
  tags: ['Tenant'],
  summary: 'Delete the tenant',
  description:
    'Its reservations, waits, keys, tokens, sessions and event streams have ended on every instance once this call returns. Nothing can be undone. The audit trail stays.',
  request: { query: DeleteTenantQuery },
  responses: { 200: answer('The tenant is gone.', DeletedTenant), ...parameterOperation },
});

export const deleteTenantRoute = (deps: { readonly engine: Engine; readonly store: Store }): Route =>
  route(
    deleteTenantOperation,
    (call) => deleteTenant(deps, call.actor, call.query.confirm),
    (_, call) => json({ deleted: call.actor.credential.tenant }),
  );

const common = { path: '/api/v1/Tenant/settings', tags: ['Tenant'] };

const readOperation = operation({
  ...common,
  method: 'get',
  operationId: 'getSettings',
  right: 'settings',
  summary: 'See the settings',
  description: 'All of them, also those that nobody has changed.',
  responses: { 200: answer('The settings.', Settings), ...anyOperation },
});

const putOperation = operation({
  ...common,
  method: 'put',
  operationId: 'changeSettings',
  right: 'settings',
  summary: 'Change the settings',
  description:
    'Settings that are left out stay as they are, and null clears a lease. A change holds on every instance once this call returns. Reservations in force are not touched until they are renewed.',
  body: SettingsChange,
  responses: { 200: answer('The settings.', Settings), ...bodyOperation },
});

export const settingsOperations = [readOperation, putOperation];

export const settingsRoutes = (deps: SettingsDeps): readonly Route[] => [
  route(readOperation, (call) => readSettings(deps, call.actor), charged),
  route(putOperation, (call) => changeSettings(deps, call.actor, call.body), charged),
];
