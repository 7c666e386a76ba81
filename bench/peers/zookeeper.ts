/**
 * ZooKeeper: an ephemeral node, created and deleted. No npm client is both typed and maintained, so this implements the
 * small part of the protocol that is needed: length-prefixed frames of big-endian fields, with responses in order.
 */
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/freePort.ts';
import { startGuarded } from '../../scripts/guardedProcess.ts';
import { freshName } from '../requests.ts';
import { type Peer, programOf } from './peer.ts';
import { newToken } from './redlock.ts';

/** Debian's path of the jar, which names the jars that it needs. */
const FOLDER = '/usr/share/java';
const JAR = /^zookeeper-(\d[\d.]*)\.jar$/;
const SETTINGS = 'tickTime=2000\ndataDir=data\nadmin.enableServer=false\nmaxClientCnxns=0\n';

const CREATE = 1;
const DELETE = 2;
const EPHEMERAL = 1;
const ANY_VERSION = -1;
const SESSION_MS = 40_000;

/** Starts a ZooKeeper if it is installed. */
export async function startZooKeeper(): Promise<Peer | undefined> {
  const path = programOf('java');
  const jar = existsSync(FOLDER) ? readdirSync(FOLDER).find((name) => JAR.test(name)) : undefined;
  if (path === undefined || jar === undefined) return undefined;
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-zookeeper-'));
  writeFileSync(join(folder, 'zoo.cfg'), `${SETTINGS}clientPort=${port}\nclientPortAddress=127.0.0.1\n`);
  const { pid, stop } = await startGuarded(
    { path, env: process.env },
    folder,
    ['-cp', join(FOLDER, jar), 'org.apache.zookeeper.server.ZooKeeperServerMain', 'zoo.cfg'],
    { port },
  );
  const sessions: Session[] = [];
  return {
    pid,
    name: `ZooKeeper ${JAR.exec(jar)?.[1]}, ephemeral node (fsync)`,
    clients: async (count) => {
      const opened = await Promise.all(Array.from({ length: count }, () => Session.open(port)));
      sessions.push(...opened);
      return opened.map((session) => async () => {
        const node = `/${freshName()}`;
        await session.create(node, newToken());
        await session.delete(node);
      });
    },
    stop: async () => {
      for (const session of sessions) session.close();
      await stop();
    },
  };
}

/** A connection that carries one request at a time. It is always in use, so that it needs no pings. */
class Session {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #answer: ((frame: Buffer) => void) | undefined;
  #id = 0;

  private constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1').setNoDelay(true);
    this.#socket.on('data', (chunk: Buffer) => this.#receive(chunk));
  }

  static async open(port: number): Promise<Session> {
    const session = new Session(port);
    // protocol version, last transaction seen, time-out, session, its password
    await session.#send(int(0), long(0), int(SESSION_MS), long(0), text('\0'.repeat(16)));
    return session;
  }

  /** Creates an ephemeral node that everybody may change. */
  create(path: string, data: string): Promise<void> {
    const acl = [int(1), int(31), text('world'), text('anyone')];
    return this.#request(CREATE, text(path), text(data), ...acl, int(EPHEMERAL));
  }

  delete(path: string): Promise<void> {
    return this.#request(DELETE, text(path), int(ANY_VERSION));
  }

  close(): void {
    this.#socket.destroy();
  }

  async #request(type: number, ...fields: readonly Buffer[]): Promise<void> {
    const reply = await this.#send(int(++this.#id), int(type), ...fields);
    // request, transaction, error
    if (reply.readInt32BE(0) !== this.#id || reply.readInt32BE(12) !== 0)
      throw new Error(`ZooKeeper answered ${reply.readInt32BE(12)}`);
  }

  #send(...fields: readonly Buffer[]): Promise<Buffer> {
    const frame = Buffer.concat(fields);
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.#socket.write(Buffer.concat([int(frame.length), frame]));
    });
  }

  #receive(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    if (this.#received.length < 4 || this.#received.length < 4 + this.#received.readInt32BE(0)) return;
    const frame = this.#received.subarray(4);
    this.#received = Buffer.alloc(0);
    this.#answer?.(frame);
  }
}

function int(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function long(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.concat([int(Buffer.byteLength(value)), Buffer.from(value)]);
}
