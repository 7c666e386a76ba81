/**
 * Lists take no memory for their length.
 */
import { spawn } from 'node:child_process';
import { describe, expect, inject, test } from 'vitest';
import { createClient } from '../support/client.ts';
import { makeConfiguredKey, makeTenant } from '../support/service.ts';
import { until } from '../support/until.ts';

describe('a list takes no memory for its length', () => {
  test('an instance with a small heap answers four lists of 40 MB at the same time', async () => {
    const key = makeConfiguredKey(makeTenant());
    const child = spawn(process.execPath, ['--max-old-space-size=128', inject('programs').service], {
      env: { ...process.env, REDIS_URL: inject('redisUrl'), PORT: '0', ROLE: 'api', API_KEYS: JSON.stringify([key]) },
    });
    try {
      let output = '';
      child.stdout.on('data', (text) => {
        output += text;
      });
      const [, url = ''] = await until('the instance', () => /"url":"([^"]+)"/.exec(output), 30_000);
      const small = createClient(url, key.key);
      const treePath = Array.from({ length: 16 }, (_, i) => `${i}`.padEnd(250, '-')).join('>');
      for (let from = 0; from < 10_000; from += 200) {
        const items = Array.from({ length: 200 }, (_, i) => ({ name: `deep${from + i}`, treePath }));
        expect((await small.register(...items)).status).toBe(200);
      }
      const sizes = await Promise.all(
        ['definitions', 'definitions', 'tree', 'tree'].map(async (list) => {
          const answer = await fetch(`${url}/api/v1/Resource/${list}`, { headers: { 'X-Api-Key': key.key } });
          let bytes = 0;
          for await (const chunk of answer.body ?? []) bytes += chunk.length;
          return bytes;
        }),
      );
      for (const bytes of sizes) expect(bytes).toBeGreaterThan(40_000_000);
      expect(child.exitCode).toBeNull();
    } finally {
      child.kill('SIGKILL');
    }
  });
});
