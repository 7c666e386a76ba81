/**
 * The Slack app of a tenant: its registration, and which of its requests count
 * (docs/specification.md#reserving-from-slack).
 */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import {
  BOT_TOKEN,
  clickForm,
  SIGNING_SECRET,
  sendAsSlack,
  signedHeaders,
  slashForm,
  TEAM,
} from '../support/fakeSlack.ts';
import { startInstance } from '../support/service.ts';
import { APP, linked, lockTenant, type SlackTeam, slack, slackTeam, speaker, useSlack } from '../support/slackTeam.ts';
import { databaseEnv, team as makeTeam, member } from '../support/tenancy.ts';
import { one, other, own, store } from '../support/twoInstances.ts';

useSlack();

let team: SlackTeam;
beforeAll(async () => {
  team = await slackTeam();
});

const ANN = { id: 'U0ANN' };
const help = () => slashForm('help', ANN, slack.answerUrl());

describe('the app', () => {
  test('is of the workspace that Slack says, and its secrets are never shown or logged', async () => {
    const seen = await team.owner.request<Record<string, unknown>>(one.url, 'GET', APP);
    expect(seen.body).toEqual({
      teamId: TEAM.id,
      teamName: TEAM.name,
      createdBy: `person:${team.owner.known.email}`,
      createdAt: expect.any(String),
    });
    const trail = await team.owner.request<{ entries: object[] }>(
      one.url,
      'GET',
      '/api/v1/Tenant/audit?action=slack.put',
    );
    expect(trail.body.entries).toMatchObject([{ details: { team: TEAM.name, teamId: TEAM.id } }]);
    const told = JSON.stringify([trail.body, one.logged, other.logged]);
    for (const secret of [BOT_TOKEN, SIGNING_SECRET]) expect(told).not.toContain(secret);
  });

  test('is refused with a token that Slack refuses, or one of another kind', async () => {
    const { owner } = await makeTeam();
    const put = (body: object) =>
      owner.request<string>(one.url, 'PUT', APP, { signingSecret: SIGNING_SECRET, ...body });
    expect(await put({ botToken: 'xoxb-00000000000-wrong' })).toMatchObject({
      status: 400,
      body: 'botToken is refused by Slack: invalid_auth',
    });
    expect(await put({ botToken: 'xoxp-17653672481-19874698323' })).toMatchObject({
      status: 400,
      body: 'botToken must be the bot token of the app: it begins with xoxb-',
    });
    expect(await put({ botToken: BOT_TOKEN, signingSecret: 'short' })).toMatchObject({ status: 400 });
    slack.refusal = { status: 429, retryAfterS: 1 };
    expect((await put({ botToken: BOT_TOKEN })).status).toBe(503);
    slack.refusal = null;
    expect((await owner.request(one.url, 'GET', APP)).status).toBe(404);
  });

  test('needs the right to change settings', async () => {
    const other = await member(team.tenant, 'operator');
    for (const method of ['GET', 'DELETE']) expect((await other.request(one.url, method, APP)).status).toBe(403);
    const byKey = await fetch(one.url + APP, { headers: { 'X-Api-Key': team.key } });
    expect(byKey.status).toBe(403);
  });

  test('of another workspace ends the links of the former one', async () => {
    const moved = await slackTeam();
    const ann = await linked(moved, 'member');
    const link = /link=([0-9a-f]{40})/.exec(await ann.say('link'))?.[1] ?? '';
    const put = (id: string) => {
      slack.team = { ...TEAM, id };
      return moved.owner.request(one.url, 'PUT', APP, { botToken: BOT_TOKEN, signingSecret: SIGNING_SECRET });
    };
    expect((await put('T0NEW')).body).toMatchObject({ teamId: 'T0NEW' });
    expect((await ann.ask('help')).status).toBe(401);
    const late = await fetch(`${one.url}/dashboard/slack`, {
      method: 'POST',
      headers: { Cookie: moved.owner.cookie, Origin: one.url },
      body: new URLSearchParams({ link }),
    });
    expect([late.status, await late.text()]).toEqual([400, expect.stringContaining('is not that of the tenant')]);
    await put(TEAM.id);
    expect(await ann.say('mine')).toBe('Your account is not linked yet. `/holdfast link` does it.');
  });

  test('with another signing secret ends the links, and with the same one keeps them', async () => {
    const team = await slackTeam();
    const ann = await linked(team, 'member');
    const put = (signingSecret: string) =>
      team.owner.request(one.url, 'PUT', APP, { botToken: BOT_TOKEN, signingSecret });
    expect((await put(SIGNING_SECRET)).status).toBe(200);
    expect(await ann.say('mine')).toBe('You have nothing, and wait for nothing.');
    const secret = 'a-secret-of-somebody-with-the-right-settings'.replaceAll('-', '');
    expect((await put(secret)).status).toBe(200);
    const forged = await sendAsSlack(team.endpoint, slashForm('mine', ann, slack.answerUrl()), { secret });
    expect(forged.message?.text).toBe('Your account is not linked yet. `/holdfast link` does it.');
  });

  test('ends with its links: requests are refused at every instance', async () => {
    const gone = await slackTeam();
    const ann = await linked(gone, 'member');
    expect((await gone.owner.request(other.url, 'DELETE', APP)).status).toBe(200);
    expect((await ann.ask('help')).status).toBe(401);
    expect((await gone.owner.request(one.url, 'DELETE', APP)).status).toBe(404);
    await gone.owner.request(one.url, 'PUT', APP, { botToken: BOT_TOKEN, signingSecret: SIGNING_SECRET });
    expect(await ann.say('mine')).toBe('Your account is not linked yet. `/holdfast link` does it.');
  });
});

describe('a request', () => {
  test('is answered if the app has signed it, and a probe of Slack too', async () => {
    expect((await sendAsSlack(team.endpoint, help())).message?.text).toContain('/holdfast reserve');
    expect(await sendAsSlack(team.endpoint, 'ssl_check=1&token=x')).toMatchObject({ status: 200, text: '' });
  });

  test('gets the same 401 with a wrong signature, an old one, of an unknown tenant or another workspace', async () => {
    const body = help();
    const { 'X-Slack-Signature': signature } = signedHeaders(body);
    const app = (await makeTeam()).tenant;
    const refused = await Promise.all([
      sendAsSlack(team.endpoint, body, { secret: 'another' }),
      sendAsSlack(team.endpoint, body, { ageS: 301 }),
      sendAsSlack(team.endpoint, body, { ageS: -310 }),
      sendAsSlack(team.endpoint, `${body}&more=1`, { headers: { 'X-Slack-Signature': signature } }),
      sendAsSlack(team.endpoint, body, { headers: { 'X-Slack-Signature': '' } }),
      sendAsSlack(team.endpoint, body, { headers: { 'X-Slack-Signature': `v0=${'0'.repeat(64)}` } }),
      sendAsSlack(team.endpoint.replace(/[^/]*$/, 'nobody'), body),
      sendAsSlack(team.endpoint.replace(/[^/]*$/, app), body),
      sendAsSlack(team.endpoint.replace(/[^/]*$/, '%00'), body),
      sendAsSlack(team.endpoint, slashForm('help', { ...ANN, team: 'T0OTHER' }, slack.answerUrl())),
      sendAsSlack(team.endpoint, clickForm('', { ...ANN, team: 'T0OTHER' }, slack.answerUrl())),
      sendAsSlack(team.endpoint, 'payload=%7B'),
    ]);
    expect(new Set(refused.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['401 {"error":"This request is not signed by the Slack app.","code":"UNAUTHENTICATED"}']),
    );
  });

  test('that is too large gets the same 413, whether or not the tenant has an app', async () => {
    const body = `${help()}&more=${'x'.repeat(1_048_576)}`;
    const { tenant } = await makeTeam();
    const unsigned = { headers: { 'X-Slack-Signature': `v0=${'0'.repeat(64)}` } };
    for (const id of [team.tenant, tenant, 'nobody'])
      expect((await sendAsSlack(team.endpoint.replace(/[^/]*$/, id), body, unsigned)).status).toBe(413);
  });

  test('counts once, at whichever instance it arrives', async () => {
    const body = help();
    const headers = signedHeaders(body);
    const elsewhere = team.endpoint.replace(one.url, other.url);
    const tries = await Promise.all(
      [team.endpoint, elsewhere, elsewhere].map((url) => sendAsSlack(url, body, { headers })),
    );
    expect(tries.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    const key = `{${team.tenant}}:slack:${headers['X-Slack-Signature']}`;
    expect(await one.redis.pttl(key)).toBeGreaterThan(590_000);
  });

  test('that fails counts as a failed authentication', async () => {
    const few = await startInstance({
      keys: [own],
      env: { ...databaseEnv(store.url), MAX_FAILED_AUTHENTICATIONS: '3', TRUSTED_PROXIES: '1' },
      slack: slack.site,
    });
    const headers = { 'X-Forwarded-For': '203.0.113.77' };
    const ask = (secret?: string) =>
      sendAsSlack(team.endpoint.replace(one.url, few.url), help(), { headers, ...(secret && { secret }) });
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await ask('another')).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    // Slack's addresses send the requests of all apps.
    expect((await ask()).status).toBe(200);
    await few.stop();
  });

  test('is a 401 with a line in the log, if KEY_SECRET is not that of the app', async () => {
    const env = { ...databaseEnv(store.url), KEY_SECRET: 'another secret of the tests, 32 characters or more' };
    const changed = await startInstance({ keys: [own], env, slack: slack.site });
    expect((await sendAsSlack(team.endpoint.replace(one.url, changed.url), help())).status).toBe(401);
    expect(changed.logged.join('')).toContain('cannot be read: KEY_SECRET was another one');
    await changed.stop();
  });

  test('without a database is a 503', async () => {
    const small = await startInstance();
    expect((await sendAsSlack(`${small.url}/integrations/slack/${small.tenant}`, help())).status).toBe(503);
    await small.stop();
  });
});

describe('an answer', () => {
  test('comes within 3 s, and the result later, only to Slack', async () => {
    const ann = await linked(team, 'member');
    // Their role cannot be read while the row of the tenant is locked.
    const { free } = await lockTenant(team.tenant);
    const seen = slack.posted.length;
    const [good, bad] = await Promise.all([
      ann.say('reserve late'),
      sendAsSlack(team.endpoint, slashForm('mine', ann, slack.answerUrl().replace('127.0.0.1', 'localhost'))),
    ]);
    expect([good, bad.message?.text]).toEqual(['Working on it …', 'Working on it …']);
    await free();
    const posted = (await slack.until(seen + 1)).slice(seen);
    expect(posted).toMatchObject([{ by: 'answer', message: { response_type: 'ephemeral', replace_original: false } }]);
    expect(posted[0]?.message.text).toMatch(/^You have \*late\* until/);
    await vi.waitFor(async () => expect(await ann.say('mine')).toContain('late'));
    expect(slack.posted).toHaveLength(seen + 1);
  });

  test('to a click replaces the message only if nobody else sees it', async () => {
    const ann = await linked(team, 'member');
    for (const isEphemeral of [true, false]) {
      const seen = slack.posted.length;
      const form = clickForm('{"verb":"mine"}', ann, slack.answerUrl(), isEphemeral);
      expect(await sendAsSlack(team.endpoint, form)).toMatchObject({ status: 200, text: '' });
      const [posted] = (await slack.until(seen + 1)).slice(seen);
      expect(posted?.message).toMatchObject({ response_type: 'ephemeral', replace_original: isEphemeral });
    }
    const seen = slack.posted.length;
    expect(await sendAsSlack(team.endpoint, clickForm('of others', ann, slack.answerUrl()))).toMatchObject({
      status: 200,
    });
    expect(slack.posted).toHaveLength(seen);
  });

  test('costs one read, and says so if none is left', async () => {
    const ann = speaker(team, 'U0NOBODY');
    const key = `reads:Enterprise:{${team.tenant}}:sessions`;
    const before = Number(await one.redis.get(key));
    await ann.say('help');
    expect(Number(await one.redis.get(key)) - before).toBe(1);
    await one.redis.set(key, '1000000000', 'PX', 60_000);
    expect(await ann.say('link')).toMatch(/Try again in \d+ s\.$/);
    await one.redis.del(key);
    // Nothing is left of somebody who has linked no account.
    expect(await one.redis.keys(`{${team.tenant}}:*slack:T*`)).toEqual([]);
  });
});
