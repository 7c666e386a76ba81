/**
 * Fills a tenant with what a test lab has after a week: phones and environments, who holds them and who waits, and
 * whom they were held by. For pictures of the dashboard.
 */
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

/** Fills it. The history is written past the service, which knows no reservations of the past. */
export async function fillTestLab(client: Client, redis: RedisClient, tenant: string): Promise<void> {
  await addPast(redis, tenant, week(Date.now()));
  await client.register(
    { name: 'lab', group: true },
    { name: 'phones', group: true, treePath: 'lab' },
    { name: 'pixel-8', treePath: 'lab>phones', labels: { os: 'android', site: 'berlin' } },
    { name: 'galaxy-s24', treePath: 'lab>phones', labels: { os: 'android', site: 'oslo' } },
    { name: 'iphone-15', treePath: 'lab>phones', labels: { os: 'ios', site: 'berlin' } },
    { name: 'iphone-se', treePath: 'lab>phones', labels: { os: 'ios', site: 'oslo' } },
    { name: 'environments', group: true },
    { name: 'staging', treePath: 'environments', blocks: ['staging-database'] },
    { name: 'staging-eu', treePath: 'environments' },
    { name: 'staging-database' },
    { name: 'emulators', capacity: 6, labels: { os: 'android' } },
    { name: 'old-rig' },
  );
  await client.reserve(
    { resource: 'staging', requester: 'ci-42', ttlSeconds: 43 * 60, note: 'release 2.14, smoke tests' },
    {
      resource: 'pixel-8',
      requester: 'ann@lab.example',
      ttlSeconds: 7200,
      note: 'camera crash',
      resourceType: 'phone',
    },
    { resource: 'iphone-15', requester: 'dana@lab.example', ttlSeconds: 480, resourceType: 'phone' },
    { resource: 'emulators', requester: 'ci-41', ttlSeconds: 1500, note: 'unit tests' },
    { resource: 'emulators', requester: 'ci-43', ttlSeconds: 1800, note: 'unit tests' },
    { resource: 'emulators', requester: 'nightly', count: 2, ttlSeconds: 14_400 },
    { resource: 'deploy-lock', requester: 'bo@lab.example', note: 'database migration' },
  );
  await client.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
    { resource: 'staging', requester: 'chen@lab.example', ttlSeconds: 3600, waitSeconds: 7200, note: 'demo at 3' },
    { resource: 'staging', requester: 'ci-44', ttlSeconds: 1800, waitSeconds: 3600 },
    { resource: 'iphone-15', requester: 'ann@lab.example', ttlSeconds: 1800, waitSeconds: 3600 },
  ]);
  await client.reserve({ resource: 'staging', requester: 'ci-45' }, { resource: 'pixel-8', requester: 'ci-45' });
}
