/**
 * Two versions of the code side by side on the same data, as in a rolling update: scripts of either work on what the
 * other's wrote, and are found by their own text, whatever Redis has forgotten.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LUA_FOLDER } from '../../src/redis/luaFiles.ts';
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
