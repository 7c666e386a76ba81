/**
 * Reads the credential of each request. The script that serves the request verifies it.
 */
import { createMiddleware } from 'hono/factory';
import { HoldfastError } from '../../domain/errors.ts';
import { clientAddress } from '../clientAddress.ts';
import { credentialOf } from '../credential.ts';
import type { CallerDeps } from '../deps.ts';
import type { AppEnv } from '../env.ts';

/**
 * Sets `credential`.
 * @throws HoldfastError unauthenticated, forbidden; LimitError if the client's address has failed too often
 */
export const readCredential = ({ knowsTenant, failedAuthentications, trustedProxies, sessionCookie }: CallerDeps) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const credential = credentialOf(c, sessionCookie);
    if (credential === null || !knowsTenant(credential.tenant)) {
      const address = clientAddress(c, trustedProxies);
      failedAuthentications.check(() => address);
      await failedAuthentications.count(address);
      throw new HoldfastError('unauthenticated', 'The X-Api-Key header holds no valid key.');
    }
    c.set('credential', credential);
    // Not awaited: the frame would stay while a call is held.
    return next();
  });
