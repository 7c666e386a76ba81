/** Members, invitations, and groups of the identity provider. */
import { textAt } from '../recorder.ts';
import type { Stage } from '../world.ts';

export async function members(stage: Stage): Promise<void> {
  const { record, program, owner, join } = stage;
  const ben = await join('ben', 'member');
  const carla = await join('carla', 'viewer');
  const path = { id: ben.id };
  await record.show('Three people', 'listMembers', { by: program, sortedBy: 'email' });
  await record.show('One of them', 'getMember', { by: program, path });
  await record.show('Let Ben manage resources', 'changeMember', { by: program, path, body: { role: 'operator' } });
  await record.show('Ben leaves the company', 'removeMember', { by: program, path });
  await record.show('Carla leaves', 'leaveTenant', { by: carla });
  await record.show('The last owner', 'leaveTenant', { by: owner });
  await invitations(stage);
  await groups(stage);
}

async function invitations({ record, program, owner }: Stage): Promise<void> {
  const byAddress = { email: 'dora@example.com', role: 'member' };
  const { body } = await record.show('Invite somebody by address', 'createInvitation', {
    by: program,
    body: byAddress,
  });
  await record.show('Make a link that anybody may use', 'createInvitation', {
    by: owner,
    body: { role: 'viewer', expiresInDays: 3 },
  });
  const path = { id: textAt(body, 'id') };
  await record.show('Two invitations', 'listInvitations', { by: program, sortedBy: 'createdAt' });
  await record.show('One of them', 'getInvitation', { by: program, path });
  await record.show('Revoke it', 'deleteInvitation', { by: program, path });
}

async function groups({ record, program, owner }: Stage): Promise<void> {
  const path = { group: 'lab' };
  await record.show('Everybody in the lab reserves', 'putGroup', { by: owner, path, body: { role: 'member' } });
  await record.show('A group that the caller is not in', 'putGroup', {
    by: program,
    path: { group: 'sales' },
    body: { role: 'viewer' },
  });
  await record.show('One group', 'listGroups', { by: program });
  await record.show('Its role', 'getGroup', { by: program, path });
  await record.show('Take the role', 'deleteGroup', { by: program, path });
}
