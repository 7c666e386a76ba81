/**
 * Structured logs: JSON lines on standard output, without keys, tokens or stack traces.
 */
import { type DestinationStream, destination, type Logger, pino } from 'pino';

/**
 * @param level least level that is written
 * @param stream where to; by default standard output, written 16 KiB at a time and when the process ends
 */
export function createLogger(level: string, stream: DestinationStream = standardOutput()): Logger {
  return pino({ level, base: null, timestamp, serializers: { err: brief } }, stream);
}

/**
 * The lines of one turn of the event loop are handed on as one: the destination measures all that it holds with each
 * that it is given.
 */
function standardOutput(): DestinationStream & { flush(done?: (error?: Error) => void): void } {
  let lines: string[] = [];
  const handOn = () => {
    const text = lines.join('');
    lines = [];
    to.write(text);
  };
  // Before the destination's own, which writes what it has.
  process.once('exit', handOn);
  const to = destination({ sync: false, minLength: 16_000, periodicFlush: 500 });
  return {
    write: (line) => {
      if (lines.push(line) === 1) setImmediate(handOn);
    },
    flush: (done) => {
      handOn();
      to.flush(done);
    },
  };
}

let toldMs = 0;
let told = '';

/** The time as pino adds it to a line. */
function timestamp(): string {
  const nowMs = Date.now();
  if (nowMs !== toldMs) {
    toldMs = nowMs;
    told = `,"time":"${new Date(nowMs).toISOString()}"`;
  }
  return told;
}

/**
 * An error without its stack, its cause and what else a library hangs on it: ioredis adds the command, tokens and all.
 */
const brief = (error: unknown) =>
  error instanceof Error
    ? { type: error.name, message: error.message, ...('code' in error ? { code: error.code } : {}) }
    : { type: typeof error };
