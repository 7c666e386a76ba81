/**
 * Signs in whoever has an unrestricted API key, as an owner of its tenant. A session ends with its key.
 */
import { Hono } from 'hono';
import { z } from 'zod';
import { HoldfastError } from '../../domain/errors.ts';
import { clientAddress } from '../../http/admission/clientAddress.ts';
import { digestOf } from '../../identity/credentials.ts';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { readForm } from '../form.ts';
import { ownPath } from '../paths.ts';
import { startSession } from '../session/startSession.ts';
import { SIGN_IN } from '../viewer.ts';
import { findUser, LOCAL_USER } from './signInLocal.ts';

const KeyForm = z.object({ key: z.string(), to: z.string().optional() });

export const keyRoutes = (deps: DashboardDeps) =>
  new Hono<DashboardEnv>().post(SIGN_IN, async (c) => {
    const address = clientAddress(c, deps.trustedProxies);
    deps.failedAuthentications.check(address);
    const form = await readForm(c, KeyForm);
    const { tenant, user } = await findKeyHolder(deps, form.key.trim(), address);
    return startSession(deps, c, { tenant, user, to: ownPath(form.to) });
  });

/**
 * Finds the person whom a key makes an owner. The digest of the key stands for it in the session, as a group.
 * @throws HoldfastError forbidden; LimitError if the address has failed too often
 */
async function findKeyHolder(deps: DashboardDeps, key: string, address: string) {
  const person = { ...LOCAL_USER, name: 'Holder of a key', groups: [digestOf(key)] };
  try {
    return await findUser(deps, person, undefined, address);
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code !== 'forbidden') throw error;
    await deps.failedAuthentications.count(address);
    throw new HoldfastError('forbidden', 'This is not an unrestricted key of a tenant here.');
  }
}
