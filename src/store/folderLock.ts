/**
 * Locks a PGlite folder, since PGlite does not: the process that listens on a socket beside the folder has the lock.
 * The listener ends with its process, so a crash leaves no lock behind.
 */
import { mkdir, unlink } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { dirname, resolve } from 'node:path';

/**
 * Takes the lock. Creates the parent folder.
 * @returns a function that releases the lock
 * @throws Error if another process has the lock
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = `${resolve(folder)}.lock`;
  await mkdir(dirname(path), { recursive: true });
  const server = createServer((socket) => socket.destroy());
  const listen = () =>
    new Promise<boolean>((settle, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) =>
        error.code === 'EADDRINUSE'
          ? settle(false)
          : reject(new Error(`cannot create the lock ${path}: ${error.code}`)),
      );
      server.listen(path, () => settle(true));
    });
  if (!(await listen())) {
    if (await isListening(path)) throw new Error(`${folder} is in use by another process`);
    await unlink(path); // left by a process that was killed
    if (!(await listen())) throw new Error(`${folder} is in use by another process`);
  }
  server.unref();
  return () => new Promise((settle) => server.close(() => settle()));
}

const isListening = (path: string) =>
  new Promise<boolean>((settle) => {
    const socket = connect(path, () => {
      socket.destroy();
      settle(true);
    }).once('error', () => settle(false));
  });
