/**
 * A process that holds a lease and is stopped by test/client/holds/sessions.test.ts. It runs without a pause, so no
 * timer of its own runs before it looks at its signal.
 */
import { Holdfast } from '../../packages/client/src/index.ts';

const { URL: url = '', KEY: key = '' } = process.env;
const say = (line: string) => void process.stdout.write(`${line}\n`);

/** Returns when this process has been stopped for a second and goes on. */
function runUntilStopped(): void {
  const giveUpAt = Date.now() + 30_000;
  // One look at the clock in each iteration: a stop may fall between any two.
  for (let last = Date.now(), now = last; now - last < 1000; ) {
    if (now > giveUpAt) throw new Error('it was not stopped');
    last = now;
    now = Date.now();
  }
}

const holdfast = new Holdfast({ url, key });
await holdfast
  .using('protected', { ttl: '3s' }, (_, signal) => {
    say('running');
    runUntilStopped();
    say(signal.aborted ? 'aborted' : 'not aborted');
  })
  .catch((error: unknown) => say(error instanceof Object && 'code' in error ? String(error.code) : String(error)));
