/**
 * Tells when a response is over, whatever way: sent, cut off, or never begun since it waited behind another one on a
 * connection that is gone. Node emits no 'close' on a response of the last kind.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** By connection, what is to be called for its responses that are not over. */
const pending = new WeakMap<Socket, Set<() => void>>();

/** Responses of a connection that are not over, of those that onceEnded was asked about. */
export const pendingOn = (socket: Socket): number => pending.get(socket)?.size ?? 0;

/** Calls back once, when a response is over. */
export function onceEnded(response: ServerResponse, callback: () => void): void {
  const { socket } = response.req;
  let ends = pending.get(socket);
  if (ends === undefined) {
    const all = new Set<() => void>();
    pending.set(socket, all);
    socket.once('close', () => {
      for (const end of all) end();
    });
    ends = all;
  }
  const mine = ends;
  const end = () => {
    if (mine.delete(end)) callback();
  };
  mine.add(end);
  if (socket.destroyed) end();
  else response.once('close', end);
}
