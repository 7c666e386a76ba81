/**
 * The schemas of the API by which forms are checked, so that people and programs follow the same rules.
 */
import { CheckBody } from '../contract/check.ts';
import { ConditionBody } from '../contract/conditions.ts';
import { RegisterBody } from '../contract/definitions.ts';
import { name, type Rules } from '../contract/fields.ts';
import { RenewBody } from '../contract/renewals.ts';
import { ReserveBody, Transaction, UnreserveBody } from '../contract/reservations.ts';
import { SettingsChange } from '../contract/tenant.ts';
import { CancelBody } from '../contract/waiting.ts';
import { MAX_LABEL_LENGTH } from '../domain/tenants.ts';

export { TenantsQuery, TenantToCreate, TierChange } from '../contract/admin.ts';
export { NameParams } from '../contract/definitions.ts';
export { DeleteIssuerQuery } from '../contract/issuers.ts';
export { KeyChange, KeyParams, NewKey } from '../contract/keys.ts';
export { ManagementTokenParams, NewManagementToken } from '../contract/managementTokens.ts';
export { GroupParams, MemberParams, NewInvitation, RoleChange } from '../contract/members.ts';
export { NewSubscription, SubscriptionChange, SubscriptionParams } from '../contract/notices.ts';
export { NewSlackApp } from '../contract/tenant.ts';
export { issuerSchema } from '../operations/issuers.ts';

/** Where the screen of a wallboard is. */
export const WallboardLabel = name(MAX_LABEL_LENGTH);

export const reserveSchema = ({ sizes }: Rules) => ReserveBody(sizes);
export const transactionSchema = ({ sizes }: Rules) => Transaction(sizes);
export const renewSchema = ({ sizes }: Rules) => RenewBody(sizes);
export const checkSchema = ({ sizes }: Rules) => CheckBody(sizes);
export const releaseSchema = ({ sizes }: Rules) => UnreserveBody(sizes);
export const cancelSchema = ({ sizes }: Rules) => CancelBody(sizes);
export const registerSchema = ({ sizes }: Rules) => RegisterBody(sizes);
export const settingsSchema = ({ sizes }: Rules) => SettingsChange(sizes);
export const conditionsSchema = ({ sizes }: Rules) => ConditionBody(sizes);
