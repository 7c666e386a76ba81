/**
 * Takes the API key from its header (interface, "Authentication"). The script that serves the request verifies it; a
 * request that never gets so far, because it is malformed, has its key verified here before it is told what is wrong.
 */
import { createMiddleware } from 'hono/factory';
import { HoldfastError } from '../../domain/errors.ts';
import { authenticate as verify } from '../../engine/authenticate.ts';
import { parseKey } from '../../identity/credentials.ts';
import { clientAddress } from '../clientAddress.ts';
import type { AppEnv, HttpDeps } from '../env.ts';

const UNSEEN_BY_A_SCRIPT = new Set([400, 404, 405, 413, 415]);

/** @throws LimitError where the client's address has failed too often */
export const authenticate = ({ engine, knowsTenant, failedAuthentications, trustedProxies }: HttpDeps) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const address = () => clientAddress(c, trustedProxies);
    failedAuthentications.check(address);
    const key = c.req.header('X-Api-Key');
    const credential = key === undefined ? null : parseKey(key);
    if (credential === null || !knowsTenant(credential.tenant)) {
      await failedAuthentications.count(address());
      const fault = key === undefined ? 'is missing' : 'holds no valid key';
      throw new HoldfastError('unauthenticated', `The X-Api-Key header ${fault}.`);
    }
    c.set('credential', credential);
    await next();
    if (UNSEEN_BY_A_SCRIPT.has(c.res.status)) await verify(engine, credential).catch(countFailure);
    else if (c.res.status === 401) await countFailure(c.error);

    async function countFailure(error: unknown): Promise<void> {
      if (error instanceof HoldfastError && error.code === 'unauthenticated')
        await failedAuthentications.count(address());
      throw error;
    }
  });
