/**
 * Push (docs/specification.md#push), to a strict push service on this machine.
 */
import { randomUUID } from 'node:crypto';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Persons, startPersons } from '../../../src/notices/persons.ts';
import { makeVapid } from '../../../src/notices/push/vapid.ts';
import { removeMember } from '../../../src/operations/members.ts';
import { chooseNotices, readMyNotices, turnOnPush } from '../../../src/operations/personalNotices.ts';
import { SLACK } from '../../../src/outgoing/slack.ts';
import { createPatientRedis } from '../../../src/redis/client.ts';
import { JOBS_PREFIX } from '../../../src/redis/keys.ts';
import { forgetDevice, listDevices, readDevice, removeDevice } from '../../../src/store/pushDevices.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { happened } from '../../support/happened.ts';
import { deps, makeMember, RULES, redisUrl, type SignedIn, useNoticeStore, VAPID } from '../../support/noticeStore.ts';
import type { PushBrowser } from '../../support/pushBrowser.ts';
import { type PushService, startPushService } from '../../support/pushService.ts';
import { storeTenant } from '../../support/tenancy.ts';
import { until } from '../../support/until.ts';

useNoticeStore(true);

const PUBLIC_URL = 'https://holdfast.example';
let service: PushService;
let persons: Persons;
let jobs: Queue;
const results: string[] = [];
const logged: string[] = [];
beforeAll(async () => {
  service = await startPushService(VAPID.publicKey);
  const connection = createPatientRedis(redisUrl);
  jobs = new Queue('pushes', { connection: deps.store.redis, prefix: JOBS_PREFIX });
  const open = (sealed: string) => deps.sealer.open(sealed);
  persons = startPersons({
    ...{ store: deps.store, connection, mailer: null },
    log: createLogger('debug', { write: (line: string) => void logged.push(line) }),
    slack: { site: SLACK, store: deps.store, open, publicUrl: PUBLIC_URL },
    push: { vapid: makeVapid(VAPID, PUBLIC_URL), rules: RULES, open },
    onSent: (channel, result) => results.push(`${channel} ${result}`),
  });
});
afterAll(async () => {
  // Requests that wait for an answer end.
  await service.stop();
  await persons.close();
  await jobs.close();
});

let tenant: string;
let ann: SignedIn;
beforeEach(async () => {
  results.length = 0;
  ({ tenant } = await storeTenant(deps.store));
  ann = await makeMember(tenant);
});

/** Turns on push for a new browser. */
async function turnOn(who: SignedIn, deviceId = randomUUID()) {
  const browser = service.subscribe();
  const device = { userId: who.userId, deviceId };
  await turnOnPush(deps, who, device, browser.target);
  return { browser, device };
}
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
const turnOf = (who: SignedIn, fields: Parameters<typeof happened>[1] = {}) =>
  happened('RESERVED', {
    ...{ tenantId: who.credential.tenant, requester: who.requester },
    ...{ claimBy: inMinutes(8), expiresAt: inMinutes(60), ...fields },
  });
const pushedTo = (browser: PushBrowser, number = 1) =>
  until('the push', () => service.of(browser).length >= number).then(() => service.of(browser));
const isDone = (result: string) => until(result, () => results.includes(result));
const choicesOf = async (who: SignedIn) => (await readMyNotices(deps, tenant, who.userId)).choices;

describe('a device with push', () => {
  test('learns whose turn it is, with no more than the e-mail says, for as long as it is of use', async () => {
    const [phone, laptop] = [await turnOn(ann), await turnOn(ann)];
    const event = turnOf(ann, { claimBy: '2148-01-31T14:05:00.000Z', expiresAt: '2148-01-31T15:05:00.000Z' });
    await persons.tell(tenant, [event, event]);
    for (const { browser } of [phone, laptop]) {
      const [pushed, ...more] = await pushedTo(browser);
      expect(more).toEqual([]);
      expect(JSON.parse(pushed?.text ?? '')).toEqual({
        title: `[${tenant}] It is your turn: staging`,
        text: 'It is your turn: you can take staging, until 2148-01-31 14:05 UTC',
        tag: `${tenant} TURN staging 2148-01-31T14:05:00.000Z`,
        ...{ tenant, notice: 'TURN', resource: 'staging' },
      });
      expect(pushed?.urgency).toBe('high');
      expect(pushed?.ttlS).toBeGreaterThan(500);
      expect(pushed?.ttlS).toBeLessThanOrEqual(600);
    }
    await until('both are counted', () => results.length === 2);
    expect(results).toEqual(['push delivered', 'push delivered']);
  });

  test('learns about the longest names', async () => {
    const { browser } = await turnOn(ann);
    const [resource, apiKeyLabel] = ['"'.repeat(256), '🔑'.repeat(50)];
    await persons.tell(tenant, [turnOf(ann, { resource, apiKeyLabel }), turnOf(ann, { resource: '🔑'.repeat(128) })]);
    await pushedTo(browser, 2);
  });

  test('is told of turns and ends of leases, unless the person has chosen what is pushed', async () => {
    expect((await readMyNotices(deps, tenant, ann.userId)).faults.push).not.toBeNull();
    await expect(chooseNotices(deps, ann, ann.userId, { TURN: ['push'] })).rejects.toMatchObject({ code: 'refused' });
    await turnOn(ann);
    expect(await choicesOf(ann)).toMatchObject({ TURN: ['push'], ENDS_SOON: ['push'], WANTED: [], TAKEN: [] });
    await chooseNotices(deps, ann, ann.userId, { TURN: [], ENDS_SOON: [], WANTED: ['push'] });
    await turnOn(ann);
    expect(await choicesOf(ann)).toMatchObject({ TURN: [], ENDS_SOON: [], WANTED: ['push'] });
  });

  test('must have a public address of https, unless the service allows others', async () => {
    const strict = { ...deps, webhookRules: { allowPrivate: false, allowHttp: false } };
    const { target } = service.subscribe();
    for (const endpoint of [target.endpoint, 'https://169.254.169.254/', 'https://u:p@push.example/'])
      await expect(
        turnOnPush(strict, ann, { userId: ann.userId, deviceId: randomUUID() }, { ...target, endpoint }),
      ).rejects.toMatchObject({ code: 'refused' });
    expect(await listDevices(deps.store, tenant, [ann.userId])).toEqual([]);
  });

  test('is the eleventh of a person: it takes the place of the oldest', async () => {
    const first = await turnOn(ann);
    for (let i = 0; i < 10; i++) await turnOn(ann);
    expect(await listDevices(deps.store, tenant, [ann.userId])).toHaveLength(10);
    expect(await readDevice(deps.store, tenant, first.device)).toBeNull();
  });
});

describe('push ends', () => {
  test.each([404, 410])('when its push service answers %i, for that device alone', async (status) => {
    const [gone, stays] = [await turnOn(ann), await turnOn(ann)];
    service.answer(gone.browser, status);
    await persons.tell(tenant, [turnOf(ann)]);
    await pushedTo(stays.browser);
    await isDone('push dropped');
    expect(await listDevices(deps.store, tenant, [ann.userId])).toEqual([stays.device]);
  });

  test('when the person turns it off, signs out, or is no member any more: also what waits is not sent', async () => {
    const owner = await makeMember(tenant, 'owner');
    const [bob, cleo] = [await makeMember(tenant), await makeMember(tenant)];
    const on = [await turnOn(ann), await turnOn(bob), await turnOn(cleo)];
    await jobs.pause();
    await persons.tell(
      tenant,
      [ann, bob, cleo].map((who) => turnOf(who)),
    );
    const [ofAnn, ofBob] = on;
    if (ofAnn && ofBob) {
      await removeDevice(deps.store, tenant, ofAnn.device);
      await forgetDevice(deps.store, ofBob.device.deviceId, null);
    }
    await removeMember(deps, owner, cleo.userId);
    await jobs.resume();
    await until('all are dropped', () => results.length === 3);
    expect(results).toEqual(Array(3).fill('push dropped'));
    expect(on.flatMap(({ browser }) => service.of(browser))).toEqual([]);
  });

  test('for others when somebody signs in on the device, and in each tenant of theirs goes on', async () => {
    const { device } = await turnOn(ann);
    await forgetDevice(deps.store, device.deviceId, ann.userId);
    expect(await readDevice(deps.store, tenant, device)).not.toBeNull();
    const bob = await makeMember(tenant);
    await forgetDevice(deps.store, device.deviceId, bob.userId);
    expect(await readDevice(deps.store, tenant, device)).toBeNull();
  });
});

test('a push service that never answers delays no other tenant', async () => {
  const slow = await turnOn(ann);
  service.answer(slow.browser, null);
  await persons.tell(
    tenant,
    Array.from({ length: 60 }, () => turnOf(ann)),
  );
  await until('its places are taken', () => service.waiting() === 10);
  const other = await storeTenant(deps.store);
  const bob = await makeMember(other.tenant);
  const { browser } = await turnOn(bob);
  const beganAt = performance.now();
  await persons.tell(other.tenant, [turnOf(bob)]);
  await pushedTo(browser);
  expect(performance.now() - beganAt).toBeLessThan(4000);
  await jobs.drain(true);
});

test('the address of a device is in no log', async () => {
  const { browser } = await turnOn(ann);
  service.answer(browser, 500);
  await persons.tell(tenant, [turnOf(ann)]);
  await isDone('push failed');
  expect(logged.join('')).toContain('a personal notice could not be sent');
  expect(logged.join('')).not.toContain(service.origin.slice('http://'.length));
});
