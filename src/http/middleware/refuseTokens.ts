/**
 * Refuses derived tokens before a request's body is read.
 */
import { createMiddleware } from 'hono/factory';
import { refuseToken } from '../../operations/permissions.ts';
import type { AppEnv } from '../env.ts';

/** @throws HoldfastError forbidden */
export const refuseTokens = createMiddleware<AppEnv>(async (c, next) => {
  refuseToken(c.get('credential'));
  await next();
});
