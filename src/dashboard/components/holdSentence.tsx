/**
 * Sentences about who holds something: since when and until when, and what keeps others from a resource that is free
 * itself.
 */
import type { HeldSlot } from '../../engine/reservations/resource.ts';
import { type Hold, holderText } from '../../engine/reservations/slotState.ts';
import type { InTheWay } from '../inTheWay.ts';
import { resourcePath } from './resourceTree.tsx';
import { When } from './when.tsx';

export const Held = ({ one: { hold, shares } }: { one: Pick<HeldSlot, 'hold' | 'shares'> }) => {
  if (hold.kind !== 'own')
    return (
      <>
        {hold.kind === 'shared' ? holderText(hold).replace('SHARED', 'Shared') : `Held along: ${holderText(hold)}`}
        {shares.length === 1 && shares[0] && <Times hold={shares[0]} />}
      </>
    );
  return (
    <>
      {hold.isUnclaimed ? 'Granted to' : 'Held by'} <strong>{hold.holder}</strong>
      <Times hold={hold} />
    </>
  );
};

const Times = ({ hold: { since, until, isUnclaimed, hasSession } }: { hold: Hold }) => (
  <>
    {' '}
    since <When at={since} as="since" />,{' '}
    {until === null ? (
      'without an end'
    ) : (
      <>
        {isUnclaimed ? 'to be claimed within' : 'free in'} <When at={until} as="in" />
        {hasSession && ' unless its session is renewed'}
      </>
    )}
  </>
);

/** What keeps new requesters from a resource: an ancestor or a blocker, who has it, and until when. */
export const NotAvailable = ({ by: { kind, name, hold } }: { by: InTheWay }) => (
  <p>
    Not available to new requesters: {kind === 'blocker' && 'its blocker '}
    <a href={resourcePath(name)}>{name}</a> is {kind === 'blocker' ? 'not free' : 'full'}.
    {hold !== null && (
      <>
        {kind === 'blocker' && hold.kind === 'own' && hold.resource !== name && (
          <>
            {' '}
            <a href={resourcePath(hold.resource)}>{hold.resource}</a> takes it along.
          </>
        )}{' '}
        <Held one={{ hold, shares: [] }} />.
      </>
    )}
  </p>
);
