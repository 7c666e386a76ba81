/**
 * Commands in Slack, carried out on a real service (docs/specification.md#reserving-from-slack).
 */
import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { members } from '../../src/store/schema.ts';
import { createClient } from '../support/client.ts';
import { linked, lockTenant, type SlackTeam, slackTeam, useSlack } from '../support/slackTeam.ts';
import { type Session, signIn, somebodyWaits } from '../support/tenancy.ts';
import { one, other, store } from '../support/twoInstances.ts';

useSlack();

let team: SlackTeam;
beforeAll(async () => {
  team = await slackTeam();
});

const api = () => createClient(other.url, team.key);
/** Without times, which Slack shows in the reader's zone. */
const plain = (text: string) => text.replace(/<!date[^>]*>/g, 'T').replaceAll('*', '');
const leaseOf = async (resource: string) => {
  const { expiresAt } = (await api().check({ resource })).body[0] ?? {};
  return expiresAt ? Math.round((Date.parse(expiresAt) - Date.now()) / 60_000) : null;
};

describe('a member', () => {
  test('reserves for a time with a note, extends and releases', async () => {
    const ann = await linked(team, 'member');
    expect(plain(await ann.say('reserve staging 2h release 1.4'))).toBe('You have staging until T.');
    const [held] = (await api().check({ resource: 'staging' })).body;
    expect(held).toMatchObject({ requester: `person:${ann.person.known.email}`, note: 'release 1.4' });
    expect(await leaseOf('staging')).toBe(120);
    expect(plain(await ann.say('reserve staging 1h'))).toBe('You have staging already, until T.');
    expect(plain(await ann.say('extend staging 30m'))).toBe('You have staging until T.');
    expect(await leaseOf('staging')).toBe(150);
    expect(plain(await ann.say('mine'))).toBe('staging until T (release 1.4)');
    expect(plain(await ann.say('release staging'))).toBe('staging is released.');
    expect(plain(await ann.say('release staging'))).toBe('staging was not released. Nobody holds it.');
    expect(await ann.say('mine')).toBe('You have nothing, and wait for nothing.');
  });

  test('has it for an hour, or what the tenant allows, if no time is given', async () => {
    const ann = await linked(team, 'member');
    await ann.say('reserve hourly');
    expect(await leaseOf('hourly')).toBe(60);
    await ann.say('extend hourly');
    expect(await leaseOf('hourly')).toBe(120);
  });

  test('joins the queue, sees the place, is granted and takes it by the same command', async () => {
    const [ann, bob, eve] = await Promise.all([linked(team, 'member'), linked(team, 'member'), linked(team, 'member')]);
    await ann.say('reserve rig');
    expect(plain(await bob.say('reserve rig 2h'))).toBe('rig is in use. You are 1st in the queue.');
    expect(plain(await eve.say('reserve rig'))).toBe('rig is in use. You are 2nd in the queue.');
    expect(plain(await eve.say('mine'))).toBe('rig: You are 2nd in the queue.');
    expect(plain(await eve.say('release rig'))).toBe('You no longer wait for rig.');
    expect(plain(await ann.say('who rig'))).toBe(
      `rig: ${ann.person.known.email} until T.\n1 waiting: ${bob.person.known.email}.`,
    );
    await ann.say('release rig');
    expect(plain(await bob.say('mine'))).toBe('rig: it is your turn. Take it until T.');
    expect(plain(await bob.click('Take it'))).toBe('You have rig until T.');
  });

  test('presses buttons that do the same', async () => {
    const ann = await linked(team, 'member');
    expect(plain(await ann.say('who desk'))).toBe('desk free.');
    expect(plain(await ann.click('Reserve'))).toBe('You have desk until T.');
    expect(plain(await ann.click('Extend by 1 h'))).toBe('You have desk until T.');
    expect(await leaseOf('desk')).toBe(120);
    expect(plain(await ann.click('Release'))).toBe('desk is released.');
  });

  test('learns who has what of a pool, and what is in the way', async () => {
    await api().register({ name: 'gpu', capacity: 2 }, { name: 'lab' }, { name: 'bench', treePath: 'lab' });
    await api().reserve({ resource: 'gpu', requester: '<!channel> & co', ttlSeconds: 60 });
    await api().reserve({ resource: 'lab', requester: 'cleaner' });
    const ann = await linked(team, 'member');
    expect(await ann.say('who gpu')).toContain('&lt;!channel&gt; &amp; co');
    expect(plain(await ann.say('who gpu'))).toMatch(/^gpu: 1 of 2 free\.\n• gpu/);
    expect(plain(await ann.say('who bench'))).toContain('lab, to which it belongs, is in use.');
    expect(plain(await ann.say('release gpu'))).toBe('gpu was not released. Somebody else holds it.');
    expect(plain(await ann.say('extend gpu'))).toBe('gpu was not extended. Somebody else holds it.');
  });

  test('is shown what fits into a message, however long the names are that others have chosen', async () => {
    await api().register({ name: 'farm', capacity: 8 });
    for (let i = 0; i < 8; i++)
      await api().reserve({ resource: 'farm', requester: `${i}${'&'.repeat(200)}`, note: '<'.repeat(200) });
    const ann = await linked(team, 'member');
    const { message } = await ann.ask('who farm');
    const [first] = message?.blocks ?? [];
    const text = first?.type === 'section' ? first.text.text : '';
    expect(text).toMatch(/^\*farm\*: 0 of 8 in use\.\n• .*\n…$/s);
    expect(text.length).toBeLessThanOrEqual(3000);
    expect(await ann.say('&'.repeat(4000))).toMatch(/^There is no command “(&amp;)+… `\/holdfast help`/);
  });

  test('is told what is wrong with a command', async () => {
    const ann = await linked(team, 'member');
    expect(await ann.say('staging')).toBe('There is no command “staging”. `/holdfast help` lists the commands.');
    expect(await ann.say('reserve staging 400d')).toBe('The time is too long.');
    expect(await ann.say(`who ${'x'.repeat(257)}`)).toBe('Resource must be 1 to 256 characters long.');
    expect(await ann.say('help')).toContain('/holdfast reserve staging 2h release 1.4');
  });
});

describe('the rights', () => {
  test('are those of the role at that moment', async () => {
    const ann = await linked(team, 'viewer');
    expect(await ann.say('reserve mine')).toBe('Your role in this tenant does not allow this.');
    expect(plain(await ann.say('who mine'))).toBe('mine free.');
    const change = (role: string) =>
      team.owner.request(one.url, 'PUT', `/api/v1/Tenant/members/${ann.person.id}`, { role });
    expect((await change('member')).status).toBe(200);
    expect(plain(await ann.say('reserve mine'))).toBe('You have mine until T.');
    expect((await change('viewer')).status).toBe(200);
    expect(await ann.say('release mine')).toBe('Your role in this tenant does not allow this.');
  });

  test('are the new ones, if the role changes while a command is carried out', async () => {
    const ann = await linked(team, 'member');
    const { free } = await lockTenant(team.tenant, (tx) =>
      tx.update(members).set({ role: 'viewer' }).where(eq(members.userId, ann.person.id)),
    );
    const said = ann.say('reserve attic');
    await vi.waitUntil(() => somebodyWaits(store.database));
    await free();
    expect(await said).toBe('Your role in this tenant does not allow this.');
  });

  test('never include force, and leave the sessions of the dashboard as they are', async () => {
    const [ann, root] = await Promise.all([linked(team, 'member'), linked(team, 'operator')]);
    await ann.say('reserve annex');
    for (const command of ['release annex', 'extend annex'])
      expect(plain(await root.say(command))).toContain('Somebody else holds it.');
    const force = async ({ request }: Pick<Session, 'request'>) => {
      const items = [{ resource: 'annex', requester: `person:${ann.person.known.email}` }];
      return (await request(one.url, 'POST', '/api/v1/Reservation/unreserve', items)).body;
    };
    // The session that commands have.
    const inSlack = await signIn(store.redis, team.tenant, { role: 'operator', isInSlack: true });
    expect(await force(inSlack)).toMatchObject([{ explanation: 'INVALID_RELEASE_TOKEN' }]);
    expect(await force(root.person)).toMatchObject([{ status: 'RELINQUISHED' }]);
  });

  test('end with the membership', async () => {
    const ann = await linked(team, 'member');
    await ann.say('reserve door');
    const gone = await team.owner.request(one.url, 'DELETE', `/api/v1/Tenant/members/${ann.person.id}`);
    expect(gone.status).toBe(200);
    expect(await ann.say('release door')).toBe('Your account is not linked yet. `/holdfast link` does it.');
  });

  test('end while the tenant is suspended', async () => {
    const suspended = await slackTeam();
    const ann = await linked(suspended, 'member');
    const admin = await signIn(store.redis, team.tenant, { email: 'root@id.example' });
    const change = (what: string) =>
      admin.request(one.url, 'POST', `/api/v1/admin/tenants/${suspended.tenant}/${what}`);
    expect((await change('suspend')).status).toBe(200);
    expect(await ann.say('mine')).toMatch(/suspended/);
    expect((await change('resume')).status).toBe(200);
    expect(await ann.say('mine')).toBe('You have nothing, and wait for nothing.');
  });
});
