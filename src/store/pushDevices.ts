/**
 * The devices to which members have personal notices pushed (docs/specification.md#push). The rows go with the
 * membership. A device is known by the cookie of its browser, so signing out ends its pushes in all tenants.
 */
import { and, desc, eq, inArray, ne, notInArray } from 'drizzle-orm';
import { HoldfastError } from '../domain/errors.ts';
import type { Db } from './db.ts';
import { roleOf } from './members.ts';
import { pushDevices } from './noticesSchema.ts';
import type { Store } from './records.ts';

type Databases = Pick<Store, 'database'>;

/** Maximum number of devices of a member in a tenant. A new one takes the place of the oldest. */
const MAX_DEVICES = 10;

/** A device of a member. */
export interface Device {
  readonly userId: string;
  readonly deviceId: string;
}

const own = (tenant: string, userId: string) => and(eq(pushDevices.tenantId, tenant), eq(pushDevices.userId, userId));

const one = (tenant: string, { userId, deviceId }: Device) =>
  and(own(tenant, userId), eq(pushDevices.deviceId, deviceId));

/** Returns true if a member has a device, in a transaction. */
export async function hasDevice(db: Db, tenant: string, userId: string): Promise<boolean> {
  const rows = await db.select({ id: pushDevices.deviceId }).from(pushDevices).where(own(tenant, userId)).limit(1);
  return rows.length > 0;
}

/**
 * Keeps a device of a member. If it was somebody else's, it is theirs no more.
 * @param target encrypted
 * @throws HoldfastError unknown if they are no member; unavailable
 */
export const putDevice = ({ database }: Databases, tenant: string, device: Device, target: string): Promise<void> =>
  database.of(tenant).transaction(async (tx) => {
    const { userId, deviceId } = device;
    if ((await roleOf(tx, tenant, userId)) === null) throw new HoldfastError('unknown', 'There is no such member.');
    const createdAt = new Date();
    const row = { tenantId: tenant, userId, deviceId, target, createdAt };
    const { tenantId } = pushDevices;
    await tx.delete(pushDevices).where(ofOthers(deviceId, userId));
    await tx
      .insert(pushDevices)
      .values(row)
      .onConflictDoUpdate({
        target: [tenantId, pushDevices.userId, pushDevices.deviceId],
        set: { target, createdAt },
      });
    const newest = tx
      .select({ id: pushDevices.deviceId })
      .from(pushDevices)
      .where(own(tenant, userId))
      .orderBy(desc(pushDevices.createdAt), pushDevices.deviceId)
      .limit(MAX_DEVICES);
    await tx.delete(pushDevices).where(and(own(tenant, userId), notInArray(pushDevices.deviceId, newest)));
  });

const ofOthers = (deviceId: string, userId: string) =>
  and(eq(pushDevices.deviceId, deviceId), ne(pushDevices.userId, userId));

/** Lists the devices of some members. @throws HoldfastError unavailable */
export const listDevices = (
  { database }: Databases,
  tenant: string,
  userIds: readonly string[],
): Promise<readonly Device[]> =>
  database.of(tenant).run((db) =>
    db
      .select({ userId: pushDevices.userId, deviceId: pushDevices.deviceId })
      .from(pushDevices)
      .where(and(eq(pushDevices.tenantId, tenant), inArray(pushDevices.userId, [...userIds]))),
  );

/**
 * Returns where the pushes of a device go, encrypted; null: push is not on for it
 * @throws HoldfastError unavailable
 */
export async function readDevice({ database }: Databases, tenant: string, device: Device): Promise<string | null> {
  const rows = await database
    .of(tenant)
    .run((db) => db.select({ target: pushDevices.target }).from(pushDevices).where(one(tenant, device)));
  return rows[0]?.target ?? null;
}

/** Ends the pushes of a tenant to a device. @throws HoldfastError unavailable */
export const removeDevice = async ({ database }: Databases, tenant: string, device: Device): Promise<void> =>
  void (await database.of(tenant).run((db) => db.delete(pushDevices).where(one(tenant, device))));

/**
 * Ends the pushes of all tenants to a device.
 * @param to whose pushes stay; null: nobody's
 * @throws HoldfastError unavailable
 */
export const forgetDevice = async ({ database }: Databases, deviceId: string, to: string | null): Promise<void> =>
  void (await database.run((db) =>
    db.delete(pushDevices).where(to === null ? eq(pushDevices.deviceId, deviceId) : ofOthers(deviceId, to)),
  ));
