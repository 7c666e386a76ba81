/**
 * The slots of a pool: who has each, until when, and what the person can do with it.
 */
import { type Hold, holderText } from '../../engine/reservations/holders.ts';
import type { SlotCondition } from '../../engine/reservations/slotConditions.ts';
import type { Viewer } from '../env.ts';
import type { NameOf } from '../people.ts';
import type { Details } from '../resource/resourceDetails.ts';
import { countsOf } from './boardActions.ts';
import { SinceAndWhy } from './conditionParts.tsx';
import { Person } from './person.tsx';
import { holdsOf } from './resourceHead.tsx';
import { RowActions } from './rowActions.tsx';
import { StateMark } from './stateMark.tsx';
import { Scroll } from './tableParts.tsx';
import { When } from './when.tsx';

export interface SlotsCardProps {
  readonly details: Details;
  readonly viewer: Viewer;
  /** The address of the page, to which actions lead back. */
  readonly back: string;
  readonly link: (page: number) => string;
}

export const SlotsCard = ({ details, viewer, back, link }: SlotsCardProps) => {
  const { slots, state, page, pages, inTheWay, nameOf } = details;
  if (slots.length < 2 && page === 1) return <div data-live="slots" />;
  const held = new Map(state.holds.map((one) => [one.slot, one]));
  const notReady = new Map(state.notReady.map((one) => [one.slot, one]));
  // While another slot is free, nobody needs to wait for this one.
  const isFull = state.free === 0;
  return (
    <section class="card" aria-labelledby="slots-title" data-live="slots">
      <header>
        <h2 id="slots-title">Slots</h2>
      </header>
      <Scroll label="Slots and their holders">
        <table class="slots">
          <thead>
            <tr>
              <th scope="col">Slot</th>
              <th scope="col">Now</th>
              <th scope="col">Until</th>
              <th scope="col">Since</th>
              <th scope="col">
                <span class="out-of-sight">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {slots.map((slot) => {
              const one = held.get(slot);
              const care = notReady.get(slot);
              const isFree = one === undefined && care === undefined && inTheWay === null;
              const holds = one ? holdsOf(one) : [];
              return (
                <tr id={`slot-${slot}`} data-name={slot}>
                  <th scope="row">{slot}</th>
                  <td data-label="Now">
                    <SlotNow hold={one?.hold} care={care} isShut={inTheWay !== null} nameOf={nameOf} />
                  </td>
                  <td data-label="Until">
                    {one?.hold.isUnclaimed && 'to be taken by '}
                    <When at={one?.hold.until} as="clock" none={one?.hold.kind === 'own' ? 'no end' : ''} />
                  </td>
                  <td data-label="Since">
                    <When at={one?.hold.since} as="clock" none="" />
                  </td>
                  <td data-label="Actions" class="act">
                    <RowActions
                      row={{
                        resource: slot,
                        isFree: isFree || (isFull ? false : null),
                        holds,
                        conditions: state.registered === null ? null : countsOf(care),
                      }}
                      viewer={viewer}
                      back={back}
                    />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </Scroll>
      {pages > 1 && (
        <nav class="pages pad" aria-label="Pages of slots">
          {page > 1 && <a href={link(page - 1)}>Previous</a>} Page {page} of {pages}{' '}
          {page < pages && <a href={link(page + 1)}>Next</a>}
        </nav>
      )}
    </section>
  );
};

interface SlotNowProps {
  readonly hold: Hold | undefined;
  /** Set if it is not ready. */
  readonly care: SlotCondition | undefined;
  readonly isShut: boolean;
  readonly nameOf: NameOf;
}

const SlotNow = ({ hold, care, isShut, nameOf }: SlotNowProps) => {
  const condition = care && (
    <>
      <StateMark mark={care.condition} />{' '}
      <span class="meta">
        <SinceAndWhy one={care} />
      </span>
    </>
  );
  if (hold === undefined) return condition ?? <StateMark mark={isShut ? 'shut' : 'free'} />;
  return (
    <>
      {hold.kind === 'own' ? (
        <Person requester={hold.holder} nameOf={nameOf} keyLabel={hold.keyLabel} note={hold.note} />
      ) : (
        holderText(hold)
      )}
      {condition && <> {condition}</>}
    </>
  );
};
