/** The program of the TypeScript client: programs.ts. */
import { setTimeout as pause } from 'node:timers/promises';
import { Holdfast } from '../../packages/client/src/index.ts';

const [what, count, seconds] = process.argv.slice(2);
const callers = Array.from({ length: Number(count) }, (_, i) => `${process.pid}-${i}`);
const holdfast = Holdfast.fromEnv();
process.stdin.on('end', () => process.exit(0)).resume();

if (what === 'cycles') {
  await cycles(1);
  console.log((await cycles(Number(seconds))) / Number(seconds));
} else {
  let held = 0;
  const work = async () => {
    held++;
    if (held === callers.length) console.log('held');
    await new Promise(() => {});
  };
  await Promise.all(callers.map((name) => holdfast.using(name, { ttl: '30s' }, work)));
}

async function cycles(duration: number): Promise<number> {
  const stop = new AbortController();
  let done = 0;
  const caller = async (name: string) => {
    for (; !stop.signal.aborted; done++) await holdfast.using(name, () => {});
  };
  const all = Promise.all(callers.map(caller));
  await pause(duration * 1000);
  stop.abort();
  const counted = done;
  await all;
  return counted;
}
