/**
 * Where metrics are served: on a port of their own, and nowhere else.
 */
import { spawn } from 'node:child_process';
import { describe, expect, inject, test } from 'vitest';
import { Metrics, serveMetrics } from '../../src/telemetry/metrics.ts';
import { parseSamples } from '../support/samples.ts';
import { until } from '../support/until.ts';

describe('the port of the metrics', () => {
  test('answers GET /metrics as Prometheus reads it, and nothing else', async () => {
    const [server, url] = await serveMetrics(new Metrics(), '127.0.0.1', 0);
    const response = await fetch(url);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    expect(parseSamples(await response.text()).get('process_cpu_seconds_total')).toBeGreaterThan(0);
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const path of ['/', '/metrics/x', '/api/v1/events'])
      expect((await fetch(new URL(path, url))).status).toBe(404);
    expect((await fetch(url, { method: 'POST' })).status).toBe(404);
    const { port } = new URL(url);
    await expect(serveMetrics(new Metrics(), '127.0.0.1', Number(port))).rejects.toThrow(
      /^cannot serve metrics: .*EADDRINUSE/,
    );
    server.closeAllConnections();
    server.close();
  });

  test.each(['api', 'worker'])('is another than that of a %s, which does not serve them', async (ROLE) => {
    const own = { PORT: '0', METRICS_PORT: '0', DRAIN_DELAY_SECONDS: '0', ROLE };
    const env = { PATH: process.env.PATH ?? '', REDIS_URL: inject('redisUrl'), ...own };
    const child = spawn(process.execPath, [inject('programs').service], { env });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    const exit = new Promise((resolve) => child.once('close', resolve));
    const [, metricsUrl = ''] = await until('the metrics', () => /"metricsUrl":"([^"]+)"/.exec(output));
    const [, url = ''] = await until('ready', () => /"url":"([^"]+)"/.exec(output));
    expect(parseSamples(await (await fetch(metricsUrl)).text()).get('holdfast_redis_up')).toBe(1);
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });
});
