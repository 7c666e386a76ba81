/**
 * Somebody who holds, held or waits for something: a name with an avatar, round for people and square for programs.
 */
import { PERSON_PREFIX } from '../../domain/names.ts';
import type { NameOf } from '../people.ts';

export interface PersonProps {
  readonly requester: string;
  readonly nameOf: NameOf;
  /** The label of the key that they used; null or '': none */
  readonly keyLabel?: string | null | undefined;
  readonly note?: string | null | undefined;
}

export const Person = ({ requester, nameOf, keyLabel, note }: PersonProps) => {
  const name = nameOf(requester);
  return (
    <span class="who">
      <span class={classOf(requester, name)} aria-hidden="true">
        {initialsOf(name === 'You' ? requester.replace(PERSON_PREFIX, '') : name, isPerson(requester))}
      </span>
      <span>
        {name}
        {keyLabel && <span class="meta"> key {keyLabel}</span>}
        {note && (
          <span class="meta">
            {' '}
            <Note text={note} />
          </span>
        )}
      </span>
    </span>
  );
};

/** People have an e-mail address or sign in. Programs call themselves as they like. */
export const isPerson = (requester: string): boolean => requester.startsWith(PERSON_PREFIX) || requester.includes('@');

const classOf = (requester: string, name: string): string =>
  name === 'You' ? 'avatar own' : isPerson(requester) ? 'avatar' : 'avatar bot';

/** Two letters for an avatar: of the first and the last word of a person, the first two of a program. */
export function initialsOf(name: string, isOfPerson: boolean): string {
  const [own = name] = name.split('@');
  const words = own.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const [first = '', last = ''] = isOfPerson && words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  const letters = last === '' ? [...first].slice(0, 2) : [[...first][0], [...last][0]];
  return letters.join('').toUpperCase();
}

/** Why something is held or wanted, if its request said so. */
export const Note = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : <span class="along note">{text}</span>;
