/**
 * Logs an unexpected error, with the lines of code that it comes from. Its caller learns nothing of these.
 */
import { framesOf } from '../telemetry/log.ts';
import type { AppEnv } from './env.ts';

interface FaultyCall {
  readonly var: Pick<AppEnv['Variables'], 'log' | 'requestId'>;
}

export function logFault({ var: { log, requestId } }: FaultyCall, error: unknown, what: string): void {
  log.error({ requestId, err: error, stack: framesOf(error) }, what);
}
