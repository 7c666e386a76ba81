/**
 * /api/v1/Tenant/groups: the roles that groups of the identity provider give (docs/specification.md#members).
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { DeletedGroup, GroupParams, GroupRole, Groups, GroupsQuery, RoleChange } from '../../../contract/members.ts';
import { deleteGroup, listGroups, putGroup, readGroup } from '../../../operations/groups.ts';
import type { MemberDeps } from '../../../operations/members.ts';
import type { GroupRole as GroupRow } from '../../../store/groupRoles.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { bySession, type SessionDeps } from '../../middleware/bySession.ts';
import { nextOf } from '../../nextOf.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation, parameterOperation, unknown } from '../../responses.ts';

const PATH = '/api/v1/Tenant/groups';
const common = { tags: ['Members'], right: 'members' as const };

const listed = operation({
  ...common,
  method: 'get',
  path: PATH,
  operationId: 'listGroups',
  summary: 'List the groups that have a role',
  description: 'Groups of the identity provider, sorted by name, in pages.',
  request: { query: GroupsQuery },
  responses: { 200: answer('A page, sorted by group.', Groups), ...parameterOperation },
});

const read = operation({
  ...common,
  method: 'get',
  path: `${PATH}/{group}`,
  operationId: 'getGroup',
  summary: 'See the role of a group',
  description: 'The role that people of this group get at their sign-in.',
  request: { params: GroupParams },
  responses: { 200: answer('The group.', GroupRole), ...unknown, ...parameterOperation },
});

const put = operation({
  ...common,
  method: 'put',
  path: `${PATH}/{group}`,
  operationId: 'putGroup',
  summary: 'Give a group a role',
  description:
    'A group is added by an owner who is in it. Its people become members, or get another role, at their next sign-in.',
  request: { params: GroupParams },
  body: RoleChange,
  responses: { 200: answer('The group.', GroupRole), ...bodyOperation },
});

const deleted = operation({
  ...common,
  method: 'delete',
  path: `${PATH}/{group}`,
  operationId: 'deleteGroup',
  summary: 'Take the role of a group',
  description: 'Its people lose the role at their next sign-in, within 12 hours.',
  request: { params: GroupParams },
  responses: { 200: answer('The group.', DeletedGroup), ...unknown, ...parameterOperation },
});

export const groupsOperations = [listed, read, put, deleted];

const toBody = ({ createdAt, ...row }: GroupRow) => ({ ...row, createdAt: createdAt.toISOString() });

export const groupsRoutes = (deps: BodyDeps & SessionDeps & MemberDeps) =>
  new OpenAPIHono<AppEnv>()
    .openapi({ ...listed, middleware: bySession(deps, listed.right) }, async (c) => {
      const { after, limit } = c.req.valid('query');
      const { result, quota } = await listGroups(deps, c.get('actor'), after, limit);
      c.set('quota', quota);
      return c.json({ groups: result.map(toBody), next: nextOf(result, limit, ({ group }) => group) }, 200);
    })
    .openapi({ ...read, middleware: bySession(deps, read.right) }, async (c) => {
      const { result, quota } = await readGroup(deps, c.get('actor'), c.req.valid('param').group);
      c.set('quota', quota);
      return c.json(toBody(result), 200);
    })
    .openapi(withBody(put, deps, bySession(deps, put.right)), async (c) => {
      const actor = c.get('actor');
      // A management token is in no group.
      const groups = actor.credential.kind === 'session' ? c.get('user').groups : [];
      const { result, quota } = await putGroup(deps, actor, groups, c.req.valid('param').group, c.get('body').role);
      c.set('quota', quota);
      return c.json(toBody(result), 200);
    })
    .openapi({ ...deleted, middleware: bySession(deps, deleted.right) }, async (c) => {
      const { group } = c.req.valid('param');
      const { quota } = await deleteGroup(deps, c.get('actor'), group);
      c.set('quota', quota);
      return c.json({ deleted: group }, 200);
    });
