/**
 * A load balancer that tests break: it passes connections on to instances in turn, and cuts or stalls them when told.
 */
import { connect, createServer, type Socket } from 'node:net';

export interface Relay {
  readonly url: string;
  /** Connections that were accepted since the start. */
  readonly accepted: number;
  /** Closes every connection. New ones are accepted. */
  cut(): void;
  /** Closes every connection, and new ones, until open(). */
  shut(): void;
  open(): void;
  /** Passes nothing on any more on the connections that are open, without closing them. */
  stall(): void;
  stop(): Promise<void>;
}

export async function startRelay(...instances: readonly { readonly url: string }[]): Promise<Relay> {
  const ports = instances.map(({ url }) => Number(new URL(url).port));
  const sockets = new Set<Socket>();
  let accepted = 0;
  let isShut = false;
  const server = createServer((socket) => {
    if (isShut) {
      socket.destroy();
      return;
    }
    const target = connect(ports[accepted++ % ports.length] ?? 0, '127.0.0.1');
    for (const [from, to] of [
      [socket, target],
      [target, socket],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    get accepted() {
      return accepted;
    },
    cut,
    shut: () => {
      isShut = true;
      cut();
    },
    open: () => {
      isShut = false;
    },
    stall: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    stop: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
