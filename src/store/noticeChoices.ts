/**
 * What members want to be told (docs/specification.md#personal-notices). The rows go with the membership.
 */
import { and, eq, isNull } from 'drizzle-orm';
import { HoldfastError } from '../domain/errors.ts';
import { CHANNELS, PERSONAL_NOTICES, type PersonalNotice } from '../domain/notices.ts';
import { type Choices, NO_CHOICES } from '../domain/personalNotices.ts';
import type { Author } from './audit.ts';
import type { Db } from './db.ts';
import { roleOf } from './members.ts';
import { noticeChoices } from './noticesSchema.ts';
import { hasDevice } from './pushDevices.ts';
import { changeRecord, type Store } from './records.ts';
import { tenants, users } from './schema.ts';
import { type SlackUser, slackUserOf } from './slack.ts';

type Databases = Pick<Store, 'database'>;

/** What a member has chosen, and where they can be reached. */
export interface Chosen {
  readonly choices: Choices;
  /** Their verified e-mail address; null: they have none */
  readonly email: string | null;
  /** The account in Slack that they have linked; null: none */
  readonly slack: SlackUser | null;
  /** True if push is on for a device of theirs. */
  readonly hasDevice: boolean;
}

const own = (tenant: string, userId: string) =>
  and(eq(noticeChoices.tenantId, tenant), eq(noticeChoices.userId, userId));

/** @throws HoldfastError unavailable */
export const readChosen = ({ database }: Databases, tenant: string, userId: string): Promise<Chosen> =>
  database.of(tenant).run((db) => readRows(db, tenant, userId));

async function readRows(db: Db, tenant: string, userId: string): Promise<Chosen> {
  const rows = await db.select().from(noticeChoices).where(own(tenant, userId));
  const [user] = await db.select({ email: users.email }).from(users).where(eq(users.id, userId));
  const slack = await slackUserOf(db, tenant, userId);
  const chosen = Object.fromEntries(rows.map(({ what, channels }) => [what, channels]));
  const email = user?.email ?? null;
  return { choices: { ...NO_CHOICES, ...chosen }, email, slack, hasDevice: await hasDevice(db, tenant, userId) };
}

/**
 * Reads the same of somebody who is about to get a message; null: the tenant is suspended or deleted
 * @throws HoldfastError unavailable
 */
export const readRecipient = ({ database }: Databases, tenant: string, userId: string): Promise<Chosen | null> =>
  database.of(tenant).run(async (db) => {
    const working = and(eq(tenants.id, tenant), isNull(tenants.suspendedAt));
    const [found] = await db.select({ id: tenants.id }).from(tenants).where(working);
    return found === undefined ? null : readRows(db, tenant, userId);
  });

/**
 * Changes what a member has chosen. The events that the tenant's outbox takes have changed when this returns.
 * @param change returns the new choices. Throws if they cannot be chosen
 * @throws HoldfastError unknown if they are no member; the errors of `change` and changeRecord()
 */
export const changeChoices = (
  store: Store,
  tenant: string,
  userId: string,
  by: Author,
  change: (now: Chosen) => Choices,
): Promise<Choices> =>
  changeRecord(
    store,
    tenant,
    (choices) => ({ ...by, action: 'notices.choose', details: choices }),
    async (tx) => {
      if ((await roleOf(tx, tenant, userId)) === null) throw new HoldfastError('unknown', 'There is no such member.');
      const choices = inOrder(change(await readRows(tx, tenant, userId)));
      await tx.delete(noticeChoices).where(own(tenant, userId));
      const rows = PERSONAL_NOTICES.flatMap((what) =>
        choices[what].length === 0 ? [] : [{ tenantId: tenant, userId, what, channels: [...choices[what]] }],
      );
      if (rows.length > 0) await tx.insert(noticeChoices).values(rows);
      return choices;
    },
  );

/** The same choices, each channel once and in the order of CHANNELS. */
const inOrder = (choices: Choices): Choices => {
  const ordered = (what: PersonalNotice) => CHANNELS.filter((channel) => choices[what].includes(channel));
  return {
    TURN: ordered('TURN'),
    BEGINS: ordered('BEGINS'),
    ENDS_SOON: ordered('ENDS_SOON'),
    WANTED: ordered('WANTED'),
    TAKEN: ordered('TAKEN'),
  };
};
