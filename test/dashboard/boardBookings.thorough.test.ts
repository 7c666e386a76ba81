/**
 * The Board of a tenant with 5,000 bookings: it reads those of its rows and its window alone
 * (docs/specification.md#dashboard-and-sign-in). It has a Redis of its own, whose replies it measures.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../../scripts/redisServer.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { signIn } from '../support/tenancy.ts';

const RESOURCES = 500;
const OF_EACH = 10;
const HOUR = 3_600_000;
/** The most that a page reads from Redis: its 40 rows and their bookings of 7.5 hours. All bookings are over 1 MB. */
const MAX_READ_BYTES = 120_000;

const key = makeConfiguredKey(makeTenant(), 'ci');
let redis: RedisServer;
let one: Instance;
const name = (i: number) => `phone-${String(i).padStart(3, '0')}`;

beforeAll(async () => {
  redis = await startRedis(() => {});
  one = await startInstance({ keys: [key], redisUrl: redis.url });
  await one.register(...Array.from({ length: RESOURCES }, (_, i) => ({ name: name(i), bookable: true })));
  const first = Math.ceil(Date.now() / HOUR) * HOUR;
  for (let i = 0; i < RESOURCES; i++) {
    const bookings = Array.from({ length: OF_EACH }, (_, j) => ({
      resource: name(i),
      requester: `person-${i}`,
      start: new Date(first + 6 * j * HOUR).toISOString(),
      end: new Date(first + (6 * j + 2) * HOUR).toISOString(),
    }));
    const { body } = await one.request<{ status: string }>('POST', '/api/v1/Booking', { bookings });
    expect(body.status).toBe('BOOKED');
  }
}, 120_000);
afterAll(async () => {
  await one.stop();
  await redis.stop();
});

const sentByRedis = async () => Number(/total_net_output_bytes:(\d+)/.exec(await one.redis.info('stats'))?.[1]);

test('with 5,000 bookings, a page reads those that it can show', async () => {
  const { cookie } = await signIn(one.redis, key.tenant, { email: 'ann@id.example' });
  const runs: { ms: number; read: number }[] = [];
  for (let i = 0; i < 6; i++) {
    const before = await sentByRedis();
    const start = performance.now();
    const response = await fetch(`${one.url}/dashboard`, { headers: { Cookie: cookie } });
    const text = await response.text();
    runs.push({ ms: performance.now() - start, read: (await sentByRedis()) - before });
    expect(text.match(/class="bar booked/g)?.length).toBeGreaterThanOrEqual(40);
  }
  const [ms, read] = [Math.min(...runs.map((run) => run.ms)), Math.min(...runs.map((run) => run.read))];
  process.stdout.write(`Board with bookings: ${Math.round(ms)} ms, ${read} bytes read\n`);
  expect(read).toBeLessThan(MAX_READ_BYTES);
});
