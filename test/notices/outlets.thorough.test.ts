/**
 * Deliveries of subscriptions by e-mail and Slack (docs/specification.md#e-mail, #slack), to a real SMTP server and a
 * fake Slack.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OpenedSubscription, Target } from '../../src/domain/notices.ts';
import { emailOutlet } from '../../src/notices/email.ts';
import { type Mailer, makeMailer } from '../../src/notices/mail/mailer.ts';
import { openTransport } from '../../src/notices/mail/transport.ts';
import type { NoticeEvent, Outlet } from '../../src/notices/sending.ts';
import { slackOutlet } from '../../src/notices/slack.ts';
import { createPatientRedis } from '../../src/redis/client.ts';
import { slackApps } from '../../src/store/noticesSchema.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { BOT_TOKEN, FakeSlack, TEAM } from '../support/fakeSlack.ts';
import { happened } from '../support/happened.ts';
import { deps, makeMember, redisUrl, useNoticeStore } from '../support/noticeStore.ts';
import { type MailServer, startMailServer } from '../support/smtp.ts';
import { storeTenant } from '../support/tenancy.ts';

useNoticeStore(true);

let server: MailServer;
let slack: FakeSlack;
let mailer: Mailer;
let outlets: { readonly email: Outlet; readonly slack: Outlet };
beforeAll(async () => {
  server = await startMailServer();
  slack = await new FakeSlack().start();
  const [publicUrl, { redis }] = ['https://holdfast.example', deps.store];
  mailer = makeMailer({
    ...{ redis, connection: createPatientRedis(redisUrl), publicUrl, log: createLogger('silent') },
    transport: openTransport({ smtpUrl: server.url, from: 'holdfast@acme.example' }),
    unsubscribeUrl: async (address, sources) => `https://holdfast.example/u?${address}${JSON.stringify(sources)}`,
    isWanted: async () => true,
  });
  const open = (sealed: string) => deps.sealer.open(sealed);
  outlets = {
    email: emailOutlet({ mailer, redis, store: deps.store }),
    slack: slackOutlet({ site: slack.site, store: deps.store, open, publicUrl }),
  };
});
afterAll(async () => {
  await mailer.close();
  await slack.stop();
  await server.stop();
});

let tenant: string;
beforeEach(async () => {
  ({ tenant } = await storeTenant(deps.store));
  slack.posted.length = 0;
  slack.refusal = null;
});

/** Makes one attempt. */
function deliver(
  kind: 'email' | 'slack',
  target: Target,
  events: readonly NoticeEvent[],
  webhookId: string = randomUUID(),
) {
  const { signal } = new AbortController();
  const subscription: OpenedSubscription = {
    ...{ id: randomUUID(), tenant, kind, label: 'on call', types: ['*'], prefix: '', secrets: [], target },
  };
  return outlets[kind].send(subscription, { webhookId, events }, signal);
}
const reserved = happened('RESERVED', { note: 'release 1.4' });
const of = (address: string) => server.received.filter(({ to }) => to[0]?.toLowerCase() === address.toLowerCase());

describe('by e-mail', () => {
  const memberAddress = async () => (await makeMember(tenant)).email ?? '';

  test('each address gets a batch once, whatever the attempts', async () => {
    const addresses = [await memberAddress(), await memberAddress()];
    server.refused.set(addresses[1] ?? '', 451);
    expect(await deliver('email', { addresses }, [reserved], 'msg_1')).toEqual({
      ...{ status: 451, fault: 'The mail server refused the message with status 451.' },
    });
    server.refused.clear();
    expect(await deliver('email', { addresses }, [reserved], 'msg_1')).toEqual({ status: 250, fault: null });
    for (const address of addresses) expect(of(address)).toHaveLength(1);
    const [message] = of(addresses[0] ?? '');
    expect(message?.headers.get('subject')).toBe(`[${tenant}] ann@id.example reserved staging`);
    expect(message?.text).toContain(
      'ann@id.example reserved staging.\n\nActivity: https://holdfast.example/dashboard/',
    );
    expect(message?.text).not.toContain('release 1.4');
    expect(message?.text).toContain('by its subscription "on call".');
  });

  test('several events are one message', async () => {
    const address = await memberAddress();
    await deliver('email', { addresses: [address] }, [reserved, happened('UNRESERVED')]);
    const [message] = of(address);
    expect(message?.headers.get('subject')).toBe(`[${tenant}] 2 changes`);
    expect(message?.text).toContain('ann@id.example reserved staging.\nann@id.example released staging.\n');
  });

  test('only members get it, and a subscription without one is gone', async () => {
    const address = await memberAddress();
    expect(
      (await deliver('email', { addresses: ['stranger@bank.example', address.toUpperCase()] }, [reserved])).status,
    ).toBe(250);
    expect(of('stranger@bank.example')).toEqual([]);
    expect(of(address)).toHaveLength(1);
    expect(await deliver('email', { addresses: ['stranger@bank.example'] }, [reserved])).toMatchObject({ status: 410 });
  });

  test('an address that the server never takes does not keep the others from the next batch', async () => {
    const addresses = [await memberAddress(), await memberAddress()];
    server.refused.set(addresses[0] ?? '', 550);
    expect((await deliver('email', { addresses }, [reserved])).status).toBe(250);
    expect((await deliver('email', { addresses: addresses.slice(0, 1) }, [reserved])).status).toBe(550);
  });

  test('a mail server that is away is a fault of the service, not of the subscription', async () => {
    const addresses = [await memberAddress()];
    const transport = openTransport({ smtpUrl: 'smtp://127.0.0.1:1', from: 'holdfast@acme.example' });
    const send = () => transport.send({ to: addresses[0] ?? '', subject: '', text: '', unsubscribeUrl: 'x' });
    const away = emailOutlet({ mailer: { send, close: async () => {} }, redis: deps.store.redis, store: deps.store });
    const batch = { webhookId: randomUUID(), events: [reserved] };
    const subscription = {
      id: randomUUID(),
      tenant,
      kind: 'email',
      label: '',
      types: [],
      prefix: '',
      secrets: [],
    } as const;
    const attempt = away.send({ ...subscription, target: { addresses } }, batch, new AbortController().signal);
    await expect(attempt).rejects.toThrow('ECONNREFUSED');
  });
});

describe('to Slack', () => {
  test('an event is a sentence, by an incoming webhook', async () => {
    expect(await deliver('slack', { url: slack.webhookUrl }, [reserved])).toMatchObject({ status: 200, fault: null });
    const [posted] = await slack.until(1);
    expect(posted?.message.text).toBe(
      `*${tenant}* ann@id.example reserved staging: release 1.4. <https://holdfast.example/dashboard/activity|Activity>`,
    );
  });

  test('several events are one message that counts them, and lists some', async () => {
    const events = Array.from({ length: 12 }, (_, i) => happened('RESERVED', { resource: `r${i}` }));
    await deliver('slack', { url: slack.webhookUrl }, events);
    const [posted] = await slack.until(1);
    const lines = posted?.message.text.split('\n') ?? [];
    expect(lines[0]).toContain(`*${tenant}* 12 changes.`);
    expect(lines.slice(1, -1)).toHaveLength(10);
    expect(lines.at(-1)).toBe('and 2 more');
  });

  test('no names make a message too long', async () => {
    const long = happened('RESERVED', { resource: '&'.repeat(256), requester: '<'.repeat(256), note: '>'.repeat(256) });
    expect(
      await deliver(
        'slack',
        { url: slack.webhookUrl },
        Array.from({ length: 20 }, () => long),
      ),
    ).toMatchObject({
      status: 200,
    });
    expect(await deliver('slack', { url: slack.webhookUrl }, [long])).toMatchObject({ status: 200 });
  });

  test('the tenant’s bot writes to a channel', async () => {
    const [botToken, signingSecret] = [await deps.sealer.seal(BOT_TOKEN), await deps.sealer.seal('s')];
    const channel = [...slack.channels][0] ?? '';
    expect(await deliver('slack', { channel }, [reserved])).toEqual({
      status: null,
      fault: 'The tenant has no Slack app.',
    });
    const app = { tenantId: tenant, botToken, signingSecret, teamId: TEAM.id, teamName: TEAM.name, createdBy: 'x' };
    await deps.store.database.run((db) => db.insert(slackApps).values(app));
    expect(await deliver('slack', { channel }, [reserved])).toEqual({ status: 200, fault: null });
    expect((await slack.until(1))[0]).toMatchObject({ by: 'bot', to: channel });
    expect(await deliver('slack', { channel: '#other' }, [reserved])).toMatchObject({
      ...{ status: null, fault: 'Slack refused: channel_not_found' },
    });
  });

  test('a token that cannot be decrypted any more is a failure of the subscription, not of the service', async () => {
    const sealed = { botToken: 'by another KEY_SECRET', signingSecret: '-' };
    const app = { tenantId: tenant, teamId: TEAM.id, teamName: TEAM.name, createdBy: 'key', ...sealed };
    await deps.store.database.run((db) => db.insert(slackApps).values(app));
    expect(await deliver('slack', { channel: '#lab' }, [reserved])).toEqual({
      status: null,
      fault: 'KEY_SECRET has changed: register the Slack app anew.',
    });
  });

  test('a refusal is a failure, and its Retry-After counts', async () => {
    slack.refusal = { status: 429, retryAfterS: 30 };
    expect(await deliver('slack', { url: slack.webhookUrl }, [reserved])).toMatchObject({
      ...{ status: 429, retryAfterMs: 30_000, fault: 'The response has status 429.' },
    });
  });

  test('no other host gets a message', async () => {
    const other = `http://localhost:${new URL(slack.webhookUrl).port}/services/T1/B1/x`;
    expect(await deliver('slack', { url: other }, [reserved])).toMatchObject({ status: null });
    expect(slack.posted).toEqual([]);
  });
});
