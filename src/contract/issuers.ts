/**
 * The issuers whose JWTs a tenant trusts, and the exchange of a JWT for a token (docs/specification.md#jwt-exchange).
 */
import { z } from 'zod';
import { issuerTextFault, MAX_ISSUER_BYTES, nameFault } from '../domain/names.ts';
import { publicIssuerFault } from '../domain/publicIssuers.ts';
import { type Conditions, conditionFault, INSTANCE, REGISTRATION_ID, templateFault } from '../domain/registrations.ts';
import { TOKEN_PERMISSIONS } from '../domain/rights.ts';
import { DEFAULT_PRIORITY } from '../domain/waiting.ts';
import { byRule, item, must, tenantId, time } from './fields.ts';
import { prefix } from './keys.ts';
import { maxPriority } from './tenant.ts';

const MAX_CLAIMS = 16;
const MAX_VALUES = 32;
const MAX_CLAIM_LENGTH = 256;
/** Of all conditions of a registration as JSON: as long as a JWT. */
const MAX_CONDITIONS_LENGTH = 8192;

const issuerText = (description: string) =>
  z
    .string({ error: must('a string') })
    .refine(...byRule(issuerTextFault))
    .meta({ description, minLength: 1, maxLength: MAX_ISSUER_BYTES });

const registrationId = z
  .string({ error: must('a string') })
  .regex(REGISTRATION_ID, 'must be 1 to 64 letters, digits, dots, hyphens and underscores')
  .meta({ description: 'Names the registration: your choice.', example: 'github' });

const valueRule = `must be a string, or an array of 1 to ${MAX_VALUES} strings`;
const conditionValue = z.string(valueRule).refine(...byRule(conditionFault));
const condition = z.union(
  [conditionValue, z.array(conditionValue).min(1, valueRule).max(MAX_VALUES, valueRule)],
  valueRule,
);

const claimRule = 'must have names of claims of 1 to 256 characters';
const isClaimName = (name: string) => nameFault(name, MAX_CLAIM_LENGTH) === null;

/** A name that zod drops without a word: with it alone, conditions would be empty, and admit everybody. */
const UNSAFE = '__proto__';
const conditions = z
  .preprocess(
    (given, context) => {
      if (typeof given === 'object' && given !== null && Object.hasOwn(given, UNSAFE))
        context.addIssue({ code: 'custom', message: `must have no ${UNSAFE}` });
      return given;
    },
    z.record(z.string(), condition, { error: must('an object') }),
  )
  .superRefine((all: Conditions, context) => {
    const names = Object.keys(all);
    const fault =
      names.length > MAX_CLAIMS
        ? `must have at most ${MAX_CLAIMS} claims`
        : JSON.stringify(all).length > MAX_CONDITIONS_LENGTH
          ? `must be at most ${MAX_CONDITIONS_LENGTH} characters of JSON`
          : names.every(isClaimName)
            ? null
            : claimRule;
    if (fault !== null) context.addIssue({ code: 'custom', message: fault });
  })
  .meta({
    type: 'object',
    description:
      'Claim → its value, or values of which it must have one. A value may end with `*` after `/` or `:`. `{}`: everybody with such a JWT.',
    example: { repository_id: '4711', ref: ['refs/heads/main', 'refs/heads/release/*'] },
  });

const permissionRule = `must be one of ${TOKEN_PERMISSIONS.join(', ')}`;

const fields = {
  id: registrationId,
  issuer: issuerText('The `iss` of the JWTs.'),
  audience: issuerText('A value of the `aud` of the JWTs.'),
  jwksUrl: issuerText('The URL of the issuer’s keys.'),
  conditions,
  permission: z
    .enum(TOKEN_PERMISSIONS, permissionRule)
    .meta({ description: 'What the tokens may do. `read`: no reserving.' }),
  prefix: prefix.meta({ description: 'The tokens change only names that start with this. Empty: any name.' }),
  maxPriority: maxPriority.meta({
    description: 'The highest priority that requests with the tokens may wait with.',
    example: 0,
  }),
  requester: z
    .string('must be a string')
    .refine(...byRule(templateFault))
    .meta({ description: 'The requester of the tokens, with claims in braces.', example: '{repository}#{run_id}' }),
  instances: z.boolean('must be true or false').meta({
    description: 'True: an exchange must name its `instance`, which the requester ends with.',
  }),
};

export const Issuer = z.object(fields).meta({ id: 'Issuer' });

/** The fields of a registration to make. Those that are left out have their defaults. */
export const newIssuer = {
  ...fields,
  permission: fields.permission.default('reserve'),
  prefix: fields.prefix.default(''),
  maxPriority: fields.maxPriority.default(DEFAULT_PRIORITY),
  requester: fields.requester.default('{sub}'),
  instances: fields.instances.default(false),
};

/** Refuses a registration of a public issuer that does not say whose JWTs it means. */
export function refusePublic(
  { issuer, conditions: given }: { readonly issuer: string; readonly conditions: Conditions },
  context: z.RefinementCtx,
): void {
  const fault = publicIssuerFault(issuer, given);
  if (fault !== null) context.addIssue({ code: 'custom', path: ['conditions'], message: fault });
}

export const NewIssuer = item(newIssuer).superRefine(refusePublic).meta({ id: 'IssuerToRegister' });

export const DeleteIssuerQuery = z.object({ id: registrationId });
export const DeletedIssuer = z.object({ deleted: registrationId }).meta({ id: 'DeletedIssuer' });

/** The exchange of a JWT for a token. */
export const Exchange = item({
  jwt: z.string('must be a string').meta({ description: 'Signed by an issuer that the tenant has registered.' }),
  tenant: tenantId.optional().meta({
    description: 'Not needed if the JWT has the audience `holdfast:<tenant id>`.',
    example: 'acme',
  }),
  issuer: registrationId.optional().meta({
    description: 'The id of a registration. Needed if the JWT matches several.',
    example: 'github',
  }),
  instance: z.string('must be a string').regex(INSTANCE, 'must be 10 to 32 of a-z and 0-9').optional().meta({
    description:
      'Random characters that a job makes once: they tell the jobs of a run apart. Another exchange with the same ones gives the same requester.',
    example: 'k3v9x0q2mwd7',
  }),
}).meta({ id: 'Exchange' });

export const Token = z
  .object({
    token: z.string().meta({ description: 'Send it in `X-Api-Key`.' }),
    tokenType: z.literal('Bearer').meta({ description: 'It can be sent as `Authorization: Bearer`, too.' }),
    expiresIn: z.int().meta({ description: 'Seconds.', example: 900 }),
    expiresAt: time.meta({ description: 'When the token ends.' }),
    requester: z
      .string()
      .meta({ description: 'The requester that the token acts for, and no other.', example: 'acme/app#4711' }),
    issuer: registrationId.meta({ description: 'The id of the registration that the JWT matches.' }),
  })
  .meta({ id: 'Token' });
