/**
 * Starts all peers that this machine has.
 */
import { pin } from '../servers.ts';
import type { Stage } from '../stage.ts';
import { startEtcd } from './etcd.ts';
import type { Peer } from './peer.ts';
import { startPostgresPeers } from './postgres.ts';
import { startRedlock } from './redlock.ts';
import { startZooKeeper } from './zookeeper.ts';

/** Starts them. They may use both cores. */
export async function startPeers({ redisServer, say }: Pick<Stage, 'redisServer' | 'say'>): Promise<readonly Peer[]> {
  pin('0,1', [process.pid]); // as what it starts will be
  const [etcd, zooKeeper] = await Promise.all([startEtcd(), startZooKeeper()]);
  if (etcd === undefined) say('no etcd on this machine: left out (Debian: etcd-server)');
  if (zooKeeper === undefined) say('no ZooKeeper on this machine: left out (Debian: zookeeper)');
  const found = [await startRedlock(redisServer), ...(await startPostgresPeers(say)), zooKeeper, etcd].filter(
    (peer) => peer !== undefined,
  );
  pin(1, [process.pid]);
  return found;
}
