/**
 * Two versions of the code side by side on the same data, as in a rolling update: scripts of either work on what the
 * other's wrote, and are found by their own text, whatever Redis has forgotten.
 *
 * Arguments and replies may change freely. For stored data:
 * - New scripts read what old scripts wrote. A missing field means what was true before the field existed.
 * - Old scripts read what new scripts write, and leave it correct.
 * - Names of keys, channels and queues stay, and their contents keep their meaning. Otherwise keep the new one beside
 *   the old one until no old script runs.
 * - Events may get fields; none may be removed. The first line of a message of events says its form
 *   (lua/events/events.lua): an instance that does not know the form ends its streams, so that readers connect again.
 * - A form that the previous release cannot read takes two releases: the first reads both and writes the old one, the
 *   second writes the new one and relies on it. So does a field that other scripts must keep up to date. A further
 *   field of a reservation takes one release: older scripts keep it. On a ticket, an older instance that changes it
 *   drops it.
 *
 * Such a change adds the old form to this test, as literal bytes. Until 0.1.0 there is no old form: a change of stored
 * data just changes it, and its line in the changelog says that Redis and the database start empty.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LUA_FOLDER } from '../../src/redis/bundle.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { watch } from '../support/watch.ts';

/** Text of another version: all scripts include it, so all of them differ. */
const clock = `-- another version\n${readFileSync(join(LUA_FOLDER, 'frame', 'clock.lua'), 'utf8')}`;

describe('two versions of the scripts', () => {
  test('serve the same tenant at the same time', async () => {
    const keys = [makeConfiguredKey(makeTenant())];
    const [old, young] = await Promise.all([
      startInstance({ keys }),
      startInstance({ keys, includes: { 'frame/clock': clock } }),
    ]);
    await old.register(
      { name: 'pool', capacity: 4, treePath: 'root', blocks: ['tool'] },
      { name: 'root', capacity: 9 },
    );
    const stream = await watch(old);
    for (const [taking, giving] of [
      [old, young],
      [young, old],
    ] as const) {
      const [result] = (await taking.reserve({ resource: 'pool', requester: 'r', ttlSeconds: 60 })).body;
      const token = { resource: 'pool', requester: 'r', releaseToken: result?.releaseToken ?? undefined };
      await taking.redis.script('FLUSH');
      await taking.redis.function('FLUSH');
      const again = await giving.reserve({ resource: 'pool', requester: 'r' });
      expect(again.body).toMatchObject([{ status: 'ALREADY_HAD', releaseToken: token.releaseToken }]);
      expect((await giving.renew({ ...token, ttlSeconds: 60 })).body).toMatchObject([{ status: 'RENEWED' }]);
      expect((await giving.unreserve(token)).body).toMatchObject([{ released: ['pool_0', 'root_0', 'tool'] }]);
    }
    expect((await stream.count(6)).map(({ type }) => type)).toEqual([
      'RESERVED',
      'RENEWED',
      'UNRESERVED',
      'RESERVED',
      'RENEWED',
      'UNRESERVED',
    ]);
    stream.close();
    await Promise.all([old.stop(), young.stop()]);
  });
});
