/**
 * A well-formed request of each operation, by operationId, for tests of who may call what. A new operation needs one
 * line here. Callers who may make the request get any answer but 401 and 403, unless `answer` says which.
 */

import { SIGNING_SECRET } from './fakeSlack.ts';

/** Names in the requests: things of a tenant, or ids that nothing has. */
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
  /** The answer to callers who may make it, if that is a 401 or 403. */
  readonly answer?: number;
  /** The text of a 403 that those get who have the right, for another reason. */
  readonly refusal?: RegExp;
}

const requester = 'q';
const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
const wholeSecond = (aheadMs: number) => new Date(Math.ceil((Date.now() + aheadMs) / 1000) * 1000).toISOString();
const item = ({ resource }: Ids) => ({ resource, requester });
const held = (ids: Ids) => ({ ...item(ids), releaseToken: ids.releaseToken });
const ofSession = ({ session, sessionToken }: Ids) => ({ session, token: sessionToken });
const NOBODY = '3c1f4b52-8a8e-4f2f-9a7c-9b110d9b4f4e';
const GROUP = { group: 'lab' };
const issuer = {
  id: 'own',
  issuer: 'https://issuer.example',
  audience: 'api',
  jwksUrl: 'https://issuer.example/keys',
  conditions: {},
};

export const EXAMPLES: Readonly<Record<string, (ids: Ids) => ExampleRequest>> = {
  checkLiveness: () => ({}),
  checkReadiness: () => ({}),
  getVersion: () => ({}),
  endToken: () => ({ answer: 204 }),
  exchangeToken: ({ tenant }) => ({ body: { jwt: 'no.jwt.atall', tenant }, answer: 401 }),
  reserve: (ids) => ({ body: [{ ...item(ids), ttlSeconds: 60 }] }),
  unreserve: (ids) => ({ body: [held(ids)] }),
  renew: (ids) => ({ body: [{ ...held(ids), ttlSeconds: 60 }] }),
  transaction: (ids) => ({ body: { method: 'FIRST', requests: [{ ...item(ids), requestType: 'RESERVE' }] } }),
  check: (ids) => ({ body: [item(ids)] }),
  listReservations: () => ({}),
  listHistory: () => ({ query: '?requester=q&limit=1' }),
  cancel: (ids) => ({ body: [item(ids)] }),
  listWaiting: () => ({}),
  reset: () => ({}),
  beginSession: () => ({ body: { requester, ttlSeconds: 60 } }),
  listSessions: () => ({}),
  renewSession: (ids) => ({ body: ofSession(ids) }),
  endSession: (ids) => ({ body: ofSession(ids) }),
  book: (ids) => ({
    body: { bookings: [{ ...item(ids), start: wholeSecond(3_600_000), end: wholeSecond(7_200_000) }] },
  }),
  listBookings: () => ({ query: '?requester=q' }),
  changeBooking: () => ({ path: { id: NOBODY }, body: { note: 'later' } }),
  cancelBooking: () => ({ path: { id: NOBODY } }),
  cancelSeries: () => ({ path: { id: NOBODY } }),
  cancelBookings: ({ resource }) => ({ query: `?${new URLSearchParams({ resource })}` }),
  registerResources: () => ({ body: [{ name: 'ci/registered' }] }),
  setCondition: ({ resource }) => ({ body: [{ resource, condition: 'ready' }] }),
  listDefinitions: () => ({}),
  getTree: () => ({}),
  // Of a time when nothing was held, so that nothing in it changes.
  getUsage: ({ resource }) => ({
    query: `?${new URLSearchParams({ resource, from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' })}`,
  }),
  isAvailable: ({ resource }) => ({ path: { resource } }),
  deleteResource: ({ resource }) => ({ path: { name: resource } }),
  streamEvents: () => ({}),
  getTenant: () => ({}),
  listKeys: () => ({}),
  deleteTenant: () => ({ query: '?confirm=another' }),
  getKey: ({ key }) => ({ path: { id: key } }),
  changeKey: ({ key }) => ({ path: { id: key }, body: { label: 'changed' } }),
  listMembers: () => ({}),
  leaveTenant: () => ({}),
  getMember: () => ({ path: { id: NOBODY } }),
  changeMember: () => ({ path: { id: NOBODY }, body: { role: 'viewer' } }),
  removeMember: () => ({ path: { id: NOBODY } }),
  listInvitations: () => ({}),
  createInvitation: () => ({ body: { role: 'viewer' } }),
  getInvitation: ({ invitation }) => ({ path: { id: invitation } }),
  deleteInvitation: ({ invitation }) => ({ path: { id: invitation } }),
  listGroups: () => ({}),
  getGroup: () => ({ path: GROUP }),
  putGroup: () => ({
    path: GROUP,
    body: { role: 'viewer' },
    refusal: /Only a person who is in this group can give it a role/,
  }),
  deleteGroup: () => ({ path: GROUP }),
  createKey: () => ({ body: { label: 'example' } }),
  rotateKey: ({ key }) => ({ path: { id: key } }),
  deleteKey: ({ key }) => ({ path: { id: key } }),
  getSettings: () => ({}),
  changeSettings: () => ({ body: { requireRegistration: false } }),
  listIssuers: () => ({}),
  registerIssuer: () => ({ body: issuer }),
  deleteIssuer: () => ({ query: `?id=${issuer.id}` }),
  getSlackApp: () => ({}),
  registerSlackApp: () => ({ body: { botToken: 'xoxb-0000000000-of-nobody', signingSecret: SIGNING_SECRET } }),
  deleteSlackApp: () => ({}),
  listSubscriptions: () => ({}),
  createSubscription: () => ({ body: { kind: 'webhook', label: 'example', url: 'https://hooks.example.com/' } }),
  getSubscription: () => ({ path: { id: NOBODY } }),
  changeSubscription: () => ({ path: { id: NOBODY }, body: { label: 'changed' } }),
  rotateSubscriptionSecret: () => ({ path: { id: NOBODY } }),
  testSubscription: () => ({ path: { id: NOBODY } }),
  listDeliveries: () => ({ path: { id: NOBODY } }),
  deleteSubscription: () => ({ path: { id: NOBODY } }),
  listAudit: () => ({}),
  listManagementTokens: ({ token }) => ({ query: `?after=${token}` }),
  createManagementToken: () => ({ body: { label: 'example', scopes: ['usage'], expiresAt: inAnHour } }),
  getManagementToken: ({ token }) => ({ path: { id: token } }),
  deleteManagementToken: ({ token }) => ({ path: { id: token } }),
  adminListTenants: () => ({}),
  adminCreateTenant: ({ tenant }) => ({ body: { id: `${tenant}-made`.slice(0, 40), name: 'Made', tier: 'Free' } }),
  adminGetTenant: ({ tenant }) => ({ path: { id: tenant } }),
  adminChangeTier: ({ tenant }) => ({ path: { id: tenant }, body: { tier: 'Enterprise' } }),
  adminSuspendTenant: () => ({ path: { id: 'nobody' } }),
  adminResumeTenant: () => ({ path: { id: 'nobody' } }),
  adminResetTenant: () => ({ path: { id: 'nobody' } }),
  adminListAudit: ({ tenant }) => ({ query: `?tenant=${tenant}` }),
  adminListTenantAudit: ({ tenant }) => ({ path: { id: tenant } }),
};
