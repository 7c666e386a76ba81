/**
 * How definitions are changed, with a database (changeInDatabase.ts) or without one (changeInRedis.ts).
 */

import type { Charged } from '../domain/quota.ts';
import type { Definition, Registration } from '../domain/resources.ts';
import type { Credential } from '../domain/tenants.ts';

/**
 * How definitions are changed, in whichever mode the service runs. Errors are those of engine/definitions/register.ts
 * and engine/definitions/delete.ts.
 */
export interface DefinitionChanges {
  /** @returns the definitions as stored, ancestors that were registered along included */
  register(credential: Credential, items: readonly Registration[]): Promise<Charged<Definition[]>>;
  /** @returns the names deleted, ancestors first */
  delete(credential: Credential, name: string, cascade: boolean): Promise<Charged<string[]>>;
}
