/**
 * A network namespace for each Redis and each sentinel, with an address of its own, joined by a bridge. A cut tells one
 * side a wrong hardware address of the other: its packets then get lost, and connections stay open in silence.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { isAlive } from '../../../scripts/isAlive.ts';

const NAMESPACES = '/run/netns';
/** A hardware address that nothing has. */
const NOWHERE = '02:00:00:00:00:01';

/** A namespace, or the one of this process and all that has none of its own. */
export interface Host {
  readonly address: string;
  /** Of the namespace; null: that of this process. */
  readonly namespace: string | null;
  /** The device through which it reaches the others. */
  readonly device: string;
}

export interface Network {
  readonly outside: Host;
  readonly hosts: readonly Host[];
  /** A command for a shell that removes it. */
  readonly removal: string;
}

const ip = (...words: readonly string[]): string =>
  execFileSync('ip', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
let made = 0;

/**
 * Makes namespaces that reach each other and this process.
 * @returns null if this process may not make any, or this machine cannot
 */
export function makeNetwork(count: number): Network | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null;
  const bridge = `hf${process.pid}b${made++}`;
  // Networks of other processes of this kind differ in the second or the third number.
  const net = `10.${128 + (process.pid % 64)}.${((process.pid >> 6) + made) % 256}`;
  const hosts = Array.from({ length: count }, (_, i) => ({
    address: `${net}.${10 + i}`,
    namespace: `${bridge}n${i}`,
    device: 'eth0',
  }));
  const removal = removalOf(
    bridge,
    hosts.map(({ namespace }) => namespace),
  );
  try {
    removeLeftOver();
    ip('link', 'add', bridge, 'type', 'bridge');
    ip('addr', 'add', `${net}.1/24`, 'dev', bridge);
    ip('link', 'set', bridge, 'up');
    execFileSync('sh', ['-c', `iptables -w -I ${passing(bridge)} 2>/dev/null; true`]);
    for (const { namespace, address, device } of hosts) {
      ip('netns', 'add', namespace);
      ip('link', 'add', namespace, 'type', 'veth', 'peer', 'name', device, 'netns', namespace);
      ip('link', 'set', namespace, 'master', bridge, 'up');
      ip('-n', namespace, 'addr', 'add', `${address}/24`, 'dev', device);
      ip('-n', namespace, 'link', 'set', device, 'up');
      ip('-n', namespace, 'link', 'set', 'lo', 'up');
    }
  } catch {
    execFileSync('sh', ['-c', removal], { stdio: 'ignore' });
    return null;
  }
  return { outside: { address: `${net}.1`, namespace: null, device: bridge }, hosts, removal };
}

/** A rule for the packets within a bridge: Docker has the kernel filter them, and drops what it does not know. */
const passing = (bridge: string): string => `FORWARD -i ${bridge} -o ${bridge} -j ACCEPT`;

/** The link of a namespace has its name. */
function removalOf(bridge: string, namespaces: readonly string[]): string {
  const hosts = namespaces.flatMap((name) => [`ip link del ${name}`, `ip netns del ${name}`]);
  return `{ ${[...hosts, `ip link del ${bridge}`, `iptables -w -D ${passing(bridge)}`].join('; ')}; } 2>/dev/null; true`;
}

/** Removes the networks of processes that are gone, and could not do so. */
function removeLeftOver(): void {
  const found = new Map<string, string[]>();
  for (const name of existsSync(NAMESPACES) ? readdirSync(NAMESPACES) : []) {
    const [, bridge, pid] = /^(hf(\d+)b\d+)n\d+$/.exec(name) ?? [];
    if (bridge !== undefined && !isAlive(Number(pid))) found.set(bridge, [...(found.get(bridge) ?? []), name]);
  }
  for (const [bridge, namespaces] of found) execFileSync('sh', ['-c', removalOf(bridge, namespaces)]);
}

/** The command that runs a program in a namespace. */
export const runnerOf = ({ namespace }: Host): readonly string[] =>
  namespace === null ? [] : ['ip', 'netns', 'exec', namespace];

/** Number of cuts of each pair, since they may overlap. */
const cuts = new Map<string, number>();

/**
 * Lets nothing through from one host to another.
 * @returns lets it through again
 */
export function cutOff(from: Host, to: Host): () => void {
  const pair = `${from.namespace} ${to.address}`;
  const inside = from.namespace === null ? [] : ['-n', from.namespace];
  const count = (change: number) => {
    const now = (cuts.get(pair) ?? 0) + change;
    cuts.set(pair, now);
    return now;
  };
  if (count(1) === 1)
    ip(...inside, 'neigh', 'replace', to.address, 'lladdr', NOWHERE, 'dev', from.device, 'nud', 'permanent');
  return () => {
    if (count(-1) === 0) ip(...inside, 'neigh', 'del', to.address, 'dev', from.device);
  };
}
