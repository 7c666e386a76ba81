/**
 * A single instance: the time until it serves, and its memory while idle, compared with a bare Node server.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../scripts/freePort.ts';
import { figureOf, inTurn, Series } from '../rounds.ts';
import { pin, type RunningServer, residentKiB, SERVICE, startNode, startServer } from '../servers.ts';
import type { Stage } from '../stage.ts';
import type { Table } from '../table.ts';

const BARE = `require('node:http').createServer((_, response) => response.end()).listen(process.env.PORT, '127.0.0.1')`;
/** Memory that only the start needs is freed by then. */
const IDLE_MS = 1000;

export async function instance({ env, tenant }: Stage, table: Table): Promise<void> {
  pin('0,1', [process.pid]); // as what it starts will be
  const alone = { ...env, API_KEYS: JSON.stringify([tenant]) };
  const started = (start: () => Promise<RunningServer>) =>
    new Series(async () => {
      const from = performance.now();
      const server = await start();
      const ms = performance.now() - from;
      await pause(IDLE_MS);
      const mib = (await residentKiB(server.pid)) / 1024;
      await server.stop();
      return { ms, mib };
    });
  const ours = started(() => startServer(SERVICE, alone));
  const bare = started(async () => startNode(['-e', BARE], await freePort()));
  await inTurn([bare, ours]);
  pin(1, [process.pid]);
  const beside = (of: (round: { ms: number; mib: number }) => number) => ({
    what: 'bare Node server',
    figure: figureOf(bare.samples.map(of)),
  });
  table.add({ what: 'start-up', figure: ours.figure(({ ms }) => ms), unit: 'ms', beside: beside(({ ms }) => ms) });
  table.add({
    what: 'memory of an idle instance',
    figure: ours.figure(({ mib }) => mib),
    unit: 'MiB',
    beside: beside(({ mib }) => mib),
  });
}
