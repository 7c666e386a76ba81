/**
 * The schemas of the API by which forms are checked, so that people and programs follow the same rules.
 */
import { CheckBody } from '../contract/check.ts';
import { NameParams, RegisterBody } from '../contract/definitions.ts';
import { RenewBody, ReserveBody, UnreserveBody } from '../contract/reservations.ts';
import { type Rules, withRules } from '../contract/sizes.ts';
import { SettingsChange } from '../contract/tenant.ts';
import { CancelBody } from '../contract/waiting.ts';

export { TenantsQuery, TenantToCreate, TierChange } from '../contract/admin.ts';
export { KeyChange, KeyParams, NewKey } from '../contract/keys.ts';
export { ManagementTokenParams, NewManagementToken } from '../contract/managementTokens.ts';
export { GroupParams, MemberParams, NewInvitation, RoleChange } from '../contract/members.ts';
export { DeleteIssuerQuery } from '../contract/tenant.ts';
export { issuerSchema } from '../operations/issuers.ts';

export const reserveSchema = (rules: Rules) => withRules(ReserveBody, rules);
export const renewSchema = (rules: Rules) => withRules(RenewBody, rules);
export const checkSchema = (rules: Rules) => withRules(CheckBody, rules);
export const releaseSchema = (rules: Rules) => withRules(UnreserveBody, rules);
export const cancelSchema = (rules: Rules) => withRules(CancelBody, rules);
export const registerSchema = (rules: Rules) => withRules(RegisterBody, rules);
export const settingsSchema = (rules: Rules) => withRules(SettingsChange, rules);
export const resourceSchema = (rules: Rules) => withRules(NameParams, rules);
