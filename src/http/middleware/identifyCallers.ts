/**
 * Reads the credential of each request, and limits failed authentications for each client address
 * (docs/specification.md#failed-authentications). Scripts verify credentials. A request that reaches no script, because
 * it is malformed or forbidden, is verified here before its caller gets the description of the fault. A request with a
 * large body, or from an address that failed too often, is verified before its body is read.
 */
import { createMiddleware } from 'hono/factory';
import { HoldfastError } from '../../domain/errors.ts';
import { verifyCredential } from '../../engine/tenant/verifyCredential.ts';
import type { OperationDeps } from '../../operations/deps.ts';
import { type SignedInDeps, signedInUser } from '../../operations/signedIn.ts';
import { clientAddress } from '../clientAddress.ts';
import { credentialOf } from '../credential.ts';
import type { CallerDeps } from '../deps.ts';
import type { AppEnv } from '../env.ts';

/** Statuses of requests that reached no script. */
const UNSEEN_BY_A_SCRIPT = new Set([400, 404, 405, 408, 413, 415]);

type FailureDeps = Pick<CallerDeps, 'failedAuthentications' | 'trustedProxies'>;

/**
 * Sets `credential`.
 * @throws HoldfastError unauthenticated, forbidden; LimitError if the client's address has failed too often and the
 * credential is not valid either
 */
export const identifyCallers = ({
  engine,
  roleNow,
  knowsTenant,
  failedAuthentications,
  trustedProxies,
  sessionCookie,
}: CallerDeps & SignedInDeps & Pick<OperationDeps, 'engine'>) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const address = () => clientAddress(c, trustedProxies);
    const found = credentialOf(c, sessionCookie);
    if (found === null || !knowsTenant(found.tenant)) {
      failedAuthentications.check(address);
      await failedAuthentications.count(address());
      throw new HoldfastError('unauthenticated', 'The X-Api-Key header holds no valid key.');
    }
    const credential = { ...found, address: address() };
    c.set('credential', credential);
    // Ends a session whose person has another role by now: scripts then refuse it.
    if (credential.kind === 'session' && roleNow !== null) await signedInUser({ engine, roleNow }, credential);
    const verify = () => verifyCredential(engine, credential);
    const countFailure = async (error: unknown): Promise<void> => {
      if (error instanceof HoldfastError && error.code === 'unauthenticated') {
        failedAuthentications.noteInvalid(credential.credentialKey);
        await failedAuthentications.count(address());
      }
      throw error;
    };
    const tried = failedAuthentications.mayTry(address, credential.credentialKey, verify);
    // Nearly always false: there is nothing to wait for.
    let isVerified = tried !== false && (await tried);
    if (c.env.incoming.readBody !== undefined && !isVerified) {
      await verify().catch(countFailure);
      isVerified = true;
    }
    await next();
    const isForbidden = c.error instanceof HoldfastError && c.error.code === 'forbidden';
    if (isForbidden || UNSEEN_BY_A_SCRIPT.has(c.res.status)) {
      if (!isVerified) await verify().catch(countFailure);
    } else if (c.res.status === 401) {
      await countFailure(c.error);
    } else if (c.res.status < 500) {
      failedAuthentications.noteValid(credential.credentialKey);
    }
  });

/**
 * For paths that need no credential.
 * @throws LimitError if the client's address has failed too often
 */
export const refuseLockedOut = ({ failedAuthentications, trustedProxies }: FailureDeps) =>
  createMiddleware<AppEnv>(async (c, next) => {
    failedAuthentications.check(() => clientAddress(c, trustedProxies));
    await next();
  });
