/**
 * Reserving and releasing a name, compared with peers that lock and unlock one, with 1 and 64 clients in this process.
 * Peers may use both cores. The service's instance has one core, and Redis shares the other with the load.
 */
import { cpuOf, load } from '../load.ts';
import { openStreams } from '../openStreams.ts';
import type { Peer } from '../peers/peer.ts';
import { startPeers } from '../peers/start.ts';
import { cycle } from '../requests.ts';
import { inTurn, Series } from '../rounds.ts';
import { loadOver, resetAll, type Stage, straight } from '../stage.ts';
import type { Table } from '../table.ts';

/** The service should be faster than this peer. */
const isBehind = ({ name }: Peer) => /^ZooKeeper|^etcd|insert/.test(name);

export async function peers(stage: Stage, table: Table): Promise<void> {
  const { service, tenant } = stage;
  const found = await startPeers(stage);
  const subscriber = await openStreams(service.port, tenant.key, 1);
  for (const count of [1, 64]) {
    const cycles = new Series(() => loadOver(stage, service, count, (one) => cycle(one)));
    const others = [];
    for (const peer of found) {
      const clients = await peer.clients(count);
      await load(clients, {}, 300); // so that plans are made and code is compiled
      others.push({ peer, series: new Series(() => straight(stage, () => load(clients))) });
    }
    await inTurn([cycles, ...others.map(({ series }) => series)]);
    for (const { peer, series } of others)
      table.add({
        what: `reserve + unreserve, ${count} connection${count === 1 ? '' : 's'}`,
        figure: cycles.figure(({ perSecond }) => perSecond),
        unit: 'cycles/s',
        beside: { what: peer.name, figure: series.figure(({ perSecond }) => perSecond) },
        target: isBehind(peer) ? { of: 'ratio', above: 1 } : undefined,
        cpu: cpuOf(cycles.samples),
      });
  }
  for (const peer of found) await peer.stop();
  for (const stream of subscriber) stream.destroy();
  await resetAll(stage, [tenant]);
}
