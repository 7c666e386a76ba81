/**
 * Notices from the change to the person (docs/specification.md#notices): an instance with all roles, a real SMTP server
 * and a fake Slack.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UNSUBSCRIBE_PAGE } from '../../src/domain/personalNotices.ts';
import { startCursor } from '../../src/engine/notices/cursors.ts';
import { chooseNotices, readMyNotices } from '../../src/operations/personalNotices.ts';
import { sealTarget } from '../../src/operations/sealedSubscriptions.ts';
import { unsubscribe } from '../../src/operations/unsubscribe.ts';
import { createSubscription } from '../../src/store/subscriptions.ts';
import { FakeSlack } from '../support/fakeSlack.ts';
import { deps, makeMember, redisUrl, useNoticeStore } from '../support/noticeStore.ts';
import { type Instance, startInstance } from '../support/service.ts';
import { type MailServer, startMailServer } from '../support/smtp.ts';
import { BY, databaseEnv, signIn, storeTenant } from '../support/tenancy.ts';

useNoticeStore(true);

let server: MailServer;
let slack: FakeSlack;
let holdfast: Instance;
beforeAll(async () => {
  server = await startMailServer();
  slack = await new FakeSlack().start();
  const own = await storeTenant(deps.store);
  const mail = { SMTP_URL: server.url, MAIL_FROM: 'holdfast@acme.example', PUBLIC_URL: 'http://holdfast.example' };
  const env = { ...databaseEnv(deps.databaseUrl), ...mail, ROLE: 'all' };
  holdfast = await startInstance({ keys: [own], env, redisUrl, slack: slack.site });
});
afterAll(async () => {
  await holdfast.stop();
  await slack.stop();
  await server.stop();
});

describe('a person whose reservation is taken away', () => {
  test('gets an e-mail, and can unsubscribe by its header', async () => {
    const { tenant } = holdfast;
    const ann = await makeMember(tenant);
    await chooseNotices(deps, ann, ann.userId, { TAKEN: ['email'] });
    const resource = randomUUID();
    await holdfast.reserve({ resource, requester: ann.requester, ttlSeconds: 600 });
    const bob = await signIn(holdfast.redis, tenant, { role: 'operator', email: 'bob@id.example' });
    const released = [{ resource, requester: ann.requester }];
    const { status } = await bob.request(holdfast.url, 'POST', '/api/v1/Reservation/unreserve', released);
    expect(status).toBe(200);
    const [message] = await server.messagesOf(ann.email ?? '', 1);
    expect(message?.headers.get('subject')).toBe(`[${tenant}] ${resource} was taken away from you`);
    expect(message?.text).toContain(`bob@id.example took ${resource} away from you.\n`);
    const page = new URL(message?.headers.get('list-unsubscribe')?.slice(1, -1) ?? '');
    expect(page.origin + page.pathname).toBe(`http://holdfast.example${UNSUBSCRIBE_PAGE}`);
    await unsubscribe(deps, page.searchParams.get('token') ?? '', '127.0.0.1');
    expect((await readMyNotices(deps, tenant, ann.userId)).choices.TAKEN).toEqual([]);
  });
});

describe('a person who waits', () => {
  test('gets an e-mail when it is their turn', async () => {
    const { tenant } = holdfast;
    const ann = await makeMember(tenant);
    await chooseNotices(deps, ann, ann.userId, { TURN: ['email'] });
    const resource = randomUUID();
    const { body } = await holdfast.reserve({ resource, requester: 'job', ttlSeconds: 600 });
    const who = { id: ann.userId, subject: ann.userId, email: ann.email, role: 'member' } as const;
    const session = await signIn(holdfast.redis, tenant, who);
    const wait = { resource, requester: ann.requester, ttlSeconds: 600, waitSeconds: 600, claimSeconds: 600 };
    await session.request(holdfast.url, 'POST', '/api/v1/Reservation/reserve?pollSeconds=0', [wait]);
    await holdfast.unreserve({ resource, requester: 'job', releaseToken: body[0]?.releaseToken ?? '' });
    const [message] = await server.messagesOf(ann.email ?? '', 1);
    expect(message?.headers.get('subject')).toBe(`[${tenant}] It is your turn: ${resource}`);
    expect(message?.text).toMatch(/you can take \S+, until 20\d\d-\d\d-\d\d \d\d:\d\d UTC\./);
  });
});

describe('a channel in Slack', () => {
  test('sees who has staging, and nothing else', async () => {
    const target = { url: slack.webhookUrl };
    const sealed = await sealTarget(deps.sealer, target);
    const chosen = { id: randomUUID(), kind: 'slack', label: '#lab', types: ['RESERVED'], prefix: 'stag' } as const;
    const made = { ...chosen, ...sealed, types: ['RESERVED'], enabled: true, secret: null };
    await createSubscription(deps.store, deps.engine.tiers, holdfast.tenant, made, target, BY);
    await startCursor(deps.engine.redis, holdfast.tenant, made.id, 'end', false);
    await holdfast.reserve({ resource: 'other', requester: 'job' });
    await holdfast.reserve({ resource: 'staging', requester: 'job <1>', note: 'release 1.4' });
    const [{ message } = { message: { text: '' } }] = await slack.until(1);
    expect(message.text).toContain(
      `*${holdfast.tenant}* job &lt;1&gt; reserved staging: release 1.4. <http://holdfast.`,
    );
  });
});
