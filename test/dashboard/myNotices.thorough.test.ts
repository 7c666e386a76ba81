/**
 * What people choose to be told, and the pages that messages lead to (docs/specification.md#personal-notices).
 */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noticePath, unsubscribePath } from '../../src/domain/personalNotices.ts';
import { Sealer } from '../../src/identity/credentials.ts';
import { unsubscribeToken } from '../../src/operations/unsubscribe.ts';
import { users } from '../../src/store/schema.ts';
import { ask } from '../support/ask.ts';
import { type Client, createClient } from '../support/client.ts';
import { type DashboardService, startDashboard } from '../support/dashboard.ts';
import { sessionOf, tenantOf } from '../support/signingIn.ts';
import { KEY_SECRET, type OpenStore, openStore } from '../support/tenancy.ts';

let service: DashboardService;
let store: OpenStore;
beforeAll(async () => {
  service = await startDashboard({ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'holdfast@id.example' });
  store = await openStore(service.env.DATABASE_URL ?? '');
});
afterAll(async () => {
  await store.close();
  await service.stop();
});

let people = 0;

/** Somebody new, who has signed in to a tenant of their own. */
async function newPerson(who = `person${people++}`) {
  const cookie = await sessionOf(who, { url: service.one.url, issuer: service.provider.issuer });
  const send = (path: string, body?: string | Readonly<Record<string, string>>, headers: object = {}) =>
    ask(`${service.one.url}${path}`, {
      headers: { Cookie: cookie, Origin: service.one.url, ...headers },
      ...(body !== undefined && { method: 'POST', body: new URLSearchParams(body) }),
    });
  const overview = await send('/dashboard/overview?show');
  const key = /id="key-value">([^<]+)</.exec(overview.text)?.[1] ?? '';
  const chosen = async () =>
    [...(await send('/dashboard/mine/notices')).text.matchAll(/name="(\w+)" value="(\w+)" checked/g)].map(
      ([, what, channel]) => `${what} ${channel}`,
    );
  const client: Client = createClient(service.one.url, key);
  return { who, email: `${who}@id.example`, tenant: tenantOf(cookie), cookie, send, chosen, client };
}

const plain = (html: string) =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
const MINE = '/dashboard/mine/notices';

describe('My notices', () => {
  test('begins with nothing, and keeps what the person chooses', async () => {
    const { send, chosen, email } = await newPerson();
    expect(await chosen()).toEqual([]);
    const saved = await send(MINE, 'TURN=email&TURN=browser&TAKEN=email');
    expect(saved.to).toBe(`${MINE}?done=saved`);
    expect(await chosen()).toEqual(['TURN email', 'TURN browser', 'TAKEN email']);
    const page = (await send(MINE)).text;
    expect(plain(page)).toContain(`E-mail goes to ${email}.`);
    expect(page).toContain('data-tell="TURN"');
    await send(MINE, '');
    expect(await chosen()).toEqual([]);
  });

  test('offers no channel that cannot be used, says why, and refuses it', async () => {
    const { send, chosen } = await newPerson('unverified');
    const page = (await send(MINE)).text;
    expect(page).toMatch(/name="TURN" value="browser"/);
    expect(page).not.toMatch(/name="TURN" value="(email|slack)"/);
    expect(plain(page)).toContain('has not verified an e-mail address of yours');
    const refused = await send(MINE, 'TURN=email');
    expect([refused.status, await chosen()]).toEqual([400, []]);
    expect((await send(MINE, 'TURN=pigeon')).status).toBe(400);
  });
});

describe('Join the queue', () => {
  const wait = { resource: 'printer', act: 'wait', lease: '1800' };

  test('offers e-mail by a box, until it is chosen', async () => {
    const { client, send, chosen, email } = await newPerson();
    await client.reserve({ resource: 'printer', requester: 'ci', ttlSeconds: 600 });
    const form = await send('/dashboard/reserve?resource=printer');
    expect(plain(form.text)).toContain(`Tell me by e-mail when it is my turn, at ${email}`);
    await send('/dashboard/reserve', wait);
    expect(await chosen()).toEqual([]);
    await send('/dashboard/leave-queue', { resource: 'printer', requester: `person:${email}` });
    const joined = await send('/dashboard/reserve', { ...wait, tell: 'email' });
    expect(joined.to).toContain('done=waiting');
    expect(await chosen()).toEqual(['TURN email']);
    const again = await send('/dashboard/reserve?resource=printer');
    expect(again.text).not.toContain('name="tell"');
    expect(plain(again.text)).toContain('You are told by e-mail when it is your turn.');
  });

  test('offers none to those without a verified address', async () => {
    const { client, send } = await newPerson('unverified');
    await client.reserve({ resource: 'printer', requester: 'ci', ttlSeconds: 600 });
    expect((await send('/dashboard/reserve?resource=printer')).text).not.toContain('name="tell"');
  });
});

describe('the page that a message links to', () => {
  test('asks for sign-in first', async () => {
    const path = noticePath('acme', 'TURN', 'printer');
    expect((await ask(`${service.one.url}${path}`)).to).toBe(`/dashboard/sign-in?${new URLSearchParams({ to: path })}`);
  });

  test('shows the resource with what the person can do, and does nothing itself', async () => {
    const { client, send, email, tenant } = await newPerson();
    const requester = `person:${email}`;
    await client.reserve({ resource: 'printer', requester, ttlSeconds: 600 });
    const path = noticePath(tenant, 'ENDS_SOON', 'printer');
    const page = await send(path);
    expect(plain(page.text)).toMatch(/printer is yours until .* Extend printer .*Release printer/);
    expect((await client.active()).body).toMatchObject([{ resource: 'printer', requester }]);
    await send('/dashboard/release', { resource: 'printer', requester });
    expect(plain((await send(path)).text)).toMatch(/printer is free.*Reserve it/);
  });

  test('offers the switch, if it is of another tenant of the person', async () => {
    const { send, tenant, who, client } = await newPerson();
    const other = await newPerson();
    const link =
      /\/join\/[0-9a-f]{40}/.exec((await other.send('/dashboard/access', { role: 'member' })).text)?.[0] ?? '';
    await send(link, {});
    const back = await newPerson(who);
    const here = back.tenant === tenant ? other.tenant : tenant;
    const path = noticePath(here, 'TURN', 'printer');
    const page = await back.send(path);
    expect(page.text).toContain('action="/dashboard/switch"');
    expect((await back.send('/dashboard/switch', { tenant: here, to: path })).to).toBe(path);
    const again = await newPerson(who);
    expect((await again.send('/dashboard/switch', { tenant, to: '//evil.example' })).to).toBe('/dashboard');
    expect((await client.active()).body).toEqual([]);
  });

  test('says so, if it is of a tenant of strangers', async () => {
    const { send } = await newPerson();
    expect(plain((await send(noticePath('strangers', 'TURN', 'printer'))).text)).toContain('you are no member');
  });
});

describe('unsubscribing', () => {
  /** Somebody who is told by e-mail, and the address of the link in the messages. */
  async function told() {
    const person = await newPerson();
    await person.send(MINE, 'TURN=email&WANTED=email&WANTED=browser');
    const [user] = await store.database.run((db) => db.select().from(users).where(eq(users.email, person.email)));
    const sources = [{ tenant: person.tenant, userId: user?.id ?? '', notice: 'TURN' as const }];
    const token = await unsubscribeToken(new Sealer(KEY_SECRET), { address: person.email, sources });
    return { ...person, link: `${service.one.url}${unsubscribePath(token)}` };
  }

  test('takes one click and no sign-in; opening the link changes nothing', async () => {
    const { link, chosen, email } = await told();
    const page = await ask(link);
    expect(plain(page.text)).toContain(`End this e-mail to ${email} ?`);
    expect(await chosen()).toEqual(['TURN email', 'WANTED email', 'WANTED browser']);
    const ended = await ask(link, {
      method: 'POST',
      body: new URLSearchParams(),
      headers: { Origin: service.one.url },
    });
    expect([ended.status, plain(ended.text)]).toEqual([200, expect.stringContaining(`${email} gets no more`)]);
    expect(await chosen()).toEqual(['WANTED browser']);
  });

  test('is done by mail programs, which send no origin and no cookie', async () => {
    const { link, chosen } = await told();
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    expect((await ask(link, { method: 'POST', body })).status).toBe(200);
    expect(await chosen()).toEqual(['WANTED browser']);
    expect((await ask(link, { method: 'POST', body })).status).toBe(200);
  });

  test('needs the token of a message', async () => {
    const link = `${service.one.url}/dashboard/unsubscribe`;
    expect((await ask(`${link}?token=guessed`)).status).toBe(404);
    expect((await ask(link, { method: 'POST', body: new URLSearchParams() })).status).toBe(404);
  });
});
