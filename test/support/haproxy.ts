/**
 * A real load balancer before instances of the service: HAProxy, configured by haproxy.cfg beside this file.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../scripts/freePort.ts';
import { startGuarded } from '../../scripts/guardedProcess.ts';
import { findOrInstall, type Wanted } from '../../scripts/serverProgram.ts';

const HAPROXY: Wanted = {
  title: 'HAProxy',
  names: ['haproxy'],
  folders: ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin'],
  versionOption: '-v',
  version: /version (\d+)/,
  oldestMajor: 2,
  packages: { apt: 'haproxy', apk: 'haproxy', dnf: 'haproxy', brew: 'haproxy' },
  cache: 'haproxy',
  byHand: 'install haproxy 2 or later',
};

const CONFIGURATION = fileURLToPath(new URL('haproxy.cfg', import.meta.url));

export interface Balancer {
  readonly url: string;
  stop(): Promise<void>;
}

/** @param ports of three instances */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const { path, env } = findOrInstall(HAPROXY, (line) => process.stdout.write(`${line}\n`));
  const port = await freePort();
  const named = Object.fromEntries(ports.map((one, i) => [`PORT_${i + 1}`, String(one)]));
  const program = { path, env: { ...env, FRONT_PORT: String(port), ...named } };
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-haproxy-'));
  const { stop } = await startGuarded(program, folder, ['-db', '-f', CONFIGURATION], { port });
  return { url: `http://127.0.0.1:${port}`, stop };
}
