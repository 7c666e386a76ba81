/**
 * Tells a person once of the tenants that their sign-in has made them a member of (docs/specification.md#members):
 * whoever invites an address decides what the tenant is called.
 */
import type { Viewer } from '../env.ts';
import { whoDid } from '../words/auditSentences.ts';
import { Confirm } from './confirm.tsx';

export const JoinedNotice = ({ viewer: { joined, credential } }: { viewer: Viewer }) => (
  <section class="toast joined" aria-label="New memberships">
    {joined.map(({ tenant, name, by }) => (
      <div>
        <p>
          You are now a member of <strong>{name === tenant ? name : `${name} (${tenant})`}</strong>, invited by{' '}
          {whoDid(by)}.
        </p>
        <div class="buttons">
          {tenant !== credential.tenant && (
            <form method="post" action="/dashboard/switch">
              <input type="hidden" name="tenant" value={tenant} />
              <button type="submit">
                Switch to it<span class="out-of-sight">: {tenant}</span>
              </button>
            </form>
          )}
          <Confirm
            id={`leave-${tenant}`}
            label="Leave it"
            about={tenant}
            question={`Leave the tenant “${tenant}”? An owner must invite you again if you want to come back.`}
            action="/dashboard/leave"
            fields={{ tenant }}
          />
        </div>
      </div>
    ))}
  </section>
);
