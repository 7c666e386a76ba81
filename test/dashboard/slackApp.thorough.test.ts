/**
 * The page on which an owner registers the Slack app of the tenant (docs/specification.md#reserving-from-slack).
 */
import { describe, expect, test } from 'vitest';
import { ask } from '../support/ask.ts';
import { BOT_TOKEN, SIGNING_SECRET, TEAM } from '../support/fakeSlack.ts';
import { useSlack } from '../support/slackTeam.ts';
import { signIn, team } from '../support/tenancy.ts';
import { one, store } from '../support/twoInstances.ts';

useSlack();

async function newOwner() {
  const { tenant } = await team();
  const { cookie } = await signIn(store.redis, tenant, { role: 'owner', email: 'ann@id.example' });
  return (path: string, body?: Readonly<Record<string, string>>) =>
    ask(`${one.url}/dashboard/notices${path}`, {
      headers: { Cookie: cookie, Origin: one.url },
      ...(body && { method: 'POST', body: new URLSearchParams(body) }),
    });
}

describe('the Slack app', () => {
  test('is registered by a form, which shows its workspace, and is removed', async () => {
    const send = await newOwner();
    expect((await send('/slack')).text).toContain('Register the app');
    const put = await send('/slack', { botToken: ` ${BOT_TOKEN} `, signingSecret: SIGNING_SECRET });
    expect(put.to).toBe('/dashboard/notices/slack?done=saved');
    const page = (await send('/slack')).text;
    expect(page).toContain(TEAM.id);
    for (const secret of [BOT_TOKEN, SIGNING_SECRET]) expect(page).not.toContain(secret);
    expect((await send('/slack/delete', {})).to).toBe('/dashboard/notices/slack?done=deleted');
    expect((await send('/slack')).text).toContain('Register the app');
    expect((await send('/slack/delete', {})).status).toBe(404);
  });

  test('is refused if Slack refuses its token, and what was typed is not sent back', async () => {
    const send = await newOwner();
    const botToken = 'xoxb-wrong-token-of-nobody';
    const refused = await send('/slack', { botToken, signingSecret: SIGNING_SECRET });
    expect([refused.status, refused.text.includes('role="alert"'), refused.text.includes(botToken)]).toEqual([
      400,
      true,
      false,
    ]);
    expect((await send('/slack', { botToken: 'none', signingSecret: '' })).status).toBe(400);
  });
});
