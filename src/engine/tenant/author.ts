/**
 * Names the caller of a request in the audit trail (docs/specification.md#audit-trail).
 */
import { HoldfastError } from '../../domain/errors.ts';
import type { Credential } from '../../domain/tenants.ts';
import type { Engine } from '../engine.ts';
import { actorNameOf, readSignIn } from './signIns.ts';
import { verifyCredential } from './verifyCredential.ts';

/** Who makes a change. */
export interface Author {
  /**
   * `person:<e-mail address or subject>`, `admin:<e-mail address or subject>`, `key:<label>`, or `key` without a label,
   * `token:<label>` of a management token
   */
  readonly actor: string;
  /** The address that the request came from; null: not known */
  readonly address: string | null;
}

/**
 * @param known the label of the key or management token, if a script has returned it; '' none
 * @returns the author; without a name if the credential has ended meanwhile
 * @throws HoldfastError unavailable
 */
export async function authorOf(engine: Engine, credential: Credential, known?: string): Promise<Author> {
  return { actor: await actorOf(engine, credential, known), address: credential.address ?? null };
}

async function actorOf(engine: Engine, credential: Credential, known: string | undefined): Promise<string> {
  if (credential.actor !== undefined) return credential.actor;
  if (credential.kind === 'session') {
    const user = await readSignIn(engine, credential);
    return user === null ? 'person' : actorNameOf('person', user);
  }
  const as = credential.kind === 'management' ? 'token' : 'key';
  const label = known ?? (await labelOf(engine, credential));
  return label === '' ? as : `${as}:${label}`;
}

const labelOf = (engine: Engine, credential: Credential): Promise<string> =>
  verifyCredential(engine, credential).then(
    ({ label }) => label,
    (error: unknown) => {
      if (error instanceof HoldfastError && error.code !== 'unavailable') return '';
      throw error;
    },
  );
