/**
 * The checks behind GET /readyz and GET /healthz.
 */
import type { Logger } from 'pino';
import type { LivenessCheck, ReadinessCheck } from '../http/deps.ts';
import type { StartUp } from '../jobs/startUp.ts';
import type { RedisClient } from '../redis/client.ts';
import { Liveness, redisFault } from '../redis/health.ts';
import { isFull, writeRefusal } from '../redis/send.ts';
import type { Clients } from './clients.ts';

/** Time for which the result of a check is reused, in ms. */
const REUSED_MS = 500;

export interface Health {
  readonly ready: ReadinessCheck;
  readonly alive: LivenessCheck;
  /** Makes readiness fail from now on. */
  unready(): void;
  close(): void;
}

/** @param livenessMs time without a usable Redis after which the instance should be restarted */
export function watchHealth(clients: Clients, start: StartUp, livenessMs: number, log: Logger): Health {
  let isLeaving = false;
  let logged: string | null = null;
  const redisReady = joinChecks(async () => {
    // Releases work in a full Redis, and must reach an instance to make room.
    const reason = await redisFault(clients.redis).catch((error: unknown) =>
      isFull(error) ? null : (refusesToWrite(error) ?? 'the reservation store cannot be reached'),
    );
    if (reason !== logged) {
      if (reason === null) log.info('ready again');
      else log.warn({ reason }, 'not ready');
    }
    logged = reason;
    return reason;
  });
  const liveness = new Liveness(
    () => areFit(clients.forScripts),
    async () => {
      const fresh = clients.createFresh();
      return areFit([fresh]).finally(() => fresh.disconnect());
    },
    livenessMs,
  );
  return {
    ready: async () => (isLeaving ? 'leaving' : (start.fault ?? redisReady())),
    alive: () => liveness.fault,
    unready: () => {
      isLeaving = true;
    },
    close: () => liveness.close(),
  };
}

/** Returns for operators that Redis refuses to write, and why; null: it does not. */
export function refusesToWrite(error: unknown): string | null {
  const words = writeRefusal(error);
  return words === null ? null : `Redis refuses to write (${words})`;
}

/** Returns true if Redis responds on each client. Other faults of Redis are no reason to restart this process. */
const areFit = (clients: readonly RedisClient[]) =>
  Promise.all(clients.map(redisFault)).then(
    () => true,
    () => false,
  );

/**
 * Runs one check at a time and reuses its result for half a second: anybody may call /readyz, and each check costs
 * Redis nine commands.
 */
function joinChecks(check: ReadinessCheck): ReadinessCheck {
  let last: Promise<string | null> | undefined;
  return () => {
    if (last === undefined) {
      last = check();
      const forget = () => {
        last = undefined;
      };
      last.finally(() => setTimeout(forget, REUSED_MS).unref()).catch(() => {});
    }
    return last;
  };
}
