/**
 * Actions of people on their own memberships: switch to another tenant, join one by a link, leave one, delete one
 * (docs/specification.md#members).
 */
import { Hono } from 'hono';
import { z } from 'zod';
import { HoldfastError } from '../../domain/errors.ts';
import { followLink, readLink } from '../../operations/invitations.ts';
import { leave } from '../../operations/members.ts';
import { deleteTenant } from '../../operations/tenant.ts';
import { ProblemPage } from '../components/failurePage.tsx';
import { Page } from '../components/layout.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { attempt, readForm } from '../form.ts';
import { ownPath } from '../paths.ts';
import { signOut, switchTenant } from '../session/startSession.ts';
import { SIGN_IN } from '../viewer.ts';

const SECRET = z.string().regex(/^[0-9a-f]{40}$/);

export const membershipRoutes = (deps: DashboardDeps) => {
  const { tenants } = deps;
  const withDatabase = () => {
    if (tenants === null) throw new HoldfastError('unknown', 'There is no such page.');
    return { ...deps, ...tenants };
  };
  const secretOf = (text: string) => {
    const { data } = SECRET.safeParse(text);
    if (data === undefined) throw new HoldfastError('unknown', 'This is no link of an invitation.');
    return data;
  };

  return new Hono<DashboardEnv>()
    .post('/dashboard/switch', async (c) => {
      const { tenant, to } = await readForm(c, z.object({ tenant: z.string(), to: z.string().optional() }));
      return switchTenant(deps, c, tenant, ownPath(to));
    })
    .get('/join/:secret', async (c) => {
      const { name, role } = await readLink(withDatabase(), secretOf(c.req.param('secret')));
      return c.html(
        <Page title={`Join ${name}`} viewer={c.var.viewer}>
          <p>
            You are invited to the tenant <strong>{name}</strong>, as {role}.
          </p>
          <form method="post" action={c.req.path} class="buttons">
            <button type="submit">Join</button>
          </form>
        </Page>,
      );
    })
    .post('/join/:secret', async (c) => {
      const { user, actor, address } = c.var.viewer;
      const { tenant } = await followLink(withDatabase(), secretOf(c.req.param('secret')), user.id, { actor, address });
      return switchTenant(deps, c, tenant);
    })
    .post('/dashboard/leave', async (c) => {
      const { viewer } = c.var;
      const here = viewer.credential.tenant;
      const { tenant = here } = await readForm(c, z.object({ tenant: z.string().optional() }));
      const left = await attempt(deps, c, () => leave(withDatabase(), viewer, viewer.user.id, tenant));
      if (!left.ok)
        return c.html(
          <ProblemPage title="Refused" status={left.status} text={left.fault} viewer={viewer} />,
          left.status,
        );
      if (tenant !== here) return c.redirect('/dashboard?done=leftTenant', 303);
      await signOut(deps, c);
      return c.redirect(`${SIGN_IN}?left`, 303);
    })
    .post('/dashboard/settings/delete-tenant', async (c) => {
      const { confirm } = await readForm(c, z.object({ confirm: z.string() }));
      const deleted = await attempt(deps, c, () => deleteTenant(withDatabase(), c.var.viewer, confirm));
      if (!deleted.ok)
        return c.html(
          <ProblemPage title="Refused" status={deleted.status} text={deleted.fault} viewer={c.var.viewer} />,
          deleted.status,
        );
      await signOut(deps, c);
      return c.redirect(`${SIGN_IN}?left`, 303);
    });
};
