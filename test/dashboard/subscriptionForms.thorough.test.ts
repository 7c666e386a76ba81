/**
 * Notices: who is sent the tenant's events (docs/specification.md#subscriptions), on the pages of those who may change
 * settings.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../support/ask.ts';
import { type DashboardService, startDashboard } from '../support/dashboard.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { sessionOf } from '../support/signingIn.ts';

let service: DashboardService;
let receiver: Receiver;
beforeAll(async () => {
  const TIERS = JSON.stringify({ Free: { notices: 3 } });
  const mail = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'holdfast@id.example' };
  const allowed = { WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_ALLOW_HTTP: 'true' };
  [service, receiver] = await Promise.all([startDashboard({ ...mail, ...allowed, TIERS }), startReceiver()]);
});
afterAll(() => Promise.all([service.stop(), receiver.stop()]));

let people = 0;

/** The owner of a new tenant. */
async function newOwner() {
  const who = `owner${people++}`;
  const Cookie = await sessionOf(who, { url: service.one.url, issuer: service.provider.issuer });
  const send = (path: string, body?: Readonly<Record<string, string>> | string) =>
    ask(`${service.one.url}/dashboard${path}`, {
      headers: { Cookie, Origin: service.one.url },
      ...(body !== undefined && { method: 'POST', body: new URLSearchParams(body) }),
    });
  return { email: `${who}@id.example`, send, see: async (path: string) => (await send(path)).text };
}

const plain = (html: string) =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

const formOf = (html: string) => /<form method="post"[^>]*id="subscription".*?<\/form>/s.exec(html)?.[0] ?? '';
const checkedIn = (html: string) =>
  [...formOf(html).matchAll(/name="types" value="(\w+)" checked/g)].map(([, type]) => type);
const secretIn = (html: string) => /id="secret-value">([^<]+)</.exec(html)?.[1];
const newId = (html: string) => /name="id" value="([^"]+)"/.exec(formOf(html))?.[1] ?? '';
/** The fields of a webhook, as its form sends them. */
const webhook = (id: string, more: Readonly<Record<string, string>> = {}) => ({
  ...{ id, kind: 'webhook', label: 'deployer', url: 'https://hooks.example.com/path?key=k3y5', prefix: '' },
  ...{ types: 'RESERVED', enabled: 'on' },
  ...more,
});

describe('a webhook', () => {
  test('is made by a form, and shows its secret once; the URL never', async () => {
    const { send, see } = await newOwner();
    const form = await see('/notices');
    expect(checkedIn(form)).toEqual(expect.arrayContaining(['RESERVED', 'ENDS_SOON', 'WANTED']));
    const id = newId(form);
    const made = await send('/notices', webhook(id));
    expect([made.status, secretIn(made.text)]).toEqual([200, expect.stringMatching(/^whsec_/)]);
    const list = await see('/notices');
    expect(plain(list)).toContain('deployer Webhook hooks.example.com Reserved all On');
    const one = await see(`/notices/one?id=${id}`);
    for (const page of [made.text, list, one]) expect(page).not.toContain('k3y5');
    for (const page of [list, one]) expect(secretIn(page)).toBeUndefined();
    const again = await send('/notices', webhook(id));
    expect([again.to, plain(await see('/notices')).match(/deployer Webhook/g)?.length]).toEqual([
      `/dashboard/notices/one?id=${id}&done=saved`,
      1,
    ]);
  });

  test('is changed, keeps its URL if none is typed, and is disabled', async () => {
    const { send, see } = await newOwner();
    const id = newId(await see('/notices'));
    await send('/notices', webhook(id));
    const { enabled: _, ...off } = webhook(id, { url: '', label: 'other', prefix: 'lab/', all: 'on' });
    expect((await send('/notices/one', off)).to).toBe(`/dashboard/notices/one?id=${id}&done=saved`);
    expect(plain(await see('/notices'))).toContain('other Webhook hooks.example.com All lab/… Off');
    const one = await see(`/notices/one?id=${id}`);
    expect(one).toContain('placeholder="unchanged: at hooks.example.com"');
    expect(one).toMatch(/name="all" checked/);
  });

  test('gets a new secret, and is deleted', async () => {
    const { send, see } = await newOwner();
    const id = newId(await see('/notices'));
    const made = await send('/notices', webhook(id));
    const rotated = await send('/notices/one/rotate', { id });
    expect(secretIn(rotated.text)).toMatch(/^whsec_/);
    expect(secretIn(rotated.text)).not.toBe(secretIn(made.text));
    expect((await send('/notices/one/delete', { id })).to).toBe('/dashboard/notices?done=deleted');
    expect((await send(`/notices/one?id=${id}`)).status).toBe(404);
    expect((await send('/notices/one?id=none')).status).toBe(400);
  });

  test('that cannot be says why, and keeps what was typed', async () => {
    const { send, see } = await newOwner();
    const id = newId(await see('/notices'));
    const refused = await send('/notices', webhook(id, { url: 'https://169.254.169.254/hook' }));
    expect([refused.status, /role="alert">([^<]*)/.exec(refused.text)?.[1]]).toEqual([
      400,
      expect.stringMatching(/^Url /),
    ]);
    expect(refused.text).toContain('value="deployer"');
    const none = await send('/notices', { ...webhook(id), types: 'NONE' });
    expect([none.status, none.text]).toEqual([400, expect.stringContaining('value="deployer"')]);
  });

  test('beyond the limit of the tier is refused', async () => {
    const { send, see } = await newOwner();
    for (let i = 0; i < 3; i++) await send('/notices', webhook(newId(await see('/notices'))));
    const refused = await send('/notices', webhook(newId(await see('/notices'))));
    expect(refused.status).toBe(429);
  });
});

describe('a test', () => {
  test('is sent by a button, and stands among the last deliveries with what became of it', async () => {
    const { send, see } = await newOwner();
    const id = newId(await see('/notices'));
    await send('/notices', webhook(id, { url: `${receiver.url}/hook` }));
    expect(plain(await see(`/notices/one?id=${id}`))).toContain('Nothing has been sent yet.');
    const tested = plain((await send('/notices/one/test', { id })).text);
    expect(tested).toMatch(/The test has arrived after \d+ ms: 2\d\d: arrived\./);
    expect(tested).toMatch(/Last deliveries .* test 1 2\d\d: arrived/);
    await send('/notices/one', webhook(id, { url: 'http://127.0.0.1:9/hook' }));
    const failed = await send('/notices/one/test', { id });
    expect(plain(failed.text)).toMatch(/The test has failed after \d+ ms: /);
    expect(failed.text).toContain('class="notice bad"');
  });
});

describe('Slack and e-mail', () => {
  test('have forms of their own', async () => {
    const { send, see, email } = await newOwner();
    const slack = await see('/notices?kind=slack');
    expect(checkedIn(slack)).toEqual(['RESET', 'ENDS_SOON', 'WANTED']);
    const url = 'https://hooks.slack.com/services/T1/B1/secret';
    const made = await send('/notices', webhook(newId(slack), { kind: 'slack', label: 'lab', url }));
    expect(made.status).toBe(303);
    const mail = await see('/notices?kind=email');
    const form = { ...webhook(newId(mail), { kind: 'email', label: 'us' }), url: '', addresses: ` ${email}\r\n` };
    expect((await send('/notices', form)).status).toBe(303);
    const stranger = { ...form, id: newId(mail).replace(/^./, '0'), addresses: 'stranger@bank.example' };
    expect((await send('/notices', stranger)).status).toBe(400);
    const text = plain(await see('/notices'));
    expect(text).toContain('lab Slack hooks.slack.com Reserved all On');
    expect(text).toContain(`us E-mail ${email} Reserved all On`);
  });
});
