/**
 * The menus of the shell: the tenant with the others that the person can switch to, and the way out.
 */
import type { Viewer } from '../env.ts';
import { TENANTS } from '../viewer.ts';
import { Confirm } from './confirm.tsx';
import { Icon } from './icon.tsx';

interface TenantMenuProps {
  readonly viewer: Viewer;
  readonly at: string | undefined;
}

export const TenantMenu = ({ viewer, at }: TenantMenuProps) => {
  const { memberships, user, standing, mayLeave } = viewer;
  const name = user.tenantName;
  const face = (
    <>
      <b aria-hidden="true">{name.charAt(0).toUpperCase()}</b>
      <span class="cut">{name}</span>
    </>
  );
  if (!mayLeave && memberships.length < 2 && standing === 'none')
    return (
      <a class="tenant" href="/dashboard">
        {face}
      </a>
    );
  return (
    <>
      <button type="button" class="quiet tenant" id="open-tenants" popovertarget="tenants">
        {face} <Icon name="switch" />
        <span class="out-of-sight">: tenant</span>
      </button>
      <div id="tenants" class="menu" popover="auto">
        {memberships.length > 1 && <Switcher viewer={viewer} />}
        {standing !== 'none' && (
          <a href={TENANTS} aria-current={at === TENANTS ? 'page' : undefined}>
            All tenants
          </a>
        )}
        {mayLeave && (
          <Confirm
            id="leave-tenant"
            label="Leave this tenant"
            question={`Leave ${name}? Your sessions in it end. An owner must invite you again if you want to come back.`}
            action="/dashboard/leave"
          />
        )}
      </div>
    </>
  );
};

const Switcher = ({ viewer: { memberships, credential } }: { viewer: Viewer }) => (
  <form method="post" action="/dashboard/switch">
    {memberships.map(({ tenant, name, role }) => {
      const isOpen = tenant === credential.tenant;
      return (
        <button
          type="submit"
          class="quiet"
          id={`switch-${tenant}`}
          name="tenant"
          value={tenant}
          disabled={isOpen}
          aria-current={isOpen ? 'true' : undefined}
        >
          {name === tenant ? tenant : `${name} (${tenant})`}, {role}
        </button>
      );
    })}
  </form>
);

export const SignOut = ({ id }: { id: string }) => (
  <form method="post" action="/dashboard/sign-out">
    <button type="submit" class="quiet" id={id}>
      <Icon name="signOut" /> Sign out
    </button>
  </form>
);
