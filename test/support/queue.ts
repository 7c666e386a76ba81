/** Definitions for a waiting queue, and who waits in it, for tests of the engine. */
import { changeInRedis } from '../../src/definitions/change.ts';
import { waiting } from '../../src/engine/waiting/list.ts';
import { all } from './listed.ts';
import { running } from './waitingEngine.ts';

export const register = (...items: { name: string; capacity?: number; treePath?: string; blocks?: string[] }[]) =>
  changeInRedis(running.engine, 16).register(
    running.credential,
    items.map(({ name, capacity = 1, treePath, blocks = [] }) => ({
      name,
      capacity,
      blocks,
      treePath: treePath ?? null,
    })),
  );

/** The requests that wait, in the order of the queue. */
export async function queue(): Promise<string[]> {
  const rows = await all(waiting(running.engine, running.credential));
  return rows.map(({ requester, resources }) => `${requester}: ${resources.join(' ')}`);
}
