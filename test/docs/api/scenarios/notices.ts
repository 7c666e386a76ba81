/** Subscriptions to events. */

import { textAt } from '../recorder.ts';
import type { Stage } from '../world.ts';

export async function notices({ record, program, receiver }: Stage): Promise<void> {
  const deployer = { kind: 'webhook', label: 'deployer', url: receiver.url };
  const { body } = await record.show('A webhook', 'createSubscription', { by: program, body: deployer });
  await record.show('An incoming webhook of Slack, for what ends or is wanted', 'createSubscription', {
    by: program,
    body: { kind: 'slack', label: 'lab', url: 'https://hooks.slack.com/services/T0/B0/x', prefix: 'lab/' },
  });
  await record.show('An address in a private network', 'createSubscription', {
    by: program,
    body: { ...deployer, url: 'https://169.254.169.254/' },
  });
  const path = { id: textAt(body, 'id') };
  await record.show('Both', 'listSubscriptions', { by: program });
  await record.show('One of them', 'getSubscription', { by: program, path });
  await record.show('Get all events', 'changeSubscription', { by: program, path, body: { types: ['*'] } });
  await record.show('A new secret', 'rotateSubscriptionSecret', { by: program, path });
  await record.show('The receiver answers 204', 'testSubscription', { by: program, path });
  await record.show('The test', 'listDeliveries', { by: program, path });
  await record.show('Delete it', 'deleteSubscription', { by: program, path });
}
