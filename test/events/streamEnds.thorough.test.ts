/** The end of streams while Redis does not answer (docs/specification.md#events). */
import { describe, expect, test } from 'vitest';
import { startRedis } from '../../scripts/redisServer.ts';
import { startInstance } from '../support/service.ts';
import { useStreams, watch } from '../support/streams.ts';
import { until } from '../support/until.ts';

useStreams();

describe('a stream that may have missed something ends', () => {
  test('when Redis stops answering, within seconds', async () => {
    const server = await startRedis(() => {});
    const holdfast = await startInstance({ redisUrl: server.url });
    const stream = await watch(holdfast);
    process.kill(server.pid, 'SIGSTOP');
    await until('it ends', () => stream.ended === 'in good order', 15_000);
    expect((await holdfast.request('GET', '/api/v1/events')).status).toBe(503);
    process.kill(server.pid, 'SIGCONT');
    await holdfast.stop();
    await server.stop();
  });
});
