/**
 * Shared holds (docs/specification.md#shared-holds) together with notes, sessions, groups, dry runs, and the answers
 * that say who is in the way.
 */
import { describe, expect, test } from 'vitest';
import type { ReserveItem, ReserveResult } from '../../src/contract/reservations.ts';
import { free, holdfast, release, reserve, useInstance } from '../support/instance.ts';
import { begin, end } from '../support/sessions.ts';

useInstance();

const share = (resource: string, requester: string, more: Partial<ReserveItem> = {}) =>
  reserve(resource, requester, { mode: 'SHARED', ...more });

describe('a SHARED hold', () => {
  test('has a note of its own, which check shows of the only holder', async () => {
    const a = await share('noted', 'a', { note: 'for a' });
    expect((await holdfast.check({ resource: 'noted' })).body).toMatchObject([{ note: 'for a', holders: 1 }]);
    const b = await share('noted', 'b', { note: 'for b' });
    expect((await holdfast.check({ resource: 'noted' })).body[0]).not.toHaveProperty('note');
    const mine = (await holdfast.check({ resource: 'noted', requester: 'b' })).body;
    expect(mine).toMatchObject([{ note: 'for b', mode: 'SHARED', holders: 2 }]);
    const listed = (await holdfast.active('?resource=noted')).body;
    expect(listed.map(({ requester, note, mode }) => [requester, note, mode]).sort()).toEqual([
      ['a', 'for a', 'SHARED'],
      ['b', 'for b', 'SHARED'],
    ]);
    expect(await release(a)).toEqual([]);
    expect(await release(b)).toEqual(['noted']);
  });

  test('lasts as long as its session, and ends with it while the others stay', async () => {
    const begun = await begin(holdfast, 'a');
    const { session, expiresAt } = begun;
    expect(await share('kept', 'a', { session })).toMatchObject({ status: 'ACQUIRED', mode: 'SHARED', expiresAt });
    const b = await share('kept', 'b');
    expect((await holdfast.check({ resource: 'kept', requester: 'a' })).body).toMatchObject([
      { holders: 2, expiresAt },
    ]);
    expect(await end(holdfast, begun)).toMatchObject({ status: 'ENDED', released: 1 });
    expect((await holdfast.check({ resource: 'kept' })).body).toMatchObject([{ requester: 'b', holders: 1 }]);
    expect(await release(b)).toEqual(['kept']);
    expect(await free('kept')).toBe(true);
  });

  test('is in the way of others without a requester, since several may share it', async () => {
    await share('busy', 'a');
    const heldBy = { resource: 'busy', requester: null, since: null, expiresAt: null, note: null };
    expect(await reserve('busy', 'w')).toMatchObject({ status: 'ALREADY_HELD', heldBy });
  });

  test('makes reservable false, also for its holder: the reserve would be EXCLUSIVE', async () => {
    await holdfast.register({ name: 'single', treePath: 'hall' }, { name: 'hall', group: true });
    for (const resource of ['plain', 'single']) {
      await share(resource, 'a');
      const { body } = await holdfast.check({ resource }, { resource, requester: 'a' }, { resource, requester: 'b' });
      expect(body.map(({ reservable }) => reservable)).toEqual([false, false, false]);
    }
  });

  test('is NOT_VALID for a group, also for one that was a pool; below a group, several can share a leaf', async () => {
    await holdfast.register({ name: 'shelf', capacity: 3 }, { name: 'folder', group: true });
    await holdfast.register({ name: 'shelf', group: true });
    for (const name of ['shelf', 'folder'])
      expect(await share(name, 'a')).toMatchObject({
        status: 'NOT_VALID',
        explanation: `NOT_VALID: ${name} is a group`,
      });
    await holdfast.register({ name: 'leaf', treePath: 'folder' });
    for (const requester of ['a', 'b'])
      expect(await share('leaf', requester)).toMatchObject({ status: 'ACQUIRED', mode: 'SHARED' });
  });

  test('is told by a dry run, which takes nothing', async () => {
    const ask = async (item: ReserveItem) =>
      (await holdfast.request<ReserveResult[]>('POST', '/api/v1/Reservation/reserve?dryRun=true', [item])).body[0];
    const item = { resource: 'tried', requester: 'b', mode: 'SHARED' as const };
    await share('tried', 'a');
    expect(await ask(item)).toMatchObject({ status: 'ACQUIRED', mode: 'SHARED', releaseToken: null });
    expect(await ask({ ...item, mode: 'EXCLUSIVE' })).toMatchObject({ status: 'ALREADY_HELD' });
    expect((await holdfast.check({ resource: 'tried' })).body).toMatchObject([{ holders: 1, requester: 'a' }]);
  });

  test('is not for a match: 400', async () => {
    const item = { match: { os: 'android' }, requester: 'a', mode: 'SHARED' };
    const { status, body } = await holdfast.request<string>('POST', '/api/v1/Reservation/reserve', [item]);
    expect([status, body]).toEqual([400, expect.stringContaining('[0].mode must not be SHARED')]);
  });
});
