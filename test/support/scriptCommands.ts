/**
 * The commands that scripts run. ioredis's monitor loses its place on a server that others use at the same time, so
 * this reads MONITOR's lines itself.
 */
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { until } from './until.ts';

/** A command of a script, and its key: `+1795724396.678637 [0 lua] "XADD" "{t}:outbox" …`. */
const COMMAND = /^\+\S+ \[\d+ lua\] "([^"]*)" "([^"]*)"/;

/**
 * Returns the commands that scripts run on keys of a tenant while `work` does, each as `xadd outbox`.
 * @param url the server's address, `unix://` or `redis://`
 */
export async function scriptCommands(url: string, tenant: string, work: () => Promise<unknown>): Promise<string[]> {
  const { hostname, port } = url.startsWith('unix://') ? { hostname: '', port: '' } : new URL(url);
  const socket = hostname === '' ? connect(url.slice('unix://'.length)) : connect(Number(port), hostname);
  const lines: string[] = [];
  createInterface({ input: socket }).on('line', (line) => lines.push(line));
  socket.write('MONITOR\r\n');
  await until('MONITOR begins', () => lines.includes('+OK'));
  await work();
  // The server answers what it had not told yet before this.
  const mark = randomUUID();
  socket.write(`ECHO ${mark}\r\n`);
  await until('all commands', () => lines.some((line) => line.includes(mark)));
  socket.destroy();
  return lines
    .map((line) => COMMAND.exec(line))
    .filter((found) => found?.[2]?.startsWith(`{${tenant}}:`))
    .map((found) => `${found?.[1]} ${found?.[2]?.split(':')[1]}`.toLowerCase());
}
