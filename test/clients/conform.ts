/** The program of the TypeScript client, as README.md describes it. */
import { createInterface } from 'node:readline';
import { inspect } from 'node:util';
import { fromCi } from '../../packages/client/src/ci/index.ts';
import { type Hold, Holdfast, HoldfastError, type Mirror, type Session } from '../../packages/client/src/index.ts';
import { Command, type CommandOf, wishOf } from './commands.ts';
import { errorOf, Task } from './task.ts';

const client = new Holdfast(await fromCi());
const say = (line: object) => void process.stdout.write(`${JSON.stringify(line)}\n`);

const tasks = new Map<number, Task>();
const sessions = new Map<number, Session>();
const mirrors = new Map<number, Mirror>();

function taskOf(id: number): Task {
  const task = tasks.get(id);
  if (task === undefined) throw new Error(`there is no ${id}`);
  return task;
}

function holdOf(id: number): Hold {
  const { hold } = taskOf(id);
  if (hold === undefined) throw new Error(`${id} holds nothing`);
  return hold;
}

function begin(id: number): Task {
  const task = new Task((event, fields) => say({ id, event, ...fields }));
  tasks.set(id, task);
  return task;
}

const shown = ({ resources, slots, fencingToken, requester }: Hold) => ({ resources, slots, fencingToken, requester });

async function using({ id, work, ...wish }: CommandOf<'using'>) {
  const task = begin(id);
  const { target, options } = wishOf(wish);
  const onWaiting = ({ ahead }: { ahead: number }) => task.tell('waiting', { ahead });
  const onEndFixed = (end: Date) => task.tell('endFixed', { end: end.toISOString() });
  const told = { signal: task.cancelled.signal, onWaiting, onEndFixed };
  await client.using(target, { ...options, ...told }, async (hold) => {
    task.hold = hold;
    task.tell('holding', shown(hold));
    await task.work(work, hold);
  });
  return {};
}

async function reserve({ id, session: of, do: how, ...wish }: CommandOf<'reserve' | 'tryReserve'>) {
  const task = begin(id);
  const { target, options } = wishOf(wish);
  const session = of === undefined ? undefined : sessions.get(of);
  const hold = await (session ?? client)[how](target, { ...options, signal: task.cancelled.signal });
  if (hold === null) return null;
  task.hold = hold;
  return { ...shown(hold), remainingMs: hold.remainingMs };
}

async function follow({ id, types }: CommandOf<'events'>) {
  const task = begin(id);
  for await (const event of client.events({ signal: task.cancelled.signal, types })) {
    if (event.type === 'CONNECTED' || event.type === 'DISCONNECTED') task.tell(event.type);
    else task.tell(event.type, { resource: event.resource, requester: event.requester });
  }
  return {};
}

async function mirror({ id }: CommandOf<'mirror'>) {
  const task = begin(id);
  const opened = await client.mirror({
    signal: task.cancelled.signal,
    onChange: (resource, held) => task.tell('change', { resource, requesters: held.map((one) => one.requester) }),
    onConnection: (connected) => task.tell('connection', { connected }),
  });
  mirrors.set(id, opened);
  task.tell('open');
  await opened.closed;
  return {};
}

function mirrored({ of }: CommandOf<'mirrored'>) {
  const entries = [...(mirrors.get(of)?.entries() ?? [])];
  return { held: Object.fromEntries(entries.map(([name, held]) => [name, held.map((one) => one.requester)])) };
}

async function session({ id, options }: CommandOf<'session'>) {
  const begun = await client.session(options);
  sessions.set(id, begun);
  return { requester: begun.requester };
}

function look({ of }: CommandOf<'look'>) {
  const known = sessions.get(of);
  if (known !== undefined) return { lost: known.signal.aborted };
  const { signal, remainingMs } = holdOf(of);
  return { lost: signal.aborted, remainingMs };
}

async function run(command: Command): Promise<unknown> {
  switch (command.do) {
    case 'using':
      return using(command);
    case 'reserve':
    case 'tryReserve':
      return reserve(command);
    case 'finish':
      return taskOf(command.of).finish(command.fail);
    case 'cancel':
      return taskOf(command.of).cancel();
    case 'look':
      return look(command);
    case 'renew':
      return holdOf(command.of).renew(command.ttl);
    case 'release':
      return { released: await holdOf(command.of).release() };
    case 'show':
      return { text: inspect([client, sessions.get(command.of) ?? holdOf(command.of)], { depth: 10 }) };
    case 'session':
      return session(command);
    case 'end':
      return { released: await sessions.get(command.of)?.end() };
    case 'events':
      return follow(command);
    case 'mirror':
      return mirror(command);
    case 'mirrored':
      return mirrored(command);
    case 'fork':
      throw new HoldfastError('UNSUPPORTED', 'Node cannot fork');
  }
}

const running = new Set<Promise<void>>();

function start(line: string): void {
  const command = Command.parse(JSON.parse(line));
  const { id } = command;
  const done = run(command)
    .then((answer = {}) => say({ id, answer }))
    .catch((error: unknown) => say({ id, error: errorOf(error) }))
    .finally(() => running.delete(done));
  running.add(done);
}

process.once('SIGTERM', async () => {
  for (const task of tasks.values()) task.cancel();
  await Promise.all(running);
  process.exit();
});
createInterface(process.stdin)
  .on('line', start)
  .on('close', () => process.exit());
