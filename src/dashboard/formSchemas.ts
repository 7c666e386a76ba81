/**
 * The schemas of the API by which forms are checked, so that people and programs follow the same rules.
 */
import { z } from 'zod';
import { TIERS } from '../domain/tiers.ts';
import type { BodyDeps } from '../http/deps.ts';
import { batch, item, keyLabel, resourceName } from '../http/fields.ts';
import { unreserveItemFields } from '../http/routes/reservation/unreserve.ts';
import { registrationSchema } from '../http/routes/resource/register.ts';

export const NewKey = z.object({ label: keyLabel.nullish() });
export const KeyName = z.object({ id: z.uuid('must be the id of a key') });
export const TierChange = z.object({ tier: z.enum(TIERS, `must be one of ${TIERS.join(', ')}`) });

export const releaseSchema = ({ sizes, unknownFields }: BodyDeps) =>
  batch(item(unreserveItemFields(sizes), unknownFields), sizes);
export const registerSchema = (deps: BodyDeps) => batch(registrationSchema(deps), deps.sizes);
export const resourceSchema = ({ sizes }: BodyDeps) => z.object({ name: resourceName(sizes) });
export { IssuerName, issuerSchema } from '../http/routes/tenant/issuers.ts';
