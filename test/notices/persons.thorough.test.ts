/**
 * Personal notices (docs/specification.md#personal-notices), to a real SMTP server and a fake Slack.
 */
import { Queue } from 'bullmq';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Channel, PersonalNotice } from '../../src/domain/notices.ts';
import { type Mailer, makeMailer } from '../../src/notices/mail/mailer.ts';
import { openTransport } from '../../src/notices/mail/transport.ts';
import { type Persons, startPersons } from '../../src/notices/persons.ts';
import { makeVapid } from '../../src/notices/push/vapid.ts';
import { removeMember } from '../../src/operations/members.ts';
import { chooseNotices } from '../../src/operations/personalNotices.ts';
import { createPatientRedis } from '../../src/redis/client.ts';
import { JOBS_PREFIX } from '../../src/redis/keys.ts';
import { slackApps, slackLinks } from '../../src/store/noticesSchema.ts';
import { users } from '../../src/store/schema.ts';
import { suspendTenant } from '../../src/store/tenants.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { BOT_TOKEN, FakeSlack, TEAM } from '../support/fakeSlack.ts';
import { happened } from '../support/happened.ts';
import { deps, makeMember, RULES, redisUrl, type SignedIn, useNoticeStore, VAPID } from '../support/noticeStore.ts';
import { type MailServer, startMailServer } from '../support/smtp.ts';
import { BY, storeTenant } from '../support/tenancy.ts';
import { until } from '../support/until.ts';

useNoticeStore(true);

let server: MailServer;
let slack: FakeSlack;
let mailer: Mailer;
let persons: Persons;
/** The jobs of messages. */
let jobs: Queue;
const sent: string[] = [];
const log = createLogger('silent');
beforeAll(async () => {
  server = await startMailServer();
  slack = await new FakeSlack().start();
  jobs = new Queue('personalNotices', { connection: deps.store.redis, prefix: JOBS_PREFIX });
  const publicUrl = 'https://holdfast.example';
  const connection = createPatientRedis(redisUrl);
  mailer = makeMailer({
    ...{ redis: deps.store.redis, connection, publicUrl, log },
    transport: openTransport({ smtpUrl: server.url, from: 'holdfast@acme.example' }),
    unsubscribeUrl: async () => 'https://holdfast.example/u',
    isWanted: async () => true,
  });
  persons = startPersons({
    ...{ store: deps.store, connection, mailer, log },
    slack: { site: slack.site, store: deps.store, open: (sealed) => deps.sealer.open(sealed), publicUrl },
    push: { vapid: makeVapid(VAPID, publicUrl), rules: RULES, open: (sealed) => deps.sealer.open(sealed) },
    onSent: (channel, result) => sent.push(`${channel} ${result}`),
  });
});
afterAll(async () => {
  await persons.close();
  await jobs.close();
  await mailer.close();
  await slack.stop();
  await server.stop();
});

let tenant: string;
let ann: SignedIn;
beforeEach(async () => {
  sent.length = 0;
  ({ tenant } = await storeTenant(deps.store));
  ann = await makeMember(tenant);
});

const choose = (who: SignedIn, what: PersonalNotice, ...channels: Channel[]) =>
  chooseNotices(deps, who, who.userId, { [what]: channels });
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
const mine = (fields: Parameters<typeof happened>[1] = {}) => ({
  tenantId: tenant,
  requester: ann.requester,
  ...fields,
});
const turn = (fields: Parameters<typeof happened>[1] = {}) =>
  happened('RESERVED', mine({ claimBy: inMinutes(8), expiresAt: inMinutes(60), ...fields }));
const taken = (actor: string, fields = {}) => happened('UNRESERVED', mine({ actor, ...fields }));
const isIdle = async () => (await jobs.getJobCountByTypes('active', 'waiting', 'prioritized')) === 0;
/** Tells events, and then one that arrives. Returns what else has been sent once no job is left. */
const told = async (...events: ReturnType<typeof happened>[]) => {
  await persons.tell(tenant, events);
  await choose(ann, 'WANTED', 'email');
  await persons.tell(tenant, [happened('WANTED', mine({ resource: 'the end', waiting: 1 }))]);
  const all = () => server.received.filter(({ to }) => to.includes(ann.email ?? ''));
  await until('the last message', () => all().some(({ text }) => text.includes('the end')));
  await until('all jobs are done', isIdle);
  return all().filter(({ text }) => !text.includes('the end'));
};
const linkSlack = async (who: SignedIn, teamId = TEAM.id) => {
  const slackUserId = `U${who.userId}`;
  slack.channels.add(slackUserId);
  const [botToken, signingSecret] = [await deps.sealer.seal(BOT_TOKEN), await deps.sealer.seal('s')];
  const app = { tenantId: tenant, botToken, signingSecret, teamId: TEAM.id, teamName: TEAM.name, createdBy: 'x' };
  await deps.store.database.run((db) => db.insert(slackApps).values(app));
  await deps.store.database.run((db) =>
    db.insert(slackLinks).values({ tenantId: tenant, userId: who.userId, teamId, slackUserId }),
  );
  return slackUserId;
};

describe('a person who has chosen it', () => {
  test('learns that it is their turn, with one link to a page', async () => {
    await choose(ann, 'TURN', 'email');
    const [message, ...more] = await told(turn({ claimBy: '2148-01-31T14:05:00.000Z' }));
    expect(more).toEqual([]);
    expect(message?.headers.get('subject')).toBe(`[${tenant}] It is your turn: staging`);
    expect(message?.text).toContain('It is your turn: you can take staging, until 2148-01-31 14:05 UTC.\n');
    expect(message?.text.match(/https?:\/\/\S+/g)).toEqual([
      `https://holdfast.example/dashboard/notice?tenant=${tenant}&notice=TURN&resource=staging`,
    ]);
  });

  test('learns that the lease ends soon, that somebody waits, and that it was taken away', async () => {
    for (const what of ['ENDS_SOON', 'TAKEN'] as const) await choose(ann, what, 'email');
    const bob = await makeMember(tenant);
    const subjects = (await told(happened('ENDS_SOON', mine({ expiresAt: inMinutes(5) })), taken(bob.actor))).map(
      ({ headers }) => headers.get('subject'),
    );
    expect(subjects.sort()).toEqual([
      `[${tenant}] Your reservation of staging ends soon`,
      `[${tenant}] staging was taken away from you`,
    ]);
  });

  test('learns that what they booked is out of service', async () => {
    await choose(ann, 'BEGINS', 'email');
    const booked = [{ requester: ann.requester, start: inMinutes(60), end: inMinutes(90) }];
    const [message] = await told(happened('CONDITION', mine({ requester: null, explanation: 'out', booked })));
    expect(message?.headers.get('subject')).toBe(`[${tenant}] staging, which you booked, is out of service`);
  });

  test('learns which key used their name', async () => {
    await choose(ann, 'TURN', 'email');
    const [message] = await told(turn({ apiKeyLabel: 'ci' }));
    expect(message?.text).toContain('staging, which the key "ci" asked for in your name, until');
  });

  test('learns it in Slack, if their account there is linked, and by each channel once', async () => {
    const account = await linkSlack(ann);
    await choose(ann, 'TURN', 'email', 'slack', 'browser');
    const messages = await told(turn({ resource: '<!here>' }));
    expect(messages).toHaveLength(1);
    await until('the message in Slack', () => slack.posted.some(({ to }) => to === account));
    const [posted, ...more] = slack.posted.filter(({ to }) => to === account);
    expect(more).toEqual([]);
    expect(posted?.message.text).toContain(`*${tenant}* It is your turn: you can take &lt;!here&gt;, until <!date^`);
    expect(posted?.message.text).toContain('resource=%3C%21here%3E|Take it or leave it>');
  });

  test('gets 30 messages an hour in Slack, of which the last says that more are dropped', async () => {
    const account = await linkSlack(ann);
    await choose(ann, 'TURN', 'slack');
    await persons.tell(
      tenant,
      Array.from({ length: 32 }, () => turn()),
    );
    await until('all are sent or dropped', () => sent.length === 32);
    expect(sent.filter((one) => one === 'slack dropped')).toHaveLength(2);
    const texts = slack.posted.filter(({ to }) => to === account).map(({ message }) => message.text);
    expect(texts.filter((text) => text.includes('. More messages of this hour are dropped.'))).toHaveLength(1);
    expect(texts).toHaveLength(30);
  });

  test('gets one message of an event that is delivered twice', async () => {
    await choose(ann, 'TURN', 'email');
    const event = turn();
    expect(await told(event, event)).toHaveLength(1);
    await persons.tell(tenant, [event]);
    expect(await told(event)).toHaveLength(1);
  });
});

describe('no message is sent', () => {
  test('to somebody who has not chosen it in that tenant', async () => {
    const bob = await makeMember(tenant);
    await choose(bob, 'TURN', 'email');
    expect(await told(turn(), happened('RESERVED', { ...turn(), requester: 'person:stranger@bank.example' }))).toEqual(
      [],
    );
    expect(server.received.filter(({ to }) => to.includes(bob.email ?? ''))).toEqual([]);
    expect(server.received.filter(({ to }) => to.includes('stranger@bank.example'))).toEqual([]);
  });

  test('about what the person does', async () => {
    await choose(ann, 'TAKEN', 'email');
    expect(await told(taken(ann.actor), taken(ann.actor.replace('person:', 'admin:')))).toEqual([]);
  });

  test('about a reservation that need not be claimed, or by the channel browser', async () => {
    await choose(ann, 'TURN', 'email');
    await choose(ann, 'TAKEN', 'browser');
    expect(await told(happened('RESERVED', mine({ expiresAt: inMinutes(9) })), taken('person:bob@id.example'))).toEqual(
      [],
    );
  });

  test('too late: after ten minutes, after claimBy, or after the lease', async () => {
    for (const what of ['TURN', 'TAKEN', 'ENDS_SOON'] as const) await choose(ann, what, 'email');
    expect(
      await told(
        taken('person:bob@id.example', { timestamp: inMinutes(-11) }),
        turn({ claimBy: inMinutes(-1) }),
        happened('ENDS_SOON', mine({ expiresAt: inMinutes(-1) })),
      ),
    ).toEqual([]);
  });

  test('to former members, or in a suspended tenant', async () => {
    const owner = await makeMember(tenant, 'owner');
    const bob = await makeMember(tenant);
    for (const who of [ann, bob]) await choose(who, 'TURN', 'email');
    // Their messages have been made, but not sent yet.
    await jobs.pause();
    const theirs = happened('RESERVED', { ...turn(), requester: bob.requester });
    await persons.tell(tenant, [theirs]);
    await removeMember(deps, owner, bob.userId);
    await jobs.resume();
    await until('it is dropped', () => sent.includes('email dropped'));
    await suspendTenant(deps.store, tenant, BY);
    sent.length = 0;
    await persons.tell(tenant, [turn()]);
    await until('it is dropped', () => sent.includes('email dropped'));
    expect(server.received.filter(({ to }) => [bob.email, ann.email].includes(to[0] ?? ''))).toEqual([]);
  });

  test('more than 600 times a minute by a tenant: the rest is dropped, and other tenants are told', async () => {
    await choose(ann, 'TURN', 'email');
    await jobs.pause();
    const before = await jobs.getJobCountByTypes('waiting');
    for (let i = 0; i < 7; i++)
      await persons.tell(
        tenant,
        Array.from({ length: 90 }, () => turn()),
      );
    expect((await jobs.getJobCountByTypes('waiting')) - before).toBe(600);
    expect(sent).toEqual(Array(30).fill('email dropped'));
    await jobs.drain();
    await jobs.resume();
    const other = await storeTenant(deps.store);
    const bob = await makeMember(other.tenant);
    await choose(bob, 'TURN', 'email');
    await persons.tell(other.tenant, [turn({ tenantId: other.tenant, requester: bob.requester })]);
    await server.messagesOf(bob.email ?? '', 1);
  });

  test('to an account in another workspace than that of the app', async () => {
    const account = await linkSlack(ann, 'T9OTHER');
    await choose(ann, 'TURN', 'slack');
    await told(turn());
    expect(slack.posted.some(({ to }) => to === account)).toBe(false);
  });
});

describe('the address of a message', () => {
  test('is that of the last sign-in, and other people with the name get none', async () => {
    await choose(ann, 'TURN', 'email');
    const address = `new-${ann.email}`;
    await deps.store.database.run((db) => db.update(users).set({ email: address }).where(eq(users.id, ann.userId)));
    await persons.tell(tenant, [turn()]);
    await persons.tell(tenant, [turn({ requester: `person:${address}` })]);
    await server.messagesOf(address, 1);
    expect(server.received.some(({ to }) => to.includes(ann.email ?? ''))).toBe(false);
  });
});
