/**
 * A peer: another system that locks and unlocks names, on a server of its own, with its default durability.
 */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Client } from '../load.ts';

/** A way to lock with a peer. */
export interface Peer {
  /** The name in tables: the system, its commands and its durability. */
  readonly name: string;
  /** The process whose CPU time, with that of its children, the locks cost. */
  readonly pid: number;
  /** Connects clients. Each call of a client locks and unlocks an unused name. */
  clients(count: number): Promise<readonly Client[]>;
  /** Closes the clients, and ends the server if it belongs to the peer. */
  stop(): Promise<void>;
}

/** Finds a program on the PATH or in Debian's folders for servers; undefined if there is none. */
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
