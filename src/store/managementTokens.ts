/**
 * A tenant's management tokens (docs/specification.md#management-tokens). Only their digests are kept.
 */
import { and, asc, count, eq, gt } from 'drizzle-orm';
import { HoldfastError } from '../domain/errors.ts';
import type { Scope } from '../domain/rights.ts';
import { managementKey } from '../domain/tenants.ts';
import type { Author } from './audit.ts';
import { revokeInvitationsOf } from './lostRoles.ts';
import { changeRecord, IdInUse, type Store } from './records.ts';
import { managementTokens } from './schema.ts';

export const MAX_TOKENS = 100;

/** The stored part of a new token. */
export interface NewToken {
  /** undefined: any */
  readonly id?: string | undefined;
  readonly digest: string;
  readonly label: string;
  readonly scopes: Scope[];
  readonly expiresAt: Date;
}

export interface TokenRow {
  readonly id: string;
  readonly label: string;
  readonly scopes: Scope[];
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const { id, label, scopes, createdBy, createdAt, expiresAt } = managementTokens;
const COLUMNS = { id, label, scopes, createdBy, createdAt, expiresAt };

const ofTenant = (tenant: string, of: string) => and(eq(managementTokens.tenantId, tenant), eq(id, of));

const noSuchToken = () => new HoldfastError('unknown', 'There is no such token.');

/**
 * Lists a page of a tenant's tokens, by id.
 * @param after the last id of the previous page
 * @throws HoldfastError unavailable
 */
export const listTokens = (
  { database }: Store,
  tenant: string,
  after: string | undefined,
  limit: number,
): Promise<TokenRow[]> =>
  database.of(tenant).run((db) =>
    db
      .select(COLUMNS)
      .from(managementTokens)
      .where(and(eq(managementTokens.tenantId, tenant), after === undefined ? undefined : gt(id, after)))
      .orderBy(asc(id))
      .limit(limit),
  );

/** @throws HoldfastError unknown, unavailable */
export async function readToken({ database }: Store, tenant: string, of: string): Promise<TokenRow> {
  const [row] = await database
    .of(tenant)
    .run((db) => db.select(COLUMNS).from(managementTokens).where(ofTenant(tenant, of)));
  if (row === undefined) throw noSuchToken();
  return row;
}

/**
 * Creates a token. It is valid when this returns. A repeat, with the same id and content, changes nothing.
 * @returns `isNew` is false for a repeat
 * @throws HoldfastError refused if the id has another content or there are too many tokens; the errors of
 * changeRecord()
 */
export async function createToken(
  store: Store,
  tenant: string,
  token: NewToken,
  by: Author,
): Promise<{ readonly row: TokenRow; readonly isNew: boolean }> {
  const details = { label: token.label, scopes: token.scopes };
  try {
    const row = await changeRecord(store, tenant, { ...by, action: 'token.create', details }, async (tx) => {
      const [made] = await tx
        .insert(managementTokens)
        .values({ ...token, tenantId: tenant, createdBy: by.actor })
        .onConflictDoNothing({ target: id })
        .returning(COLUMNS);
      if (made === undefined) throw new IdInUse();
      const [existing] = await tx
        .select({ tokens: count() })
        .from(managementTokens)
        .where(eq(managementTokens.tenantId, tenant));
      if ((existing?.tokens ?? 0) > MAX_TOKENS)
        throw new HoldfastError('refused', `a tenant has at most ${MAX_TOKENS} management tokens`);
      return made;
    });
    return { row, isNew: true };
  } catch (error) {
    if (!(error instanceof IdInUse)) throw error;
    const [row] = await store.database.of(tenant).run((db) =>
      db
        .select(COLUMNS)
        .from(managementTokens)
        .where(ofTenant(tenant, token.id ?? '')),
    );
    if (row === undefined || !isSame(row, token)) throw error;
    return { row, isNew: false };
  }
}

const isSame = (row: TokenRow, token: NewToken): boolean =>
  row.label === token.label &&
  row.expiresAt.getTime() === token.expiresAt.getTime() &&
  row.scopes.join() === token.scopes.join();

/**
 * Deletes a token, and revokes the invitations that it has made. It is invalid on every instance when this returns.
 * @throws HoldfastError unknown; the errors of changeRecord()
 */
export const deleteToken = (store: Store, tenant: string, of: string, by: Author): Promise<TokenRow> =>
  changeRecord(
    store,
    tenant,
    ({ id, label }) => ({ ...by, action: 'token.delete', details: { id, label } }),
    async (tx) => {
      const columns = { ...COLUMNS, digest: managementTokens.digest };
      const [deleted] = await tx.delete(managementTokens).where(ofTenant(tenant, of)).returning(columns);
      if (deleted === undefined) throw noSuchToken();
      const { digest, ...row } = deleted;
      await revokeInvitationsOf(tx, tenant, managementKey(digest), by);
      return row;
    },
  );
