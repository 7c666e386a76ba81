/** An owner of a tenant, as a sign-in session has them. */
import type { SessionUser } from '../../src/engine/tenant/signIns.ts';

export const OWNER: SessionUser = {
  id: '7b0d9c51-6f0b-4a83-9a3f-2f6f0d2a4a11',
  issuer: 'https://id.example',
  subject: 'somebody',
  email: 'somebody@id.example',
  name: null,
  role: 'owner',
  groups: [],
  joined: [],
  hasSeveral: false,
  describedUntilMs: Number.MAX_SAFE_INTEGER,
};
