/**
 * Finds the members who want to be told what happened to their reservations (docs/specification.md#personal-notices).
 */
import { and, eq, inArray, isNull, or, sql } from 'drizzle-orm';
import type { Channel, PersonalNotice } from '../domain/notices.ts';
import { noticeChoices } from './noticesSchema.ts';
import type { Store } from './records.ts';
import { users } from './schema.ts';
import { isSent, sentNotices } from './wantedNotices.ts';

/** Somebody who has chosen to be told something. */
export interface Chooser {
  readonly id: string;
  readonly issuer: string;
  readonly subject: string;
  /** null: they have no verified e-mail address */
  readonly email: string | null;
  readonly name: string | null;
  readonly what: PersonalNotice;
  readonly channels: readonly Channel[];
}

/** The length from which on an e-mail address may be no part of its owner's requester. */
const LONG_EMAIL = 200;

/**
 * Lists members who have chosen notices that the service sends. Those with an e-mail address only if it is one of some.
 * @throws HoldfastError unavailable
 */
export const listChoosers = (
  { database }: Pick<Store, 'database'>,
  tenant: string,
  whats: readonly PersonalNotice[],
  emails: readonly string[],
): Promise<Chooser[]> => {
  const { id, issuer, subject, email, name } = users;
  const { what, channels } = noticeChoices;
  return database.of(tenant).run((db) =>
    db
      .select({ id, issuer, subject, email, name, what, channels })
      .from(noticeChoices)
      .innerJoin(users, eq(users.id, noticeChoices.userId))
      .where(
        and(
          eq(noticeChoices.tenantId, tenant),
          inArray(what, [...whats]),
          isSent,
          or(isNull(email), inArray(email, [...emails]), sql`length(${email}) > ${LONG_EMAIL}`),
        ),
      ),
  );
};

/** Lists the notices that members of a tenant have chosen, as sentNotices() does. @throws HoldfastError unavailable */
export const readSentNotices = (
  { database }: Pick<Store, 'database'>,
  tenant: string,
): Promise<readonly PersonalNotice[]> => database.of(tenant).run((db) => sentNotices(db, tenant));
