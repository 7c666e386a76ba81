/** Members, invitations, and groups of the identity provider. */
import { textAt } from '../recorder.ts';
import type { Stage } from '../world.ts';

const NOBODY = '3c1f4b52-8a8e-4f2f-9a7c-9b110d9b4f4e';

export async function members(stage: Stage): Promise<void> {
  const { record, program, key, owner, join } = stage;
  const ben = await join('ben', 'member');
  const carla = await join('carla', 'viewer');
  const path = { id: ben.id };
  await record.show('Three people', 'listMembers', { by: program, sortedBy: 'email' });
  await record.show('An API key does not suffice', 'listMembers', { by: key, sortedBy: 'email' });
  await record.show('One of them', 'getMember', { by: program, path });
  await record.show('Nobody', 'getMember', { by: program, path: { id: NOBODY } });
  await record.show('Let Ben manage resources', 'changeMember', { by: program, path, body: { role: 'operator' } });
  await record.show('A role that does not exist', 'changeMember', { by: program, path, body: { role: 'boss' } });
  await record.show('Nobody', 'changeMember', { by: program, path: { id: NOBODY }, body: { role: 'viewer' } });
  await record.show('The last owner', 'changeMember', {
    by: owner,
    path: { id: owner.id },
    body: { role: 'viewer' },
  });
  await record.show('Ben leaves the company', 'removeMember', { by: program, path });
  await record.show('He is not there any more', 'removeMember', { by: program, path });
  await record.show('Carla leaves', 'leaveTenant', { by: carla });
  await record.show('The last owner', 'leaveTenant', { by: owner });
  await invitations(stage);
  await groups(stage);
}

async function invitations({ record, program, owner, key }: Stage): Promise<void> {
  const byAddress = { email: 'dora@example.com', role: 'member' };
  const { body } = await record.show('Invite somebody by address', 'createInvitation', {
    by: program,
    body: byAddress,
  });
  await record.show('Make a link that anybody may use', 'createInvitation', {
    by: owner,
    body: { role: 'viewer', expiresInDays: 3 },
  });
  await record.show('No role', 'createInvitation', { by: program, body: { email: 'dora@example.com' } });
  await record.show('An API key does not suffice', 'createInvitation', { by: key, body: byAddress });
  const path = { id: textAt(body, 'id') };
  await record.show('Two invitations', 'listInvitations', { by: program, sortedBy: 'createdAt' });
  await record.show('One of them', 'getInvitation', { by: program, path });
  await record.show('It does not exist', 'getInvitation', { by: program, path: { id: NOBODY } });
  await record.show('Revoke it', 'deleteInvitation', { by: program, path });
  await record.show('It is not there any more', 'deleteInvitation', { by: program, path });
}

async function groups({ record, program, owner }: Stage): Promise<void> {
  const path = { group: 'lab' };
  await record.show('Everybody in the lab reserves', 'putGroup', { by: owner, path, body: { role: 'member' } });
  await record.show('A role that does not exist', 'putGroup', { by: owner, path, body: { role: 'boss' } });
  await record.show('A group that the caller is not in', 'putGroup', {
    by: program,
    path: { group: 'sales' },
    body: { role: 'viewer' },
  });
  await record.show('One group', 'listGroups', { by: program });
  await record.show('Its role', 'getGroup', { by: program, path });
  await record.show('It has no role', 'getGroup', { by: program, path: { group: 'sales' } });
  await record.show('Take the role', 'deleteGroup', { by: program, path });
  await record.show('It has none any more', 'deleteGroup', { by: program, path });
}
