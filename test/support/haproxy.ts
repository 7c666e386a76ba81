/**
 * A real load balancer before instances of the service: HAProxy, configured by deploy/haproxy.cfg.
 */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/freePort.ts';
import { type GuardedProcess, startGuarded } from '../../scripts/guardedProcess.ts';
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

const CONFIGURATION = readFileSync(new URL('../../deploy/haproxy.cfg', import.meta.url), 'utf8');

/** The deployed configuration, before instances on ports of this machine, which are looked at more often. */
function configurationFor(port: number, ports: readonly number[]): string {
  const changes: [RegExp, string][] = [
    [/^resolvers [\s\S]*?\n\n/m, ''],
    [/bind :8080/, `bind 127.0.0.1:${port}`],
    [/inter 1s/, 'inter 200ms'],
    [/^ {2}server-template .*$/m, ports.map((one, i) => `  server api${i} 127.0.0.1:${one}`).join('\n')],
  ];
  return changes.reduce((text, [pattern, replacement]) => {
    if (!pattern.test(text)) throw new Error(`deploy/haproxy.cfg has no ${pattern}`);
    return text.replace(pattern, replacement);
  }, CONFIGURATION);
}

export interface Balancer extends GuardedProcess {
  readonly url: string;
}

/**
 * @param ports of the instances
 * @param place its port, and a folder and a log that stay; by default a free port and a temporary folder
 */
export async function startBalancer(
  ports: readonly number[],
  place?: { readonly port: number; readonly folder: string; readonly log: string },
): Promise<Balancer> {
  const program = findOrInstall(HAPROXY, (line) => process.stdout.write(`${line}\n`));
  const { port, folder } = place ?? {
    port: await freePort(),
    folder: mkdtempSync(join(tmpdir(), 'holdfast-haproxy-')),
  };
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, configurationFor(port, ports));
  const guard = place === undefined ? {} : { log: place.log, keepsFolder: true };
  const server = await startGuarded(program, folder, ['-db', '-f', file], { port }, guard);
  return { url: `http://127.0.0.1:${port}`, ...server };
}

/**
 * A load balancer that tests break: it passes connections on to instances in turn, and cuts or stalls them when told.
 */

export interface Relay {
  readonly url: string;
  /** Connections that were accepted since the start. */
  readonly accepted: number;
  /** Closes every connection. New ones are accepted. */
  cut(): void;
  /** Closes every connection, and new ones, until open(). */
  shut(): void;
  open(): void;
  /** Passes nothing on any more on the connections that are open, without closing them. */
  stall(): void;
  stop(): Promise<void>;
}

export async function startRelay(...instances: readonly { readonly url: string }[]): Promise<Relay> {
  const ports = instances.map(({ url }) => Number(new URL(url).port));
  const sockets = new Set<Socket>();
  let accepted = 0;
  let isShut = false;
  const server = createServer((socket) => {
    if (isShut) {
      socket.destroy();
      return;
    }
    const target = connect(ports[accepted++ % ports.length] ?? 0, '127.0.0.1');
    for (const [from, to] of [
      [socket, target],
      [target, socket],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    get accepted() {
      return accepted;
    },
    cut,
    shut: () => {
      isShut = true;
      cut();
    },
    open: () => {
      isShut = false;
    },
    stall: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    stop: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
