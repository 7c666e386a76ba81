/**
 * Detects the end of a response in every case: it was sent, it was cut off, or it never began because it waited behind
 * another one on a connection that closed. In the last case Node emits no 'close' on the response.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Connection → callbacks for its responses that have not ended. */
const pending = new WeakMap<Socket, Set<() => void>>();

/** Returns how many responses of a connection, of those passed to onceEnded(), have not ended. */
export const pendingOn = (socket: Socket): number => pending.get(socket)?.size ?? 0;

/**
 * Calls `callback` once, when the response has ended.
 * @returns a function that calls it before
 */
export function onceEnded(response: ServerResponse, callback: () => void): () => void {
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
  // Not once(), which makes three objects more: a second call does nothing.
  else response.on('close', end);
  return end;
}
