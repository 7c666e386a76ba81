/**
 * Takes the API key from its header (interface, "Authentication"). The script that serves the request verifies it; a
 * request that never gets so far, because it is malformed, has its key verified here before it is told what is wrong.
 */
import { createMiddleware } from 'hono/factory';
import { HoldfastError } from '../../domain/errors.ts';
import { authenticate as verify } from '../../engine/authenticate.ts';
import type { Engine } from '../../engine/engine.ts';
import { parseKey } from '../../identity/apiKeys.ts';
import type { AppEnv } from '../env.ts';

const UNSEEN_BY_A_SCRIPT = new Set([400, 404, 405, 413, 415]);

/** @param knowsTenant false where there can be no such tenant: its keys are refused, whatever Redis still holds of it */
export const authenticate = (engine: Engine, knowsTenant: (id: string) => boolean) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const key = c.req.header('X-Api-Key');
    if (key === undefined) throw new HoldfastError('unauthenticated', 'The X-Api-Key header is missing.');
    const credential = parseKey(key);
    if (credential === null || !knowsTenant(credential.tenant)) {
      throw new HoldfastError('unauthenticated', 'The X-Api-Key header holds no valid key.');
    }
    c.set('credential', credential);
    await next();
    if (UNSEEN_BY_A_SCRIPT.has(c.res.status)) await verify(engine, credential);
  });
