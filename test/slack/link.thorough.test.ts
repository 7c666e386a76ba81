/**
 * The page that ties an account in Slack to a member (docs/specification.md#reserving-from-slack).
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../support/ask.ts';
import { linked, PUBLIC_URL, type SlackTeam, slackTeam, speaker, useSlack } from '../support/slackTeam.ts';
import { member, type Person } from '../support/tenancy.ts';
import { one, other } from '../support/twoInstances.ts';

useSlack();

let team: SlackTeam;
beforeAll(async () => {
  team = await slackTeam();
});

const NOT_LINKED = 'Your account is not linked yet. `/holdfast link` does it.';
const NOTHING = 'You have nothing, and wait for nothing.';

/** The link of an answer, as a path. */
const pathIn = (text: string) => {
  const [, path = ''] = new RegExp(`<${PUBLIC_URL}(/dashboard/slack\\?link=[0-9a-f]{40})\\|`).exec(text) ?? [];
  return path;
};
const secretIn = (path: string) => path.split('=')[1] ?? '';
const get = ({ cookie }: Pick<Person, 'cookie'>, path: string) => ask(one.url + path, { headers: { Cookie: cookie } });
const post = ({ cookie }: Pick<Person, 'cookie'>, path: string, fields: Record<string, string> = {}) =>
  ask(one.url + path, {
    method: 'POST',
    headers: { Cookie: cookie, Origin: one.url },
    body: new URLSearchParams(fields),
  });
const trail = async (action: string) =>
  (await team.owner.request<{ entries: object[] }>(one.url, 'GET', `/api/v1/Tenant/audit?action=${action}`)).body
    .entries;

describe('a link', () => {
  test('is shown to this person only, asks for sign-in and a click, and works once', async () => {
    const ann = speaker(team, 'U0LINK');
    expect(await ann.say('mine')).toBe(NOT_LINKED);
    const answer = await ann.ask('link');
    expect(answer.message?.response_type).toBe('ephemeral');
    const path = pathIn(answer.message?.text ?? '');

    const out = await ask(one.url + path);
    expect([out.status, out.to]).toEqual([303, `/dashboard/sign-in?${new URLSearchParams({ to: path })}`]);
    const person = await member(team.tenant, 'member');
    const page = await get(person, path);
    expect(page.text).toContain('<strong>@ann</strong> (U0LINK)');
    expect(page.text).toContain(person.known.email);
    expect(await ann.say('mine')).toBe(NOT_LINKED);

    const done = await post(person, '/dashboard/slack', { link: secretIn(path) });
    expect([done.status, done.text.includes('is linked to you')]).toEqual([200, true]);
    expect(await ann.say('mine')).toBe(NOTHING);
    expect((await trail('slack.link'))[0]).toMatchObject({
      actor: `person:${person.known.email}`,
      details: { account: 'U0LINK' },
    });
    for (const again of [await get(person, path), await post(person, '/dashboard/slack', { link: secretIn(path) })])
      expect(again.status).toBe(404);
    expect(JSON.stringify([one.logged, other.logged])).not.toContain(secretIn(path));
  });

  test('lasts 10 minutes, and is kept as a digest', async () => {
    const before = new Set(await one.redis.keys('slackLink:*'));
    const path = pathIn(await speaker(team, 'U0LATE').say('link'));
    const [key = ''] = (await one.redis.keys('slackLink:*')).filter((name) => !before.has(name));
    expect(key).not.toContain(secretIn(path));
    const left = await one.redis.pttl(key);
    expect([left > 590_000, left <= 600_000]).toEqual([true, true]);
    await one.redis.del(key);
    expect((await get(team.owner, path)).status).toBe(404);
  });

  test('does nothing on a click from another site or for a stranger', async () => {
    const ann = speaker(team, 'U0EVIL');
    const link = secretIn(pathIn(await ann.say('link')));
    const foreign = await ask(`${one.url}/dashboard/slack`, {
      method: 'POST',
      headers: { Cookie: team.owner.cookie, Origin: 'https://evil.example' },
      body: new URLSearchParams({ link }),
    });
    expect(foreign.status).toBe(403);
    const elsewhere = await slackTeam();
    const stranger = await post(elsewhere.owner, '/dashboard/slack', { link });
    expect(stranger.status).toBe(400);
    expect(stranger.text).toContain('You are no member of this tenant.');
    expect(await ann.say('mine')).toBe(NOT_LINKED);
  });

  test('says which account of theirs it would replace: somebody may have sent it', async () => {
    const ann = await linked(team, 'member');
    const own = await get(ann.person, pathIn(await ann.say('link')));
    expect(own.text).not.toContain('another account');
    const eve = await get(ann.person, pathIn(await speaker(team, 'U0EVE').say('link')));
    expect(eve.text).toContain(`another account there, <strong>${ann.id}</strong>`);
  });

  test('of another tenant of the person ties it there', async () => {
    const there = await slackTeam();
    const path = pathIn(await speaker(there, 'U0BOTH').say('link'));
    const session = { cookie: there.owner.cookie };
    expect((await post(session, '/dashboard/slack', { link: secretIn(path) })).status).toBe(200);
    expect(await speaker(there, 'U0BOTH').say('mine')).toBe(NOTHING);
    expect(await speaker(team, 'U0BOTH').say('mine')).toBe(NOT_LINKED);
  });
});

describe('an account', () => {
  test('has one member, and a member has one account', async () => {
    const [first, second] = await Promise.all([member(team.tenant, 'member'), member(team.tenant, 'member')]);
    const tie = async (id: string, person: Person) =>
      post(person, '/dashboard/slack', { link: secretIn(pathIn(await speaker(team, id).say('link'))) });
    await tie('U0OLD', first);
    await tie('U0NEW', first);
    expect(await speaker(team, 'U0OLD').say('mine')).toBe(NOT_LINKED);
    await tie('U0NEW', second);
    await speaker(team, 'U0NEW').say('reserve shelf');
    expect(await speaker(team, 'U0NEW').say('who shelf')).toContain(second.known.email);
    expect((await get(first, '/dashboard/slack')).text).toContain('You have linked no account');
    expect((await get(second, '/dashboard/slack')).text).toContain('U0NEW');
  });

  test('is unlinked on the page', async () => {
    const ann = await linked(team, 'member');
    expect(await ann.say('mine')).toBe(NOTHING);
    const gone = await post(ann.person, '/dashboard/slack/unlink');
    expect([gone.status, gone.to]).toEqual([303, '/dashboard/slack']);
    expect(await ann.say('mine')).toBe(NOT_LINKED);
    expect((await trail('slack.unlink'))[0]).toMatchObject({ details: { account: ann.id } });
    expect((await post(ann.person, '/dashboard/slack/unlink')).status).toBe(404);
  });
});
