/**
 * The page of members: their roles, invitations, and the groups that have a role (docs/specification.md#members).
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { HoldfastError } from '../../domain/errors.ts';
import { higherRole } from '../../domain/rights.ts';
import { deleteGroup, putGroup } from '../../operations/groups.ts';
import { createInvitation, deleteInvitation } from '../../operations/invitations.ts';
import { changeRole, type MemberDeps, removeMember } from '../../operations/members.ts';
import { listGroups } from '../../store/groupRoles.ts';
import { countLinks, listInvitations } from '../../store/invitations.ts';
import { listMembers, readMember } from '../../store/members.ts';
import { Count } from '../components/head.tsx';
import { NeedsDatabase, Page } from '../components/layout.tsx';
import { GroupsPart, InvitationsPart, type Invited, MembersPart, openLinks } from '../components/membersParts.tsx';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { attempt, check, type Failed, readForm } from '../form.ts';
import { GroupParams, MemberParams, NewInvitation, RoleChange } from '../formSchemas.ts';
import { originOf } from '../paths.ts';

const AT = '/dashboard/access';
/** How many rows each part of the page shows. */
const PAGE = 200;

const Form = z.object({
  id: z.string().optional(),
  role: z.string().optional(),
  email: z.string().optional(),
  group: z.string().optional(),
});
type Form = z.infer<typeof Form>;

type PageDeps = DashboardDeps & MemberDeps;
type Carry = (deps: PageDeps, c: Context<DashboardEnv>, form: Form) => Promise<unknown>;
/** Carries a form out, and returns the notice that follows. */
type Carried = (...call: Parameters<Carry>) => Promise<string>;

const idOf = (form: Form) => check(MemberParams, { id: form.id }).id;
const roleOf = (form: Form) => check(RoleChange, { role: form.role }).role;
const groupOf = (form: Form) => check(GroupParams, { group: form.group }).group;

const then =
  (notice: string, carryOut: Carry): Carried =>
  async (...call) => {
    await carryOut(...call);
    return notice;
  };

/** Notices after which people should look at the links that are open. */
const LOST = new Set(['lowered', 'removed']);

const FORMS: Readonly<Record<string, Carried>> = {
  role: async (deps, { var: { viewer } }, form) => {
    const { role: before } = await readMember(deps.store, viewer.credential.tenant, idOf(form));
    const { result } = await changeRole(deps, viewer, idOf(form), roleOf(form));
    return higherRole(before, result.role) === result.role ? 'saved' : 'lowered';
  },
  remove: then('removed', (deps, { var: { viewer } }, form) => removeMember(deps, viewer, idOf(form))),
  transfer: then('transferred', async (deps, { var: { viewer } }, form) => {
    if (idOf(form) === viewer.user.id) throw new HoldfastError('refused', 'Choose another member.');
    await changeRole(deps, viewer, idOf(form), 'owner');
    await changeRole(deps, viewer, viewer.user.id, 'operator');
  }),
  revoke: then('revoked', (deps, { var: { viewer } }, form) => deleteInvitation(deps, viewer, idOf(form))),
  group: then('saved', (deps, { var: { viewer } }, form) =>
    putGroup(deps, viewer, viewer.user.groups, groupOf(form), roleOf(form)),
  ),
  'group/delete': then('deleted', (deps, { var: { viewer } }, form) => deleteGroup(deps, viewer, groupOf(form))),
};

export const membersRoutes = (deps: DashboardDeps) => {
  const app = new Hono<DashboardEnv>();
  if (deps.tenants === null)
    return app.get(AT, (c) =>
      c.html(
        <Page title="Members" viewer={c.var.viewer} at={AT}>
          <NeedsDatabase what="To invite people and change their roles here" />
        </Page>,
      ),
    );
  const all = { ...deps, store: deps.tenants.store };
  app.get(AT, (c) => show(all, c));
  app.post(AT, (c) => invite(all, c));
  for (const [name, carryOut] of Object.entries(FORMS))
    app.post(`${AT}/${name}`, async (c) => {
      const form = await readForm(c, Form);
      const tried = await attempt(deps, c, async () => carryOut(all, c, form));
      // Who has stepped down does not see this page any more.
      return tried.ok
        ? c.redirect(`${name === 'transfer' ? '/dashboard' : AT}?done=${tried.result}`, 303)
        : show(all, c, tried);
    });
  return app;
};

async function show({ store }: PageDeps, c: Context<DashboardEnv>, failed?: Failed, invited?: Invited) {
  const { viewer } = c.var;
  const { tenant } = viewer.credential;
  const after = z.uuid().safeParse(c.req.query('after')).data;
  const done = c.req.query('done');
  const [members, invitations, groups, links] = await Promise.all([
    listMembers(store, tenant, after, PAGE),
    listInvitations(store, tenant, undefined, PAGE),
    listGroups(store, tenant, undefined, PAGE),
    countLinks(store, tenant),
  ]);
  const counts = members.length < PAGE && after === undefined && (
    <Count of={members.length} word={members.length === 1 ? 'member' : 'members'} />
  );
  return c.html(
    <Page title="Members" head={{ counts }} viewer={viewer} at={AT} done={done} failed={failed}>
      {LOST.has(done ?? '') && links > 0 && <p class="notice">{openLinks(links)}</p>}
      <MembersPart at={AT} members={members} own={viewer.user.id} isFull={members.length === PAGE} links={links} />
      <InvitationsPart at={AT} invitations={invitations} invited={invited} />
      <GroupsPart at={AT} groups={groups} own={viewer.user.groups} />
    </Page>,
    failed?.status ?? 200,
  );
}

/** Makes an invitation. Its link is shown by the response, and never again. */
async function invite(deps: PageDeps, c: Context<DashboardEnv>) {
  const { email = '', role } = await readForm(c, Form);
  const address = email.trim() === '' ? {} : { email: email.trim() };
  const tried = await attempt(deps, c, async () =>
    createInvitation(deps, c.var.viewer, check(NewInvitation, { ...address, role })),
  );
  if (!tried.ok) return show(deps, c, tried);
  const { row, secret } = tried.result.result;
  const url = `${originOf(deps, c)}${secret === null ? '/dashboard' : `/join/${secret}`}`;
  return show(deps, c, undefined, { row, url });
}
