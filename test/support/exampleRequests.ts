/**
 * A well-formed request of each operation, by operationId, for tests of who may call what. A new operation needs one
 * line here. Callers who may make the request get any answer but 401 and 403, unless `answer` says which.
 */

/** What the requests name: things of a tenant, or ids that nothing has. */
export interface Ids {
  readonly tenant: string;
  /** Its reservation's requester is `q`. */
  readonly resource: string;
  readonly releaseToken: string;
  /** A session of `q`, and the token that it began with. */
  readonly session: string;
  readonly sessionToken: string;
  readonly key: string;
  readonly token: string;
  readonly invitation: string;
}

export interface ExampleRequest {
  /** Parameters of the path. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  /** What everybody gets who may make it, if that is a 401 or 403. */
  readonly answer?: number;
  /** The text of a 403 that those get who have the right, for another reason. */
  readonly refusal?: RegExp;
}

const requester = 'q';
const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
const item = ({ resource }: Ids) => ({ resource, requester });
const held = (ids: Ids) => ({ ...item(ids), releaseToken: ids.releaseToken });
const ofSession = ({ session, sessionToken }: Ids) => ({ session, token: sessionToken });
const NOBODY = '3c1f4b52-8a8e-4f2f-9a7c-9b110d9b4f4e';
const GROUP = { group: 'lab' };
const issuer = { issuer: 'https://issuer.example', audience: 'api' };

export const EXAMPLES: Readonly<Record<string, (ids: Ids) => ExampleRequest>> = {
  healthz: () => ({}),
  readyz: () => ({}),
  version: () => ({}),
  token: ({ tenant }) => ({ body: { jwt: 'no.jwt.atall', tenant }, answer: 401 }),
  reserve: (ids) => ({ body: [{ ...item(ids), ttlSeconds: 60 }] }),
  unreserve: (ids) => ({ body: [held(ids)] }),
  renew: (ids) => ({ body: [{ ...held(ids), ttlSeconds: 60 }] }),
  transaction: (ids) => ({ body: { method: 'FIRST', requests: [{ ...item(ids), requestType: 'RESERVE' }] } }),
  check: (ids) => ({ body: [item(ids)] }),
  activeReservations: () => ({}),
  history: () => ({ query: '?requester=q&limit=1' }),
  cancel: (ids) => ({ body: [item(ids)] }),
  waiting: () => ({}),
  reset: () => ({}),
  beginSession: () => ({ body: { requester, ttlSeconds: 60 } }),
  sessions: () => ({}),
  renewSession: (ids) => ({ body: ofSession(ids) }),
  endSession: (ids) => ({ body: ofSession(ids) }),
  register: () => ({ body: [{ name: 'ci/registered' }] }),
  definitions: () => ({}),
  tree: () => ({}),
  // Of a time when nothing was held, so that nothing in it changes.
  usage: ({ resource }) => ({
    query: `?${new URLSearchParams({ resource, from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' })}`,
  }),
  available: ({ resource }) => ({ path: { resource } }),
  delete: ({ resource }) => ({ path: { name: resource } }),
  events: () => ({}),
  tenant: () => ({}),
  keys: () => ({}),
  deleteTenant: () => ({ query: '?confirm=another' }),
  key: ({ key }) => ({ path: { id: key } }),
  changeKey: ({ key }) => ({ path: { id: key }, body: { label: 'changed' } }),
  members: () => ({}),
  leaveTenant: () => ({}),
  member: () => ({ path: { id: NOBODY } }),
  putMember: () => ({ path: { id: NOBODY }, body: { role: 'viewer' } }),
  removeMember: () => ({ path: { id: NOBODY } }),
  invitations: () => ({}),
  createInvitation: () => ({ body: { role: 'viewer' } }),
  invitation: ({ invitation }) => ({ path: { id: invitation } }),
  deleteInvitation: ({ invitation }) => ({ path: { id: invitation } }),
  groups: () => ({}),
  group: () => ({ path: GROUP }),
  putGroup: () => ({
    path: GROUP,
    body: { role: 'viewer' },
    refusal: /Only a person who is in this group can give it a role/,
  }),
  deleteGroup: () => ({ path: GROUP }),
  createKey: () => ({ body: { label: 'example' } }),
  rotateKey: ({ key }) => ({ path: { id: key } }),
  deleteKey: ({ key }) => ({ path: { id: key } }),
  settings: () => ({}),
  putSettings: () => ({ body: { requireRegistration: false } }),
  issuers: () => ({}),
  putIssuer: () => ({ body: { ...issuer, jwksUrl: 'https://issuer.example/keys' } }),
  deleteIssuer: () => ({ query: `?${new URLSearchParams(issuer)}` }),
  audit: () => ({}),
  managementTokens: ({ token }) => ({ query: `?after=${token}` }),
  createManagementToken: () => ({ body: { label: 'example', scopes: ['usage'], expiresAt: inAnHour } }),
  managementToken: ({ token }) => ({ path: { id: token } }),
  deleteManagementToken: ({ token }) => ({ path: { id: token } }),
  adminTenants: () => ({}),
  adminCreateTenant: ({ tenant }) => ({ body: { id: `${tenant}-made`.slice(0, 40), name: 'Made', tier: 'Free' } }),
  adminTenant: ({ tenant }) => ({ path: { id: tenant } }),
  adminTier: ({ tenant }) => ({ path: { id: tenant }, body: { tier: 'Enterprise' } }),
  adminsuspend: () => ({ path: { id: 'nobody' } }),
  adminresume: () => ({ path: { id: 'nobody' } }),
  adminReset: () => ({ path: { id: 'nobody' } }),
  adminAuditOfAll: ({ tenant }) => ({ query: `?tenant=${tenant}` }),
  adminAudit: ({ tenant }) => ({ path: { id: tenant } }),
};
