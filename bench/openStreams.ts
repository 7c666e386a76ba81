/**
 * Opens event streams and reads them at minimal cost.
 */
import { connect, type Socket } from 'node:net';

/**
 * Opens event streams.
 * @param onText called with the received text; undefined: the text is dropped
 */
export async function openStreams(
  port: number,
  key: string,
  count: number,
  onText?: (text: string) => void,
): Promise<readonly Socket[]> {
  return Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect(port, '127.0.0.1').on('error', reject);
          socket.once('data', (head) => {
            if (!String(head).startsWith('HTTP/1.1 200')) reject(new Error(String(head)));
            if (onText === undefined) socket.resume();
            else socket.setEncoding('latin1').on('data', onText);
            resolve(socket);
          });
          socket.write(`GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${key}\r\n\r\n`);
        }),
    ),
  );
}
