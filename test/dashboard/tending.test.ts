/**
 * People who clean and repair: they reserve what is not ready by the form, wait for it, and release it as clean; and
 * pages say what those who wait want a slot for (docs/specification.md#dashboard-and-sign-in).
 */
import { describe, expect, test } from 'vitest';
import { lab, plain, REQUESTER, rowsOf, useLab } from '../support/lab.ts';

useLab();

const NOTE = { note: 'wipe', lease: '1800' };

/** A lab with a dirty phone, one that is out of service, and one that is in use. */
async function dirtyLab(role: 'member' | 'operator' = 'member') {
  const one = await lab(role);
  await one.client.register({ name: 'soiled' }, { name: 'broken' }, { name: 'busy', afterUse: 'dirty' });
  for (const name of ['soiled', 'busy']) await one.set(name, name === 'busy' ? 'ready' : 'dirty');
  await one.set('broken', 'out', 'display dark');
  const [bob] = (await one.client.reserve({ resource: 'busy', requester: 'bob', ttlSeconds: 3000 })).body;
  if (bob === undefined) throw new Error('bob has not got what he asked for');
  const own = async () => (await one.client.active(`?requester=${REQUESTER}`)).body;
  return { ...one, own, bob };
}

describe('the form reserves what is to be cleaned', () => {
  test('from a link in the row of what is dirty, for members', async () => {
    const { see, send, own } = await dirtyLab();
    expect(await see('')).toContain('href="/dashboard/reserve?resource=soiled&amp;condition=dirty"');
    const form = await see('/reserve?resource=soiled&condition=dirty');
    expect(plain(form)).toContain('Reserve soiled to clean');
    expect(form).toMatch(/<option value="dirty" selected/);
    const done = await send('/reserve', { resource: 'soiled', condition: 'dirty', act: 'reserve', ...NOTE });
    expect(done.to).toMatch(/done=reserved&what=soiled/);
    expect(await own()).toMatchObject([{ resource: 'soiled', condition: 'dirty' }]);
  });

  test('and what is out of service for those who may define; members do not see that choice, and are refused', async () => {
    const operator = await dirtyLab('operator');
    expect(rowsOf(await operator.see('')).get('broken')).toContain('Repair it … broken');
    const form = { resource: 'broken', condition: 'out', act: 'reserve', ...NOTE };
    expect((await operator.send('/reserve', form)).status).toBe(303);
    expect(await operator.own()).toMatchObject([{ resource: 'broken', condition: 'out' }]);
    const member = await dirtyLab();
    expect(rowsOf(await member.see('')).get('broken')).not.toContain('Repair');
    expect(await member.see('/reserve?resource=broken')).not.toContain('value="out"');
    expect((await member.send('/reserve', form)).status).toBe(403);
    expect(await member.own()).toEqual([]);
  });

  test('and says why not, and offers to wait, if there is none in that condition', async () => {
    const { see, send } = await dirtyLab();
    expect(plain(await see('/reserve?resource=busy&condition=dirty'))).toContain('Join the queue for busy to clean');
    const refused = await send('/reserve', { resource: 'busy', condition: 'dirty', act: 'reserve', ...NOTE });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('name="act" value="wait"');
    const unknown = await send('/reserve', { resource: 'busy', condition: 'tidy', act: 'reserve', ...NOTE });
    expect([unknown.status, plain(unknown.text)]).toEqual([
      400,
      expect.stringContaining('Condition must be one of dirty, out.'),
    ]);
  });
});

describe('what was cleaned', () => {
  test('is released as clean from the Board and from Mine, and ready then', async () => {
    const { send, see, own, notReady } = await dirtyLab();
    await send('/reserve', { resource: 'soiled', condition: 'dirty', act: 'reserve', ...NOTE });
    expect(rowsOf(await see('')).get('soiled')).toContain('Release as clean soiled Release soiled');
    expect(plain(await see('/mine'))).toMatch(/soiled to clean .* Release as clean soiled/);
    const form = { resource: 'soiled', requester: REQUESTER, condition: 'ready' };
    const released = await send('/release', form);
    expect(released.to).toContain('done=readied&what=soiled');
    expect(await own()).toEqual([]);
    expect(await notReady('soiled')).toEqual([['soiled', 'ready']]);
    const page = await send(released.to?.replace('/dashboard', '') ?? '');
    expect(plain(page.text)).toContain('soiled is released, and ready to use.');
    expect(page.text).not.toContain('action="/dashboard/undo"');
  });

  test('stays dirty if it is only released, which cannot be undone', async () => {
    const { send, notReady } = await dirtyLab();
    await send('/reserve', { resource: 'soiled', condition: 'dirty', act: 'reserve', ...NOTE });
    const released = await send('/release', { resource: 'soiled', requester: REQUESTER });
    expect(await notReady('soiled')).toEqual([['soiled', 'dirty']]);
    const page = await send(released.to?.replace('/dashboard', '') ?? '');
    expect(page.text).not.toContain('action="/dashboard/undo"');
  });
});

describe('a cleaner who waits', () => {
  test('is shown with that in the queue and on Mine, and stands in the way of no user', async () => {
    const { client, send, see } = await dirtyLab();
    await send('/reserve', { resource: 'busy', condition: 'dirty', act: 'wait', ...NOTE });
    await client.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
      { resource: 'busy', requester: 'carl', ttlSeconds: 600, waitSeconds: 600 },
    ]);
    const [, queue = ''] =
      /aria-labelledby="queue-title"(.*?)<\/section>/s.exec(await see('/resources/one?name=busy')) ?? [];
    expect(plain(queue)).toMatch(/You .*to clean · wants 30 min .*when it is to be cleaned/);
    expect(plain(queue)).toMatch(/carl .*wants 10 min .* about \d/);
    expect(plain(await see('/mine'))).toMatch(/busy to clean since .*when it is to be cleaned/);
  });

  test('gets it once it is dirty, takes it, and releases it as clean to the next user', async () => {
    const { client, send, own, bob } = await dirtyLab();
    await send('/reserve', { resource: 'busy', condition: 'dirty', act: 'wait', ...NOTE });
    const carl = { resource: 'busy', requester: 'carl', ttlSeconds: 600, waitSeconds: 600 };
    await client.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [carl]);
    await client.unreserve(bob);
    expect(await own()).toMatchObject([{ resource: 'busy', condition: 'dirty', claimBy: expect.any(String) }]);
    expect((await send('/claim', { resource: 'busy' })).to).toContain('done=reserved');
    expect(await own()).toMatchObject([{ resource: 'busy', condition: 'dirty', claimBy: null }]);
    await send('/release', { resource: 'busy', requester: REQUESTER, condition: 'ready' });
    expect((await client.active()).body).toMatchObject([{ resource: 'busy', requester: 'carl' }]);
  });
});
