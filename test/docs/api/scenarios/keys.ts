/** API keys and management tokens. */
import { textAt } from '../recorder.ts';
import type { Stage } from '../world.ts';

const TOKEN_ID = '7d2d9f0e-1a44-4c58-8a3b-5f1c7f6f2a60';
const DAY_MS = 86_400_000;

export async function keys(stage: Stage): Promise<void> {
  const { record, program } = stage;
  const worker = { label: 'ci', permission: 'reserve', prefix: 'ci/' };
  const { body } = await record.show('A key for CI, which reserves names that begin with ci/', 'createKey', {
    by: program,
    body: worker,
  });
  const path = { id: textAt(body, 'id') };
  await record.show('All keys', 'listKeys', { by: program, sortedBy: 'createdAt' });
  await record.show('One key', 'getKey', { by: program, path });
  await record.show('Let it only read', 'changeKey', { by: program, path, body: { permission: 'read', prefix: '' } });
  await record.show('A new value', 'rotateKey', { by: program, path });
  await record.show('Delete it', 'deleteKey', { by: program, path });
  await managementTokens(stage);
}

async function managementTokens({ record, owner, program }: Stage): Promise<void> {
  const terraform = {
    id: TOKEN_ID,
    label: 'terraform',
    scopes: ['keys', 'settings'],
    expiresAt: new Date(Date.now() + 90 * DAY_MS).toISOString(),
  };
  const path = { id: TOKEN_ID };
  await record.show('A token for Terraform, for 90 days', 'createManagementToken', { by: owner, body: terraform });
  await record.show('A repeat has no value', 'createManagementToken', { by: owner, body: terraform });
  await record.show('A management token makes none', 'createManagementToken', { by: program, body: terraform });
  await record.show('All tokens', 'listManagementTokens', { by: owner, sortedBy: 'label' });
  await record.show('One token', 'getManagementToken', { by: owner, path });
  await record.show('Delete it', 'deleteManagementToken', { by: owner, path });
}
