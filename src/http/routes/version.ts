/** GET /version: the version that this instance runs. */
import { Version } from '../../contract/version.ts';
import { BUILD } from '../../domain/build.ts';
import type { ObserveDeps } from '../call/observe.ts';
import { operation } from '../call/operation.ts';
import { json } from '../call/reply.ts';
import { openRoute, type Route } from '../call/route.ts';
import { answer } from '../responses.ts';

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
