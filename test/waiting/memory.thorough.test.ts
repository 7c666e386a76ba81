/**
 * The memory of long polls (docs/specification.md#waiting).
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { expect, inject, test } from 'vitest';
import { z } from 'zod';
import { wanted } from '../support/polls.ts';
import { redisAddress } from '../support/redisAddress.ts';
import { makeConfiguredKey, makeTenant } from '../support/service.ts';
import { until } from '../support/until.ts';

const CALLS = 5000;
const IDLE = 1000;
/** With the connection. Measured: 21 KB, of which 5 KB are the connection. */
const MAX_BYTES = 23 * 1024;
const Memory = z.object({ heapUsed: z.number(), external: z.number(), rss: z.number() });

test('a long poll takes at most 23 KiB of an instance, with its connection', async () => {
  const key = makeConfiguredKey(makeTenant());
  const redis = new Redis(redisAddress(inject('redisUrl')));
  const { PATH = '', HOME = '' } = process.env;
  const child = fork(fileURLToPath(new URL('../support/measured.ts', import.meta.url)), {
    execArgv: ['--expose-gc', '--import', 'tsx'],
    env: {
      PATH,
      HOME,
      PORT: '0',
      ROLE: 'api',
      LOG_LEVEL: 'info',
      REDIS_URL: inject('redisUrl'),
      API_KEYS: JSON.stringify([key]),
      TIERS: '{"Enterprise": {"writesPerMinute": null, "reservations": null}}',
    },
    silent: true,
  });
  let output = '';
  child.stdout?.on('data', (text) => {
    output += text;
  });
  const [, port = ''] = await until('the instance', () => /"url":"http:\/\/127.0.0.1:(\d+)"/.exec(output));
  const sockets: Socket[] = [];
  const call = (path: string, body: unknown) => {
    const text = JSON.stringify(body);
    const socket = connect(Number(port), '127.0.0.1');
    sockets.push(socket);
    const head = `POST /api/v1/Reservation/${path} HTTP/1.1\r\nHost: h\r\nX-Api-Key: ${key.key}`;
    socket.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
    return socket;
  };
  const measure = async () => {
    const told = once(child, 'message');
    child.send('measure');
    const { heapUsed, external, rss } = Memory.parse((await told)[0]);
    return { used: heapUsed + external, rss };
  };
  await once(call('reserve', [{ resource: 'r', requester: 'owner' }]), 'data');
  let waiting = 0;
  const holdMore = async (count: number) => {
    for (let i = 0; i < count; i++) {
      call('reserve?pollSeconds=30', [wanted('r', `w${waiting++}`)]);
      if (i % 100 === 99)
        await until('they wait', async () => (await redis.hlen(`{${key.tenant}}:tickets`)) >= waiting);
    }
  };
  const idle = async (count: number) => {
    const answered = Array.from({ length: count }, () => once(call('check', [{ resource: 'r' }]), 'data'));
    await Promise.all(answered);
  };
  await holdMore(500);
  await idle(100);
  const atFirst = await measure();
  await idle(IDLE);
  const before = await measure();
  await holdMore(CALLS);
  const after = await measure();
  const bytes = Math.round((after.used - before.used) / CALLS);
  const connection = Math.round((before.used - atFirst.used) / IDLE);
  const rss = Math.round((after.rss - before.rss) / CALLS);
  console.log(`a long poll takes ${bytes} bytes (resident ${rss}), an idle connection ${connection}`);
  for (const socket of sockets) socket.destroy();
  child.kill('SIGKILL');
  redis.disconnect();
  expect(bytes).toBeLessThan(MAX_BYTES);
});
