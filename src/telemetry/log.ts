/**
 * Structured logs: JSON lines on standard output, without keys and tokens. Unexpected errors have the lines of code
 * that they come from.
 */
import { type DestinationStream, destination, type Logger, pino } from 'pino';

/**
 * @param level the lowest level that is logged
 * @param stream standard output by default, written in chunks of 16 KiB, twice a second, and when the process ends
 */
export function createLogger(level: string, stream: DestinationStream = standardOutput()): Logger {
  return pino({ level, base: null, timestamp, serializers: { err: brief } }, stream);
}

type Output = DestinationStream & { flush(done?: (error?: Error) => void): void };

let output: Output | undefined;

/** Returns the one stream to standard output, which all loggers of a process share. */
function standardOutput(): Output {
  output ??= openOutput();
  return output;
}

/**
 * Passes on the lines of one iteration of the event loop together, since each write makes the destination measure its
 * whole buffer.
 */
function openOutput(): Output {
  let lines: string[] = [];
  const flushLines = () => {
    const text = lines.join('');
    lines = [];
    to.write(text);
  };
  // Registered before the destination's own handler, which writes its buffer.
  process.once('exit', flushLines);
  const to = destination({ sync: false, minLength: 16_000, periodicFlush: 500 });
  return {
    write: (line) => {
      if (lines.push(line) === 1) setImmediate(flushLines);
    },
    flush: (done) => {
      flushLines();
      to.flush(done);
    },
  };
}

let cachedMs = 0;
let cached = '';

/** Returns the time as pino adds it to a line. Formats it once a millisecond. */
function timestamp(): string {
  const nowMs = Date.now();
  if (nowMs !== cachedMs) {
    cachedMs = nowMs;
    cached = `,"time":"${new Date(nowMs).toISOString()}"`;
  }
  return cached;
}

const FRAME = /^\s+at (.*)$/gm;

/** Returns where an error comes from: the functions and lines of its stack, without its message. */
export const framesOf = (error: unknown): string[] =>
  error instanceof Error ? Array.from((error.stack ?? '').matchAll(FRAME), ([, frame = '']) => frame) : [];

/**
 * Serializes an error without its stack, its cause and the properties that libraries add: ioredis adds the command with
 * its tokens.
 */
const brief = (error: unknown) =>
  error instanceof Error
    ? { type: error.name, message: error.message, ...('code' in error ? { code: error.code } : {}) }
    : { type: typeof error };
