/**
 * Structured logs: JSON lines on standard output, without keys, tokens or stack traces.
 */
import { type DestinationStream, destination, type Logger, pino } from 'pino';

/**
 * @param level least level that is written
 * @param stream where to; by default standard output, written 16 KiB at a time and when the process ends
 */
export function createLogger(level: string, stream?: DestinationStream): Logger {
  const to = stream ?? destination({ sync: false, minLength: 16_000, periodicFlush: 500 });
  return pino(
    { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"`, serializers: { err: brief } },
    to,
  );
}

/** An error without its stack, its cause and what else a library hangs on it: ioredis adds the command, tokens and all. */
const brief = (error: unknown) =>
  error instanceof Error
    ? { type: error.name, message: error.message, ...('code' in error ? { code: error.code } : {}) }
    : { type: typeof error };
