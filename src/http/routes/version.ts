/** GET /version: the version that this instance runs. */
import { OpenAPIHono } from '@hono/zod-openapi';
import { Version } from '../../contract/version.ts';
import { BUILD } from '../../domain/build.ts';
import type { AppEnv } from '../env.ts';
import { operation } from '../operation.ts';
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

export const versionRoute = () => new OpenAPIHono<AppEnv>().openapi(versionOperation, (c) => c.json(BUILD, 200));
