/**
 * A process that sends an offender's requests, so that the process that measures the other tenant has nothing else to
 * do. Takes the number of the offender, the port and the key. Sends its parent what was answered, each second.
 */
import { Agent, request } from 'node:http';
import { setPriority } from 'node:os';
import { OFFENDERS } from './offenders.ts';

const TICK_MS = 20;
/** It shares a core with Redis, and must not keep that waiting: a real offender has a machine of its own. */
const NICE = 10;

const [number, port, key] = process.argv.slice(2);
const offender = OFFENDERS[Number(number)];
if (offender === undefined) throw new Error(`there is no offender ${number}`);
setPriority(NICE);
const agent = new Agent({ keepAlive: true, maxSockets: offender.connections });
const answers: Record<string, number> = {};
let [sent, inFlight] = [0, 0];

function send(): void {
  const { method, path, body } = offender?.request(sent++) ?? { method: 'GET', path: '/', body: '' };
  inFlight++;
  const ended = (what: string) => {
    inFlight--;
    answers[what] = (answers[what] ?? 0) + 1;
    sendDue();
  };
  const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  request({ agent, port, method, path, headers }, (response) => {
    response.resume().once('end', () => ended(String(response.statusCode)));
  })
    .once('error', () => ended('error'))
    .end(body);
}

const start = performance.now();
/** Requests that could not be sent when they were due. */
let missed = 0;

function sendDue(): void {
  const due = Math.floor(((performance.now() - start) * (offender?.perSecond ?? 0)) / 1000) - sent - missed;
  const room = (offender?.connections ?? 0) - inFlight;
  for (let i = 0; i < Math.min(due, room); i++) send();
  if (due > room) missed += due - Math.max(0, room);
}

setInterval(sendDue, TICK_MS);
setInterval(() => process.send?.(answers), 200);
