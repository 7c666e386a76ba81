/**
 * The source of an e-mail: the personal notices of a member, or a subscription. One click ends all e-mail of it.
 */
import { z } from 'zod';
import { PERSONAL_NOTICES } from '../../domain/notices.ts';

export const MailSource = z.union([
  z.object({ tenant: z.string(), userId: z.string(), notice: z.enum(PERSONAL_NOTICES) }),
  z.object({ tenant: z.string(), subscription: z.string() }),
]);
export type MailSource = z.infer<typeof MailSource>;
