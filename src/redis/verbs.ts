/**
 * The table of verbs: every verb of lua/verbs, with all that this process knows of it. To add a verb, add a row.
 */
import type { Tier } from '../domain/tiers.ts';

interface Row {
  /** The names of its keys, some of which it is given (givenOf()). Its function gets them by these names. */
  readonly keys: readonly string[];
  /** The quota that it charges, and whose rest it returns; undefined: none */
  readonly charges?: 'writes' | 'reads';
  /** True if it recognises a retry by itself: it remembers replies only under an Idempotency-Key. */
  readonly recognisesRetries?: true;
  /**
   * takes: Redis refuses it as a whole while it is full. unchanged: it never writes, so it runs even while Redis
   * refuses all writes. undefined: it frees memory, renews, charges a read or writes some bytes for a request, and runs
   * even while Redis is full
   */
  readonly memory?: 'takes' | 'unchanged';
  /** True if it reads a page. */
  readonly isPaged?: true;
  /** True if its reply has packed bytes. */
  readonly hasBytes?: true;
  /** True if it works on no tenant. */
  readonly isOfService?: true;
}

const STATE = [
  'slots',
  'due',
  'pools',
  'definitions',
  'tickets',
  'queues',
  'waits',
  'sessions',
  'sessionHolds',
  'sessionsDue',
  'nameIndex',
  'history',
  'conditions',
  'clean',
  'outbox',
  'bookings',
  'booked',
  'bookingsDue',
  'bookingChanges',
] as const;
const RESERVATIONS = ['tenant', 'credential', ...STATE] as const;
/** Of scripts whose requests may have an Idempotency-Key. */
const REPEATABLE = ['answer', 'answers'] as const;
/** The counters of reads: the script takes the one of the tenant's tier. */
const READS = ['readsFree', 'readsStarter', 'readsPro', 'readsEnterprise'] as const satisfies readonly `reads${Tier}`[];
const CURSORS = ['tenant', 'outbox', 'cursors'] as const;
const DEFINITIONS = [...RESERVATIONS, 'copying', 'answer'] as const;

/**
 * The keys that a script is given by all instances, in this order. It derives the other keys from that of the tenant's
 * hash. In a cluster it declares those too: a cluster moves a slot key by key, and then refuses a script of which some
 * keys are missing, instead of taking them for empty. Elsewhere no key is ever missing, and each key that is passed
 * costs Redis about 1,800 instructions: a reserve declares 1 key instead of 22. So the last ones are left out where
 * the tenant's stands for them (functions.ts), as it mostly does for the credential's.
 */
const GIVEN = ['tenant', 'answer', 'probe', 'refusals', 'shard', 'tokens', ...READS, 'credential'];

/** Returns those of a verb's keys that its script is given, in order. */
export const givenOf = (keys: readonly string[]): string[] => GIVEN.filter((name) => keys.includes(name));

export const VERBS = {
  active: { keys: [...RESERVATIONS, ...READS], charges: 'reads', isPaged: true, hasBytes: true },
  activity: { keys: ['tenant', 'activity', 'used'] },
  authenticate: { keys: ['tenant', 'credential'], memory: 'unchanged' },
  available: { keys: [...RESERVATIONS, ...READS], charges: 'reads' },
  beat: { keys: ['tenant', ...STATE] },
  beginSession: { keys: [...RESERVATIONS, ...REPEATABLE], charges: 'writes', recognisesRetries: true, memory: 'takes' },
  book: { keys: [...RESERVATIONS, ...REPEATABLE], charges: 'writes', memory: 'takes' },
  bookingChanges: { keys: ['tenant', 'bookings', 'bookingChanges'], memory: 'unchanged' },
  bookings: { keys: [...RESERVATIONS, ...READS], charges: 'reads', isPaged: true },
  cancel: { keys: [...RESERVATIONS, ...REPEATABLE], charges: 'writes' },
  cancelBookings: { keys: [...RESERVATIONS, ...REPEATABLE, 'taken', 'takenAt'], charges: 'writes' },
  changeBooking: { keys: [...RESERVATIONS, ...REPEATABLE], charges: 'writes', memory: 'takes' },
  charge: { keys: ['tenant', 'credential', 'outbox'], charges: 'writes' },
  chargeReads: { keys: ['tenant', 'credential', 'outbox', ...READS], charges: 'reads' },
  check: { keys: [...RESERVATIONS, ...READS], charges: 'reads' },
  closeStreams: { keys: ['tenant', 'streams', 'sessionStreams'] },
  copyDefinitions: {
    keys: ['tenant', 'copying', ...STATE],
    memory: 'takes',
  },
  definitions: {
    keys: ['tenant', 'credential', 'definitions', 'nameIndex', 'conditions', 'clean', 'outbox', ...READS],
    charges: 'reads',
    isPaged: true,
  },
  delete: { keys: DEFINITIONS, charges: 'writes' },
  dropCursor: { keys: CURSORS },
  dropBookingChanges: { keys: ['tenant', 'bookings', 'bookingChanges', 'copying'] },
  emitLimitReached: { keys: ['tenant', 'credential', 'outbox'] },
  endSession: { keys: [...RESERVATIONS, ...REPEATABLE], charges: 'writes' },
  finishBatch: { keys: CURSORS },
  issueToken: { keys: ['tenant', 'credential', 'tokens', 'outbox'], charges: 'writes', memory: 'takes' },
  keep: { keys: ['tenant', 'credential', 'outbox', ...REPEATABLE], charges: 'writes', recognisesRetries: true },
  keepReset: { keys: ['tenant', 'resetSlots', 'history'] },
  labelsInUse: { keys: ['tenant', 'credential', 'nameIndex'], memory: 'unchanged', isPaged: true },
  leave: { keys: ['tenant', ...STATE] },
  loadTenant: { keys: ['tenant', 'copying', 'used', 'outbox'] },
  logBookings: { keys: ['tenant', ...STATE] },
  lowerDueIndex: { keys: ['shard'], isOfService: true },
  moveSlowest: { keys: CURSORS },
  openStream: { keys: ['tenant', 'credential', 'streams', 'sessionStreams', 'outbox'], memory: 'takes' },
  outOfService: { keys: ['tenant', 'conditions', 'clean', 'definitions'], memory: 'unchanged', isPaged: true },
  probe: { keys: ['probe'], memory: 'takes', isOfService: true },
  raiseDueIndex: { keys: ['shard'], isOfService: true },
  readHistory: { keys: ['tenant', 'history'], memory: 'unchanged', hasBytes: true },
  refusals: { keys: ['tenant', 'refusals'], memory: 'takes' },
  register: { keys: [...DEFINITIONS, 'answers'], charges: 'writes', memory: 'takes' },
  renew: { keys: [...RESERVATIONS, ...REPEATABLE, 'taken'], charges: 'writes', recognisesRetries: true },
  renewSession: { keys: [...RESERVATIONS, ...REPEATABLE], charges: 'writes', recognisesRetries: true },
  renewStreams: { keys: ['tenant', 'credential', 'streams', 'sessionStreams'] },
  reserve: { keys: [...RESERVATIONS, ...REPEATABLE], charges: 'writes', recognisesRetries: true, memory: 'takes' },
  reset: {
    keys: [
      'tenant',
      'credential',
      'slots',
      'due',
      'pools',
      'tickets',
      'queues',
      'waits',
      'sessionHolds',
      'sessionsDue',
      'resetSlots',
      'clean',
      'outbox',
      'bookings',
      'booked',
      'bookingsDue',
      ...REPEATABLE,
    ],
    charges: 'writes',
  },
  resource: { keys: RESERVATIONS, isPaged: true },
  restoreBookings: { keys: ['tenant', 'copying', ...STATE], memory: 'takes' },
  restoreOut: {
    keys: ['tenant', 'copying', ...STATE],
    memory: 'takes',
  },
  retryBatch: { keys: CURSORS },
  setCondition: { keys: [...RESERVATIONS, ...REPEATABLE], charges: 'writes', memory: 'takes' },
  sessions: { keys: [...RESERVATIONS, ...READS], charges: 'reads', isPaged: true },
  standings: { keys: RESERVATIONS },
  startCursor: { keys: CURSORS },
  states: { keys: RESERVATIONS, isPaged: true },
  storeBatch: { keys: CURSORS },
  sweep: { keys: ['tenant', ...STATE] },
  takeBackBookings: { keys: ['tenant', ...STATE, 'answer'] },
  takeBatch: { keys: CURSORS },
  tellWaits: { keys: RESERVATIONS },
  transaction: { keys: [...RESERVATIONS, ...REPEATABLE, 'taken', 'takenAt'], charges: 'writes', memory: 'takes' },
  tree: { keys: [...RESERVATIONS, ...READS], charges: 'reads', isPaged: true },
  unregistered: { keys: RESERVATIONS, isPaged: true },
  unreserve: { keys: [...RESERVATIONS, ...REPEATABLE, 'taken', 'takenAt'], charges: 'writes' },
  usage: { keys: [...RESERVATIONS, 'streams', ...READS, 'answers'], charges: 'reads' },
  waiting: { keys: [...RESERVATIONS, ...READS], charges: 'reads', isPaged: true },
} as const satisfies Record<string, Row>;

export type Verb = keyof typeof VERBS;

type VerbWith<Fields> = { [One in Verb]: (typeof VERBS)[One] extends Fields ? One : never }[Verb];

export type TenantVerb = Exclude<Verb, VerbWith<{ isOfService: true }>>;
export type ChargedVerb = VerbWith<{ charges: 'writes' }>;
export type ReadVerb = VerbWith<{ charges: 'reads' }>;
/** Verbs whose scripts are passed the credential's key. */
export type VerbWithCredential = {
  [One in Verb]: 'credential' extends (typeof VERBS)[One]['keys'][number] ? One : never;
}[Verb];

const ROWS: ReadonlyMap<string, Row> = new Map(Object.entries(VERBS));

/** @throws Error if there is no such verb */
export function rowOf(verb: string): Row {
  const row = ROWS.get(verb);
  if (row === undefined) throw new Error(`src/redis/verbs.ts has no verb ${verb}`);
  return row;
}
