/**
 * /api/v1/Tenant/members: lists the tenant's members, changes their roles and removes them
 * (docs/specification.md#members).
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { except } from 'hono/combine';
import { createMiddleware } from 'hono/factory';
import { Member, MemberParams, Members, PageQuery, RemovedMember, RoleChange } from '../../../contract/members.ts';
import {
  changeRole,
  leave,
  listMembers,
  type MemberDeps,
  readMember,
  removeMember,
} from '../../../operations/members.ts';
import type { Member as MemberRow } from '../../../store/members.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { bySession, type SessionDeps } from '../../middleware/bySession.ts';
import { nextOf } from '../../nextOf.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation, parameterOperation, unknown } from '../../responses.ts';

const PATH = '/api/v1/Tenant/members';
const common = { tags: ['Members'], right: 'members' as const };

const listed = operation({
  ...common,
  method: 'get',
  path: PATH,
  operationId: 'listMembers',
  summary: 'List the members',
  description: 'Sorted by id, in pages.',
  request: { query: PageQuery },
  responses: { 200: answer('A page, sorted by id.', Members), ...parameterOperation },
});

const left = operation({
  ...common,
  method: 'delete',
  path: `${PATH}/me`,
  operationId: 'leaveTenant',
  right: 'person',
  summary: 'Leave the tenant',
  description: 'Ends your sessions in it. The last owner cannot leave.',
  responses: { 200: answer('You are no member any more.', RemovedMember), ...unknown, ...parameterOperation },
});

const read = operation({
  ...common,
  method: 'get',
  path: `${PATH}/{id}`,
  operationId: 'getMember',
  summary: 'See a member',
  description: 'With the role that counts, and where it comes from.',
  request: { params: MemberParams },
  responses: { 200: answer('The member.', Member), ...unknown, ...parameterOperation },
});

const put = operation({
  ...common,
  method: 'put',
  path: `${PATH}/{id}`,
  operationId: 'changeMember',
  summary: 'Change the role of a member',
  description:
    'Holds on every instance once this call returns. The last owner keeps the role. Somebody who was removed becomes a member again. After a lower role, links of invitations let the person in no more, if they leave.',
  request: { params: MemberParams },
  body: RoleChange,
  responses: { 200: answer('The member.', Member), ...unknown, ...bodyOperation },
});

const removed = operation({
  ...common,
  method: 'delete',
  path: `${PATH}/{id}`,
  operationId: 'removeMember',
  summary: 'Remove a member',
  description:
    'Once this call returns, their sessions and event streams have ended on every instance. Links of invitations let them in no more, and the invitations that they made are revoked.',
  request: { params: MemberParams },
  responses: { 200: answer('The removed member.', RemovedMember), ...unknown, ...parameterOperation },
});

export const membersOperations = [listed, left, read, put, removed];

const toBody = ({ createdAt, signedInAt, ...row }: MemberRow) => ({
  ...row,
  createdAt: createdAt.toISOString(),
  signedInAt: signedInAt.toISOString(),
});

export const membersRoutes = (deps: BodyDeps & SessionDeps & MemberDeps) => {
  const app = new OpenAPIHono<AppEnv>();
  const leaving = createMiddleware<AppEnv>(async (c) => {
    const { id } = c.get('user');
    await leave(deps, c.get('actor'), id);
    return c.json({ removed: id }, 200);
  });
  // Not a route of its own: RegExpRouter takes no fixed path beside a parameter.
  const isOther = (c: Context) => c.req.param('id') !== 'me';
  app.delete(`${PATH}/:id`, except(isOther, bySession(deps, left.right), leaving));
  return app
    .openapi({ ...listed, middleware: bySession(deps, listed.right) }, async (c) => {
      const { after, limit } = c.req.valid('query');
      const { result, quota } = await listMembers(deps, c.get('actor'), after, limit);
      c.set('quota', quota);
      return c.json({ members: result.map(toBody), next: nextOf(result, limit, ({ id }) => id) }, 200);
    })
    .openapi({ ...read, middleware: bySession(deps, read.right) }, async (c) => {
      const { result, quota } = await readMember(deps, c.get('actor'), c.req.valid('param').id);
      c.set('quota', quota);
      return c.json(toBody(result), 200);
    })
    .openapi(withBody(put, deps, bySession(deps, put.right)), async (c) => {
      const { id } = c.req.valid('param');
      const { result, quota } = await changeRole(deps, c.get('actor'), id, c.get('body').role);
      c.set('quota', quota);
      return c.json(toBody(result), 200);
    })
    .openapi({ ...removed, middleware: bySession(deps, removed.right) }, async (c) => {
      const { id } = c.req.valid('param');
      await removeMember(deps, c.get('actor'), id);
      return c.json({ removed: id }, 200);
    });
};
