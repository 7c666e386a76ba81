/**
 * Waiting (docs/specification.md#waiting): changes of owner per second, the delay of hand-overs, the cost of tickets in
 * Redis, and the memory of long polls.
 */
import { pin, SERVICE, startServer } from '../servers.ts';
import { resetAll, type Stage } from '../stage.ts';
import type { Table } from '../table.ts';
import { delays } from '../waiting/delays.ts';
import { handOvers } from '../waiting/handOvers.ts';
import { longPolls } from '../waiting/longPolls.ts';
import { tickets } from '../waiting/tickets.ts';

export async function waiting(stage: Stage, table: Table): Promise<void> {
  const other = await startServer(SERVICE, stage.env);
  pin(0, [other.pid]);
  await handOvers(stage, table, other);
  await delays(stage, table, other);
  await other.stop();
  await longPolls(stage, table);
  await tickets(stage, table);
  await resetAll(stage, [stage.tenant]);
}
