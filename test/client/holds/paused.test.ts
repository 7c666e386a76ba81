/** A process that is stopped for longer than its lease finds its signal aborted before a timer could tell it. */
import { spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Pair, startPair } from '../../support/clients.ts';
import { until } from '../../support/until.ts';

let pair: Pair;
beforeAll(async () => {
  pair = await startPair();
});
afterAll(() => pair.stop());

test('a process that was stopped finds its signal aborted at its next look, and its result is not trusted', async () => {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [inject('programs').stoppedHolder], {
    env: { PATH, URL: pair.one.url, KEY: pair.one.key },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    await until('it runs', () => output.includes('running'));
    expect(await pair.b.available('protected')).toBe(false);
    child.kill('SIGSTOP');
    const stoppedAt = performance.now();
    await using hold = await pair.b.reserve('protected', { wait: '20s' });
    await until('it would notice', () => performance.now() - stoppedAt > 1500);
    child.kill('SIGCONT');
    await ended;
    expect(output.trim().split('\n')).toEqual(['running', 'aborted', 'LEASE_LOST']);
    expect(await pair.a.check('protected')).toMatchObject({ requester: hold.requester });
  } finally {
    child.kill('SIGKILL');
  }
});
