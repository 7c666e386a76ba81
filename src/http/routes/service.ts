/**
 * The state of the instance: its health, and the version that it runs.
 */
import { Health, Version } from '../../contract/service.ts';
import { BUILD } from '../../domain/build.ts';
import type { ObserveDeps } from '../call/observe.ts';
import { operation } from '../call/operation.ts';
import { json } from '../call/reply.ts';
import { openRoute, type Route } from '../call/route.ts';
import type { LivenessCheck, ReadinessCheck } from '../deps.ts';
import { answer } from '../openapi/responses.ts';

const healthOperation = operation({
  method: 'get',
  path: '/healthz',
  operationId: 'checkLiveness',
  right: 'anybody',
  tags: ['Service'],
  summary: 'Check liveness',
  description:
    'For the liveness probe of an orchestrator. It fails only if a restart would help: the instance has had no usable Redis for `LIVENESS_REDIS_SECONDS`, although a new connection works.',
  responses: {
    200: answer('The process is alive.', Health),
    503: answer('The process should be restarted; `reason` says why.', Health),
  },
});

const readyOperation = operation({
  method: 'get',
  path: '/readyz',
  operationId: 'checkReadiness',
  right: 'anybody',
  tags: ['Service'],
  summary: 'Check readiness',
  description:
    'For the readiness probe of an orchestrator. It passes if Redis runs scripts and keeps what they write, and the instance is not stopping.',
  responses: { 200: answer('Ready to serve.', Health), 503: answer('Not ready; `reason` says why.', Health) },
});

/**
 * GET /healthz: liveness, fails if only a restart would help. GET /readyz: readiness, passes if Redis runs scripts and
 * keeps what they write.
 */
export const healthOperations = [healthOperation, readyOperation];

export const healthRoutes = (ready: ReadinessCheck, alive: LivenessCheck): readonly Route<ObserveDeps>[] => [
  openRoute(healthOperation, async () => alive(), healthOf),
  openRoute(readyOperation, () => ready(), healthOf),
];

/** @param reason why it fails; null: it does not */
const healthOf = (reason: string | null) =>
  reason === null ? json({ status: 'ok' }) : json({ status: 'unavailable', reason }, 503);

/** GET /version: the version that this instance runs. */
export const versionOperation = operation({
  method: 'get',
  path: '/version',
  operationId: 'getVersion',
  right: 'anybody',
  tags: ['Service'],
  summary: 'Read the version',
  responses: { 200: answer('The version that this instance runs.', Version) },
});

export const versionRoute = (): Route<ObserveDeps> =>
  openRoute(
    versionOperation,
    async () => BUILD,
    (build) => json(build),
  );
