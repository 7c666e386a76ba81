/**
 * The sections of docs/specification.md that have the full rules of each operation.
 */
export const SPECIFICATION = '../specification.md';

type Section = readonly [title: string, anchor: string];

const WAITING: Section = ['Waiting', 'waiting'];
const LISTINGS: Section = ['Listings', 'listings'];
const KEYS: Section = ['Restricted keys', 'restricted-keys'];
const ROTATION: Section = ['Rotation', 'rotation'];
const TOKENS: Section = ['Management tokens', 'management-tokens'];
const MEMBERS: Section = ['Members', 'members'];
const TENANTS: Section = ['Tenants and administration', 'tenants-and-administration'];
const AUDIT: Section = ['Audit trail', 'audit-trail'];
const SESSIONS: Section = ['Sessions', 'sessions'];
const BOOKING: Section = ['Booking', 'booking'];
const JWT: Section = ['JWT exchange', 'jwt-exchange'];
const SLACK: Section = ['Reserving from Slack', 'reserving-from-slack'];
const ISSUERS: Section = ['Registrations of issuers', 'registrations-of-issuers'];
const SUBSCRIPTIONS: Section = ['Subscriptions', 'subscriptions'];
const WEBHOOKS: Section = ['Webhooks', 'webhooks'];
const ADDRESSES: Section = ['Addresses of tenants', 'addresses-of-tenants'];
const STARTING: Section = ['Starting and stopping', 'starting-and-stopping'];

export const RULES: Readonly<Record<string, readonly Section[]>> = {
  reserve: [['Reserve', 'reserve'], ['Plans', 'plans'], WAITING, ['Item statuses', 'item-statuses']],
  unreserve: [
    ['Release', 'release'],
    ['Taken away', 'taken-away'],
  ],
  renew: [
    ['Renewals', 'renewals'],
    ['Taken away', 'taken-away'],
  ],
  transaction: [['Transactions', 'transactions'], WAITING],
  check: [['Check', 'check']],
  listReservations: [LISTINGS],
  listHistory: [['History', 'history']],
  cancel: [['Cancel, and who is waiting', 'cancel-and-who-is-waiting']],
  listWaiting: [['Cancel, and who is waiting', 'cancel-and-who-is-waiting'], LISTINGS],
  reset: [['Reset', 'reset']],
  beginSession: [SESSIONS],
  listSessions: [SESSIONS],
  renewSession: [SESSIONS],
  endSession: [SESSIONS],
  book: [BOOKING, ['Series', 'series'], ['The start and the end', 'the-start-and-the-end']],
  listBookings: [BOOKING, LISTINGS],
  changeBooking: [BOOKING],
  cancelBooking: [BOOKING],
  cancelSeries: [BOOKING],
  cancelBookings: [BOOKING],
  registerResources: [
    ['Registration', 'registration'],
    ['Resources', 'resources'],
  ],
  setCondition: [['Condition', 'condition']],
  listDefinitions: [LISTINGS],
  getTree: [LISTINGS],
  isAvailable: [['Check', 'check']],
  getUsage: [['Usage of resources', 'usage-of-resources']],
  deleteResource: [['Deletion', 'deletion']],
  streamEvents: [['Events', 'events']],
  exchangeToken: [JWT],
  endToken: [JWT],
  listIssuers: [ISSUERS],
  registerIssuer: [ISSUERS],
  deleteIssuer: [ISSUERS],
  getSlackApp: [SLACK],
  registerSlackApp: [SLACK],
  deleteSlackApp: [SLACK],
  listSubscriptions: [SUBSCRIPTIONS],
  createSubscription: [SUBSCRIPTIONS, ADDRESSES],
  getSubscription: [SUBSCRIPTIONS],
  changeSubscription: [SUBSCRIPTIONS, ADDRESSES],
  rotateSubscriptionSecret: [SUBSCRIPTIONS, WEBHOOKS],
  testSubscription: [SUBSCRIPTIONS],
  listDeliveries: [SUBSCRIPTIONS, WEBHOOKS],
  deleteSubscription: [SUBSCRIPTIONS],
  listKeys: [KEYS],
  createKey: [KEYS],
  getKey: [KEYS],
  changeKey: [KEYS],
  deleteKey: [ROTATION],
  rotateKey: [ROTATION],
  listManagementTokens: [TOKENS],
  createManagementToken: [TOKENS],
  getManagementToken: [TOKENS],
  deleteManagementToken: [TOKENS],
  getTenant: [['Limits', 'limits']],
  deleteTenant: [['Deleting a tenant', 'deleting-a-tenant']],
  getSettings: [['Settings', 'settings']],
  changeSettings: [['Settings', 'settings']],
  listAudit: [AUDIT],
  listMembers: [MEMBERS],
  leaveTenant: [MEMBERS],
  getMember: [MEMBERS],
  changeMember: [MEMBERS],
  removeMember: [MEMBERS],
  listInvitations: [MEMBERS],
  createInvitation: [MEMBERS],
  getInvitation: [MEMBERS],
  deleteInvitation: [MEMBERS],
  listGroups: [MEMBERS],
  getGroup: [MEMBERS],
  putGroup: [MEMBERS],
  deleteGroup: [MEMBERS],
  adminListTenants: [TENANTS, ['The use of tenants', 'the-use-of-tenants']],
  adminCreateTenant: [TENANTS],
  adminGetTenant: [TENANTS],
  adminChangeTier: [TENANTS],
  adminSuspendTenant: [TENANTS],
  adminResumeTenant: [TENANTS],
  adminResetTenant: [TENANTS, ['Taken away', 'taken-away']],
  adminListAudit: [AUDIT],
  adminListTenantAudit: [AUDIT],
  checkLiveness: [STARTING],
  checkReadiness: [STARTING],
  getVersion: [['Versions', 'versions']],
};
