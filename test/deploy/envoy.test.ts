/**
 * deploy/envoy.yaml, as far as it can be checked without an Envoy: it keeps the rules for load balancers of
 * docs/operations/deploy.md.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { FAILURE_CODES } from '../../src/domain/errors.ts';

const Manager = z.looseObject({
  use_remote_address: z.boolean(),
  stream_idle_timeout: z.string(),
  route_config: z.looseObject({
    virtual_hosts: z.tuple([
      z.looseObject({
        retry_policy: z.looseObject({ retry_on: z.string() }),
        routes: z.array(
          z.looseObject({
            match: z.record(z.string(), z.string()),
            route: z.object({ cluster: z.string(), timeout: z.string() }),
          }),
        ),
      }),
    ]),
  }),
  local_reply_config: z.object({
    mappers: z.tuple([
      z.looseObject({ body_format_override: z.object({ json_format: z.record(z.string(), z.string()) }) }),
    ]),
  }),
});
const Listener = z.looseObject({
  filter_chains: z.tuple([z.object({ filters: z.tuple([z.looseObject({ typed_config: Manager })]) })]),
});
const Cluster = z.looseObject({
  name: z.string(),
  health_checks: z.tuple([z.looseObject({ http_health_check: z.looseObject({ path: z.string() }) })]),
});
const Envoy = z.object({
  static_resources: z.object({ listeners: z.tuple([Listener]), clusters: z.tuple([Cluster]) }),
});

const { listeners, clusters } = Envoy.parse(parse(readFileSync('deploy/envoy.yaml', 'utf8'))).static_resources;
const [{ filters }] = listeners[0].filter_chains;
const manager = filters[0].typed_config;
const [host] = manager.route_config.virtual_hosts;

test('event streams have no timeout but for silence, and a response may be held for 30 s', () => {
  const [cluster] = clusters;
  expect(host.routes.map(({ match, route }) => [match, route])).toEqual([
    [{ path: '/api/v1/events' }, { cluster: cluster.name, timeout: '0s' }],
    [{ prefix: '/' }, { cluster: cluster.name, timeout: '60s' }],
  ]);
  expect(manager.stream_idle_timeout).toBe('60s');
});

test('instances are asked whether they are ready, and only requests without an answer are repeated', () => {
  expect(clusters[0].health_checks[0].http_health_check.path).toBe('/readyz');
  expect(host.retry_policy.retry_on).toBe('connect-failure,reset');
  expect(manager.use_remote_address).toBe(true);
});

test('its own errors have the form of the service’s', () => {
  const body = manager.local_reply_config.mappers[0].body_format_override.json_format;
  expect(body).toEqual({ error: expect.any(String), code: expect.any(String) });
  expect(FAILURE_CODES).toContain(body.code);
});

/**
 * deploy/roll.sh, which updates the instances of docker-compose.yml one after another. A script stands for the
 * engine: it writes down how it is called.
 */
describe('a rolling update', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-roll-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** @param refused the command at which the engine fails */
  function roll(refused = 'nothing') {
    const engine = `#!/bin/sh
echo "$*" >>"${folder}/calls"
case "$*" in
  *"${refused}"*) exit 1 ;;
  *"ps --quiet api") printf 'one\\ntwo\\nthree\\n' ;;
esac
`;
    writeFileSync(join(folder, 'docker'), engine, { mode: 0o755 });
    const { status } = spawnSync('deploy/roll.sh', { env: { PATH: `${folder}:${process.env.PATH}` } });
    const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
    return { status, calls: calls.map((call) => call.replace('compose --env-file deploy/compose.env ', '')) };
  }

  test('starts as many new instances as there are, and stops the old ones, one at a time, once the new ones are ready', () => {
    expect(roll()).toEqual({
      status: 0,
      calls: [
        'build api',
        'ps --quiet api',
        'up --detach --wait --no-deps --no-recreate --scale api=6 api',
        'stop one',
        'rm one',
        'stop two',
        'rm two',
        'stop three',
        'rm three',
        'up --detach --wait --no-deps worker',
      ],
    });
  });

  test('stops nothing if the new instances do not get ready', () => {
    const { status, calls } = roll('--scale');
    expect(status).toBe(1);
    expect(calls.at(-1)).toContain('--scale');
  });
});
