/**
 * The CPU of reservations: cycles of reserve and unreserve for a second of a core, of all servers together,
 * beside peers that lock and unlock a name. The clients' own CPU time does not count.
 */
import { type Load, load } from '../load.ts';
import { openStreams } from '../openStreams.ts';
import { startPeers } from '../peers/start.ts';
import { cycle } from '../requests.ts';
import { type Figure, inTurn, Series } from '../rounds.ts';
import { loadOver, resetAll, type Stage, straight } from '../stage.ts';
import type { Table } from '../table.ts';

const CLIENTS = 64;
/** Clients that send batches. */
const SENDERS = 32;
const BATCH = 100;
const MILLION = 1e6;

/** CPU time of the servers, in cores. */
const coresOf = ({ cpu }: Load): number =>
  Object.entries(cpu).reduce((sum, [name, share]) => (name === 'load' ? sum : sum + share), 0);

export async function cost(stage: Stage, table: Table): Promise<void> {
  const { service, tenant } = stage;
  const peers = await startPeers(stage);
  const subscriber = await openStreams(service.port, tenant.key, 1);
  const measured = [
    {
      name: `Holdfast, ${CLIENTS} clients`,
      size: 1,
      series: new Series(() => loadOver(stage, service, CLIENTS, (one) => cycle(one))),
    },
    {
      name: `Holdfast, batches of ${BATCH}, ${SENDERS} clients`,
      size: BATCH,
      series: new Series(() => loadOver(stage, service, SENDERS, (one) => cycle(one, BATCH))),
    },
  ];
  const [ours] = measured;
  for (const peer of peers) {
    const clients = await peer.clients(CLIENTS);
    await load(clients, {}, 300); // so that plans are made and code is compiled
    const series = new Series(() => straight(stage, () => load(clients, { [peer.name]: peer.pid })));
    measured.push({ name: `${peer.name}, ${CLIENTS} clients`, size: 1, series });
  }
  await inTurn(measured.map(({ series }) => series));
  const cycles = (of: (typeof measured)[number], per: (sample: Load) => number): Figure =>
    of.series.figure((sample) => (sample.perSecond * of.size) / per(sample));
  for (const one of measured) {
    const beside = one === ours || ours === undefined ? undefined : ours;
    table.add({
      what: one.name,
      figure: cycles(one, () => 1),
      unit: 'cycles/s',
      beside: beside && { what: beside.name, figure: cycles(beside, () => 1) },
    });
    table.add({
      what: `${one.name}: for a second of a core`,
      figure: cycles(one, coresOf),
      unit: 'cycles',
      beside: beside && { what: beside.name, figure: cycles(beside, coresOf) },
    });
    table.add({
      what: `${one.name}: CPU of a million cycles`,
      figure: one.series.figure((sample) => (MILLION * coresOf(sample)) / (sample.perSecond * one.size)),
      unit: 's',
    });
  }
  for (const peer of peers) await peer.stop();
  for (const stream of subscriber) stream.destroy();
  await resetAll(stage, [tenant]);
}
