/** The tenant: tier and usage, settings, audit trail, and its end. */

import { BOT_TOKEN, SIGNING_SECRET } from '../../../support/fakeSlack.ts';
import { textAt } from '../recorder.ts';
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
  const app = { botToken: BOT_TOKEN, signingSecret: SIGNING_SECRET };
  await record.show('Commands in the workspace of Acme', 'registerSlackApp', { by: program, body: app });
  await record.show('The app', 'getSlackApp', { by: program });
  await record.show('No commands any more', 'deleteSlackApp', { by: program });
  await record.show('The id does not match', 'deleteTenant', { by: owner, query: '?confirm=another' });
  await record.show('Delete everything', 'deleteTenant', { by: owner, query: `?confirm=${id}` });
}

/** Tenants, as administrators of the service manage them. */

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

/** Issuers of JWTs, and the exchange of a JWT for a token. */

const AUDIENCE = 'https://acme.example.com/api';

export async function auth({ record, program, nobody, provider, tenant }: Stage): Promise<void> {
  const { issuer, jwksUrl } = provider;
  const own = { id: 'app', issuer, audience: AUDIENCE, jwksUrl, conditions: { client_id: 'app' } };
  await record.show('Trust an identity provider', 'registerIssuer', { by: program, body: own });
  await record.show('One issuer', 'listIssuers', { by: program });
  const jwt = await provider.token('alice', AUDIENCE);
  const { body } = await record.show('The token of alice', 'exchangeToken', { by: nobody, body: { jwt, tenant } });
  await record.show('A JWT that nobody signed', 'exchangeToken', {
    by: nobody,
    body: { jwt: 'no.jwt.atall', tenant },
  });
  const token = { as: 'derived token', headers: { 'X-Api-Key': textAt(body, 'token') } } as const;
  await record.show('Alice signs out', 'endToken', { by: token });
  await record.show('Trust it no longer', 'deleteIssuer', { by: program, query: `?id=${own.id}` });
}

/** API keys and management tokens. */

const TOKEN_ID = '7d2d9f0e-1a44-4c58-8a3b-5f1c7f6f2a60';
const DAY_MS = 86_400_000;

export async function keys(stage: Stage): Promise<void> {
  const { record, program } = stage;
  const worker = { label: 'ci', permission: 'reserve', prefix: 'ci/' };
  const { body } = await record.show('A key for CI, which reserves names that begin with ci/', 'createKey', {
    by: program,
    body: worker,
  });
  const path = { id: textAt(body, 'id') };
  await record.show('All keys', 'listKeys', { by: program, sortedBy: 'createdAt' });
  await record.show('One key', 'getKey', { by: program, path });
  await record.show('Let it only read', 'changeKey', { by: program, path, body: { permission: 'read', prefix: '' } });
  await record.show('A new value', 'rotateKey', { by: program, path });
  await record.show('Delete it', 'deleteKey', { by: program, path });
  await managementTokens(stage);
}

async function managementTokens({ record, owner, program }: Stage): Promise<void> {
  const terraform = {
    id: TOKEN_ID,
    label: 'terraform',
    scopes: ['keys', 'settings'],
    expiresAt: new Date(Date.now() + 90 * DAY_MS).toISOString(),
  };
  const path = { id: TOKEN_ID };
  await record.show('A token for Terraform, for 90 days', 'createManagementToken', { by: owner, body: terraform });
  await record.show('A repeat has no value', 'createManagementToken', { by: owner, body: terraform });
  await record.show('A management token makes none', 'createManagementToken', { by: program, body: terraform });
  await record.show('All tokens', 'listManagementTokens', { by: owner, sortedBy: 'label' });
  await record.show('One token', 'getManagementToken', { by: owner, path });
  await record.show('Delete it', 'deleteManagementToken', { by: owner, path });
}

/** Members, invitations, and groups of the identity provider. */

export async function members(stage: Stage): Promise<void> {
  const { record, program, owner, join } = stage;
  const ben = await join('ben', 'member');
  const carla = await join('carla', 'viewer');
  const path = { id: ben.id };
  await record.show('Three people', 'listMembers', { by: program, sortedBy: 'email' });
  await record.show('One of them', 'getMember', { by: program, path });
  await record.show('Let Ben manage resources', 'changeMember', { by: program, path, body: { role: 'operator' } });
  await record.show('Ben leaves the company', 'removeMember', { by: program, path });
  await record.show('Carla leaves', 'leaveTenant', { by: carla });
  await record.show('The last owner', 'leaveTenant', { by: owner });
  await invitations(stage);
  await groups(stage);
}

async function invitations({ record, program, owner }: Stage): Promise<void> {
  const byAddress = { email: 'dora@example.com', role: 'member' };
  const { body } = await record.show('Invite somebody by address', 'createInvitation', {
    by: program,
    body: byAddress,
  });
  await record.show('Make a link that anybody may use', 'createInvitation', {
    by: owner,
    body: { role: 'viewer', expiresInDays: 3 },
  });
  const path = { id: textAt(body, 'id') };
  await record.show('Two invitations', 'listInvitations', { by: program, sortedBy: 'createdAt' });
  await record.show('One of them', 'getInvitation', { by: program, path });
  await record.show('Revoke it', 'deleteInvitation', { by: program, path });
}

async function groups({ record, program, owner }: Stage): Promise<void> {
  const path = { group: 'lab' };
  await record.show('Everybody in the lab reserves', 'putGroup', { by: owner, path, body: { role: 'member' } });
  await record.show('A group that the caller is not in', 'putGroup', {
    by: program,
    path: { group: 'sales' },
    body: { role: 'viewer' },
  });
  await record.show('One group', 'listGroups', { by: program });
  await record.show('Its role', 'getGroup', { by: program, path });
  await record.show('Take the role', 'deleteGroup', { by: program, path });
}
