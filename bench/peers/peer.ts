/**
 * A peer: another system that locks and unlocks names, on a server of its own, with the durability that it has by
 * default.
 */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Client } from '../load.ts';

/** One way to lock with a peer. */
export interface Peer {
  /** As tables name it: the system, its commands, and what is on disk when it answers. */
  readonly name: string;
  /** Connects clients, each of which locks and unlocks a fresh name a call. */
  clients(count: number): Promise<readonly Client[]>;
  /** Closes them, and ends the server if it is the peer's own. */
  stop(): Promise<void>;
}

/** Where a program is, on the PATH or where Debian puts servers; undefined where there is none. */
export function programOf(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/sbin'];
  return folders
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
