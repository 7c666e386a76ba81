/**
 * Fills a tenant with what a test lab has after a week: phones and environments, who holds them and who waits, and
 * whom they were held by. For pictures of the dashboard.
 */
import type { AskedCondition } from '../src/domain/conditions.ts';
import type { RedisClient } from '../src/redis/client.ts';
import type { Client } from '../test/support/client.ts';
import { addPast, type Past } from '../test/support/pastEntries.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAYS = 7;

const PEOPLE = ['ann@lab.example', 'bo@lab.example', 'chen@lab.example', 'dana@lab.example'];
const RUNNERS = ['ci-41', 'ci-42', 'ci-43', 'nightly'];
/** Which share of the working time of a week each resource was held. */
const USED: Readonly<Record<string, number>> = {
  staging: 0.8,
  'staging-eu': 0.5,
  'pixel-8': 0.6,
  'iphone-15': 0.7,
  'galaxy-s23': 0.4,
  'galaxy-s24': 0.3,
  emulators: 0.4,
};

/** Returns the same numbers at each run, from 0 to 1. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** The reservations of the last week, from Monday to Sunday more by day than by night, in the order of their ends. */
function week(nowMs: number): Past[] {
  const next = numbers(7);
  const past: Past[] = [];
  for (const [resource, share] of Object.entries(USED)) {
    let at = nowMs - DAYS * 24 * HOUR_MS + next() * HOUR_MS;
    while (at < nowMs - HOUR_MS) {
      const hour = new Date(at).getUTCHours();
      const isWork = hour >= 7 && hour < 18;
      const held = isWork ? (20 + next() * 100) * MINUTE_MS : (2 + next() * 3) * HOUR_MS;
      const names = isWork ? [...PEOPLE, ...RUNNERS] : ['nightly'];
      const requester = names[Math.floor(next() * names.length)] ?? 'nightly';
      const waitedMs = next() < share / 2 ? next() * 30 * MINUTE_MS : 0;
      const endedAt = Math.round(Math.min(at + held, nowMs - HOUR_MS));
      const slot = resource === 'emulators' ? { slot: `emulators_${Math.floor(next() * 6)}` } : {};
      const waited = waitedMs > 0 ? { waitedMs: Math.round(waitedMs) } : {};
      past.push({ resource, requester, reservedAt: Math.round(at), endedAt, ...slot, ...waited });
      at = endedAt + (isWork ? ((1 - share) / share) * held : (1 + next()) * 3 * HOUR_MS);
    }
  }
  return past.sort((one, other) => one.endedAt - other.endedAt);
}

const phone = (name: string, os: string, version: string, site: string) => ({
  name,
  treePath: 'lab>phones',
  labels: { os: `${os} ${version}`, site },
  bookable: true,
});

const board = (name: string) => ({
  name,
  treePath: 'boards',
  labels: { chip: 'rk3588' },
  afterUse: 'dirty' as const,
  attributes: { console: `10.0.0.7:40${name.slice(-1)}` },
});

/** Ten phones, seven environments of which two need the same database, four pools, three boards, and a bench. */
const REGISTERED = [
  { name: 'lab', group: true },
  { name: 'phones', group: true, treePath: 'lab' },
  phone('galaxy-s23', 'Android', '12', 'Berlin'),
  phone('galaxy-s24', 'Android', '15', 'Oslo'),
  phone('iphone-15', 'iOS', '18', 'Oslo'),
  phone('iphone-16', 'iOS', '16', 'Berlin'),
  phone('iphone-se', 'iOS', '17', 'Oslo'),
  phone('pixel-7', 'Android', '12', 'Oslo'),
  phone('pixel-8', 'Android', '13', 'Porto'),
  phone('pixel-8-pro', 'Android', '14', 'Berlin'),
  phone('pixel-9', 'Android', '15', 'Oslo'),
  phone('pixel-9-pro', 'Android', '15', 'Berlin'),
  { name: 'environments', group: true },
  { name: 'load-test', treePath: 'environments', blocks: ['staging-database'], labels: { env: 'load' } },
  { name: 'staging', treePath: 'environments', blocks: ['staging-database'], labels: { env: 'staging' } },
  { name: 'staging-eu', treePath: 'environments', labels: { env: 'staging', region: 'eu' } },
  { name: 'staging-us', treePath: 'environments', labels: { env: 'staging', region: 'us' } },
  ...['demo', 'preview-1', 'preview-2'].map((name) => ({
    name,
    treePath: 'environments',
    labels: { env: name.startsWith('demo') ? 'demo' : 'preview' },
  })),
  { name: 'pools', group: true },
  { name: 'browserstack', treePath: 'pools', capacity: 3 },
  { name: 'emulators', treePath: 'pools', capacity: 6, labels: { os: 'android' } },
  { name: 'gpu', treePath: 'pools', capacity: 8, labels: { model: 'A100' } },
  { name: 'xcode-licences', treePath: 'pools', capacity: 40 },
  { name: 'boards', group: true },
  ...['board-1', 'board-2', 'board-3'].map(board),
  { name: 'oscilloscope', labels: { site: 'Berlin' } },
];

/** A broken phone and two broken emulators. Of the boards, which begin as dirty ones, one is clean. */
const CONDITIONS = [
  { resource: 'pixel-7', condition: 'out', reason: 'display dark, ticket 88' },
  ...['emulators_4', 'emulators_5'].map((resource) => ({ resource, condition: 'out', reason: 'image broken' })),
  { resource: 'board-3', condition: 'ready' },
];

interface Lease {
  /** Minutes since its begin. */
  readonly ago: number;
  readonly resource: string;
  readonly requester: string;
  readonly minutes?: number;
  readonly note?: string;
  readonly count?: number;
  readonly condition?: AskedCondition;
}

const lease = (ago: number, resource: string, requester: string, minutes: number, note?: string): Lease => ({
  ago,
  resource,
  requester,
  minutes,
  ...(note === undefined ? {} : { note }),
});

const DAY_MINUTES = 24 * 60;

/** @param me the requester of the person who looks */
const leasesOf = (me: string): Lease[] => [
  { ago: 3 * DAY_MINUTES, resource: 'oscilloscope', requester: 'ci-3992', note: 'signal test' },
  lease(50, 'iphone-15', 'chen@lab.example', 75, 'push notifications'),
  lease(25, 'iphone-16', me, 85, 'screenshots for the store'),
  lease(74, 'pixel-8', 'bo@lab.example', 169, 'camera crash LAB-412'),
  lease(12, 'pixel-9-pro', 'dana@lab.example', 60),
  lease(26, 'staging', 'ci-4182', 69, 'release 2.14, smoke tests'),
  lease(40, 'demo', 'dana@lab.example', 240, 'demo for the sales team'),
  { ...lease(400, 'gpu', 'gitlab-train-71', 900), count: 2 },
  { ...lease(300, 'gpu', 'gitlab-train-74', 520), count: 3 },
  lease(15, 'gpu', me, 60, 'model check'),
  lease(32, 'browserstack', 'ci-4175', 57),
  lease(26, 'browserstack', 'ci-4178', 62),
  lease(20, 'browserstack', 'ci-4179', 44),
  { ...lease(30, 'emulators', 'nightly', 240), count: 2 },
  lease(10, 'emulators', 'ci-4180', 45, 'unit tests'),
  { ...lease(60, 'xcode-licences', 'build-farm', 180), count: 6 },
  lease(35, 'deploy-lock', 'bo@lab.example', 90, 'database migration'),
  { ...lease(4, 'board-1', 'wipe-1', 20), condition: 'dirty' },
];

const waits = (resource: string, requester: string, minutes: number, more: { count?: number; note?: string } = {}) => ({
  resource,
  requester,
  ttlSeconds: minutes * 60,
  waitSeconds: 7200,
  ...more,
});

const WAITS = [
  waits('iphone-15', 'gitlab-ios-3', 30),
  waits('iphone-15', 'bo@lab.example', 30),
  waits('staging', 'chen@lab.example', 60, { note: 'demo at 3' }),
  waits('staging', 'ci-4190', 30),
  waits('staging', 'ci-4193', 30),
  waits('browserstack', 'ci-4185', 45),
  waits('browserstack', 'ci-4186', 45),
  waits('gpu', 'gitlab-train-78', 120, { count: 4 }),
];

/** A booking, in hours from the next full hour. */
const booking = (resource: string, requester: string, from: number, hours: number, note?: string) => {
  const startMs = (Math.ceil(Date.now() / HOUR_MS) + from) * HOUR_MS;
  return {
    resource,
    requester,
    start: new Date(startMs).toISOString(),
    end: new Date(startMs + hours * HOUR_MS).toISOString(),
    ...(note === undefined ? {} : { note }),
  };
};

/** @param me the requester of the person who looks */
const bookingsOf = (me: string) => [
  booking('galaxy-s23', 'chen@lab.example', 1, 2, 'camera test'),
  booking('galaxy-s24', 'dana@lab.example', 2, 2),
  booking('pixel-8-pro', me, 1, 1, 'demo for sales'),
  booking('pixel-9', 'bo@lab.example', 3, 2, 'LAB-412'),
  ...[1, 2, 3, 4, 5].map((day) => booking('pixel-9', me, 24 * day, 6, 'regression')),
  ...[1, 3, 5].map((day) => booking('galaxy-s24', 'chen@lab.example', 24 * day + 1, 4)),
  ...[2, 4].map((day) => booking('iphone-16', 'dana@lab.example', 24 * day, 9, 'store pictures')),
  booking('iphone-se', 'nightly', 12, 24, 'endurance test'),
];

/**
 * Fills it. The history is written past the service, which knows no reservations of the past.
 * @param me the requester of the person who looks
 * @param setClock sets the clock of the service; without it, everything that is held began now
 */
export async function fillTestLab(
  client: Client,
  redis: RedisClient,
  tenant: string,
  me = 'ann@lab.example',
  setClock?: (ms: number) => Promise<unknown>,
): Promise<void> {
  const nowMs = Date.now();
  await addPast(redis, tenant, week(nowMs));
  await setClock?.(nowMs - 2 * DAY_MINUTES * MINUTE_MS);
  await client.register(...REGISTERED);
  await client.request('PUT', '/api/v1/Resource/condition', CONDITIONS);
  for (const { ago, minutes, ...item } of leasesOf(me).sort((one, other) => other.ago - one.ago)) {
    const since = setClock === undefined ? 0 : ago;
    await setClock?.(nowMs - since * MINUTE_MS);
    const left = minutes === undefined ? {} : { ttlSeconds: (minutes - ago + since) * 60 };
    await client.reserve({ ...item, ...left });
  }
  await setClock?.(0);
  await client.request('POST', '/api/v1/Booking', { bookings: bookingsOf(me) });
  await client.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', WAITS);
  await client.reserve({ resource: 'staging', requester: 'ci-4199' }, { resource: 'pixel-8', requester: 'ci-4199' });
}
