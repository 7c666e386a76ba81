/**
 * Refuses what a derived token may not do: reset, register, delete (docs/specification.md#identity), and whatever is
 * about the tenant as a whole.
 */
import { createMiddleware } from 'hono/factory';
import { HoldfastError } from '../../domain/errors.ts';
import type { AppEnv } from '../env.ts';

/** @throws HoldfastError forbidden */
export const notByToken = createMiddleware<AppEnv>(async (c, next) => {
  if (c.get('credential').kind === 'token') throw new HoldfastError('forbidden', 'A derived token may not do this.');
  await next();
});
