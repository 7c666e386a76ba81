/**
 * Says since when something is not ready, why, and who said so: `since Tuesday: display dark`.
 */
import type { SlotCondition } from '../../engine/reservations/slotConditions.ts';
import type { NameOf } from '../people.ts';
import { whoDid } from '../words/auditSentences.ts';
import { conditionWord } from '../words/conditionWords.ts';
import { When } from './when.tsx';

export const SinceAndWhy = ({ one: { since, reason } }: { one: SlotCondition }) => (
  <>
    {since !== null && (
      <>
        since <When at={since} as="day" />
      </>
    )}
    {since !== null && reason !== undefined && ': '}
    {reason}
  </>
);

/** The condition of something that is held: `out of service since Tuesday: display dark` */
export const ConditionPhrase = ({ one }: { one: SlotCondition }) => (
  <>
    {conditionWord(one.condition)} <SinceAndWhy one={one} />
  </>
);

/** The person who set a condition, as pages call them. @param actor as events name actors */
export const actorText = (actor: string, nameOf: NameOf): string =>
  actor.startsWith('person:') ? nameOf(actor) : whoDid(actor);
