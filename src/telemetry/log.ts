/**
 * Structured logs: JSON lines on standard output. No key or token is ever given to the logger; should one slip into a
 * header or a body that is logged, its usual names are cut out.
 */
import { type DestinationStream, destination, type Logger, pino } from 'pino';

/**
 * @param level least level that is written
 * @param stream where to; by default standard output, written a few KiB at a time and when the process ends
 */
export function createLogger(level: string, stream?: DestinationStream): Logger {
  const redact = { paths: ['*.releaseToken', '*["x-api-key"]', '*.cookie', '*.authorization'], remove: true };
  const to = stream ?? destination({ sync: false, minLength: 4096, periodicFlush: 500 });
  return pino({ level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"`, redact }, to);
}
