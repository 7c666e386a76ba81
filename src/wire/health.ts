/**
 * The checks behind GET /readyz and GET /healthz.
 */
import { type LivenessCheck, type ReadinessCheck, shareCheck } from '../http/health.ts';
import type { StartUp } from '../jobs/startUp.ts';
import type { RedisClient } from '../redis/client.ts';
import { redisFault } from '../redis/health.ts';
import { Liveness } from '../redis/liveness.ts';
import { isFull } from '../redis/send.ts';
import type { Clients } from './clients.ts';

export interface Health {
  readonly ready: ReadinessCheck;
  readonly alive: LivenessCheck;
  /** Makes readiness fail from now on. */
  unready(): void;
  close(): void;
}

/** @param livenessMs time without a usable Redis after which the instance should be restarted */
export function watchHealth(clients: Clients, start: StartUp, livenessMs: number): Health {
  let isLeaving = false;
  const redisReady = shareCheck(() =>
    // Releases work in a full Redis, and must reach an instance to make room.
    redisFault(clients.redis).catch((error: unknown) =>
      isFull(error) ? null : 'the reservation store cannot be reached',
    ),
  );
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

/** Whether Redis responds on each client. Other faults of Redis are no reason to restart this process. */
const areFit = (clients: readonly RedisClient[]) =>
  Promise.all(clients.map(redisFault)).then(
    () => true,
    () => false,
  );
