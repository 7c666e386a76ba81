/**
 * Verifies a credential by a script that does nothing else, for requests that no other script verifies. A malformed
 * request is verified before its caller gets the description of the fault, and a read before it is charged.
 */
import { z } from 'zod';
import { RIGHTS, RIGHTS_OF_KEY, type Right } from '../../domain/rights.ts';
import type { Credential } from '../../domain/tenants.ts';
import { TIERS, type Tier } from '../../domain/tiers.ts';
import { toText } from '../../redis/reply.ts';
import { call } from '../call.ts';
import type { Engine } from '../engine.ts';

export interface Verified {
  readonly tier: Tier;
  /** The label of the key or of the management token; '' none, or another credential */
  readonly label: string;
  /** What the credential may do. */
  readonly rights: readonly Right[];
}

/**
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
  return { tier: z.enum(TIERS).parse(tier), label: toText(label), rights: rightsOf(credential, toText(rights)) };
}

/** @param text the rights, with spaces between them; '' all that such a credential can have */
function rightsOf({ kind }: Credential, text: string): readonly Right[] {
  if (text === '') return kind === 'token' ? RIGHTS_OF_KEY.reserve : RIGHTS_OF_KEY.full;
  const words = new Set(text.split(' '));
  return RIGHTS.filter((right) => words.has(right));
}
