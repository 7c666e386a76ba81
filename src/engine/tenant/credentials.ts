/**
 * Who calls: verifies credentials, and names callers in the audit trail.
 */
import { z } from 'zod';
import { HoldfastError } from '../../domain/errors.ts';
import { RIGHTS, RIGHTS_OF_KEY, type Right } from '../../domain/rights.ts';
import type { Credential } from '../../domain/tenants.ts';
import { TIERS, type Tier } from '../../domain/tiers.ts';
import { toText } from '../../redis/reply.ts';
import { call } from '../call.ts';
import type { Engine } from '../engine.ts';
import { actorNameOf, readSignIn } from './signIns.ts';

export interface Verified {
  readonly tier: Tier;
  /** The label of the key or of the management token; '' none, or another credential */
  readonly label: string;
  /** The rights of the credential. */
  readonly rights: readonly Right[];
}

/**
 * Verifies a credential by a script that does nothing else, for requests that no other script verifies. A malformed
 * request is verified before its caller gets the description of the fault, and a read before it is charged.
 * @param right what the credential must be allowed to do; null: anything
 * @returns the tenant's tier, and what the credential is called and may do
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function verifyCredential(
  engine: Engine,
  credential: Credential,
  right: Right | null = null,
): Promise<Verified> {
  const [tier, label, rights] = await call(engine, 'authenticate', credential, () => [right ?? '']);
  return { tier: z.enum(TIERS).parse(tier), label: toText(label), rights: rightsOf(toText(rights)) };
}

/** @param text the rights, with spaces between them; '' all that a key can have */
function rightsOf(text: string): readonly Right[] {
  if (text === '') return RIGHTS_OF_KEY.full;
  const words = new Set(text.split(' '));
  return RIGHTS.filter((right) => words.has(right));
}

/** Who makes a change, as the audit trail names it (docs/specification.md#audit-trail). */
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
