/**
 * The form that registers a resource or changes its definition. A slip in it would make another resource, so it trims
 * names, and asks before it makes ancestors.
 */
import { z } from 'zod';
import type { Definition } from '../../contract/definitions.ts';
import { HoldfastError } from '../../domain/errors.ts';
import { PATH_DELIMITER } from '../../domain/names.ts';
import { labelTexts } from '../resource/registeredResources.ts';

/** The form as it is sent. */
export const RegistrationForm = z.object({
  name: z.string(),
  capacity: z.string(),
  blocks: z.string(),
  treePath: z.string(),
  labels: z.string(),
  group: z.string().optional(),
  /** Present if a definition is changed. Without it, a name that is registered is refused. */
  change: z.string().optional(),
  /** What ancestors become that are not registered, and the ones that the person was asked about, joined by `>`. */
  ancestors: z.enum(['groups', 'slots']).optional(),
  missing: z.string().optional(),
});

/** The text of each field. */
export type Typed = z.infer<typeof RegistrationForm>;

/** Several labels in one line. */
const SEVERAL_LABELS = /=.*,[^,=]+=/;

/**
 * Returns the registration item that a form describes, not checked yet. Blanks at the ends of names and labels are left
 * out, except for the name of a definition that is changed: it stays as it is.
 * @throws HoldfastError refused if a line has several labels
 */
export function asRegistration({ name, capacity, blocks, treePath, labels, group, change, ancestors }: Typed): unknown {
  const isGroup = group !== undefined;
  const slots = /^\d+$/.test(capacity) ? Number(capacity) : capacity;
  const path = treePath.trim() === '' ? undefined : splitTrimmed(treePath, PATH_DELIMITER).join(PATH_DELIMITER);
  return {
    name: change === undefined ? name.trim() : name,
    blocks: linesOf(blocks),
    labels: Object.fromEntries(linesOf(labels).map(labelOf)),
    group: isGroup,
    ...(!isGroup && { capacity: slots }),
    ...(path !== undefined && { treePath: path }),
    ...(ancestors === 'groups' && { groups: true }),
  };
}

function labelOf(line: string): [string, string] {
  if (SEVERAL_LABELS.test(line)) throw new HoldfastError('refused', `write one label a line: “${line}” has several`);
  const end = line.indexOf('=');
  return end < 0 ? [line, ''] : [line.slice(0, end).trim(), line.slice(end + 1).trim()];
}

const splitTrimmed = (text: string, delimiter: string) => text.split(delimiter).map((part) => part.trim());

const linesOf = (text: string) => splitTrimmed(text, '\n').filter((line) => line !== '');

/** A definition as the text of each field of the form that changes it. */
export const asTyped = ({ name, capacity, blocks, treePath, labels = {} }: Definition): Typed => ({
  name,
  capacity: String(capacity ?? 1),
  blocks: blocks.join('\n'),
  treePath: treePath ?? '',
  labels: labelTexts(labels).join('\n'),
  ...(capacity === null ? { group: 'true' } : {}),
  change: 'true',
});

/** The form of a name that is not registered. */
export const newTyped = (name: string): Typed => ({ name, capacity: '1', blocks: '', treePath: '', labels: '' });

export interface RegisterFormProps {
  readonly title: string;
  readonly typed?: Typed | undefined;
  /** Whether the name stays as it is. */
  readonly isNamed?: boolean;
  /** Ancestors that are not registered, which the person is asked about. */
  readonly missing?: readonly string[] | undefined;
}

export const RegisterForm = ({ title, typed, isNamed = false, missing = [] }: RegisterFormProps) => (
  <form method="post" action="/dashboard/resources" class="fields" id="registration">
    <h2>{title}</h2>
    {typed?.change !== undefined && <input type="hidden" name="change" value={typed.change} />}
    <label>
      Name <input name="name" required readonly={isNamed} value={typed?.name} autocomplete="off" />
    </label>
    <label>
      Capacity (slots) <input type="number" name="capacity" required min="1" value={typed?.capacity ?? '1'} />
    </label>
    <label class="check">
      <input type="checkbox" name="group" value="true" checked={typed?.group !== undefined} /> A group: it takes no
      slots, and only groups what is below it
    </label>
    <label>
      Tree path: its ancestors from the root, separated by &gt;{' '}
      <input name="treePath" value={typed?.treePath} placeholder="House>Floor1" autocomplete="off" />
    </label>
    <label>
      Blockers (acquired along with it), one a line{' '}
      <textarea name="blocks" rows={3}>
        {typed?.blocks}
      </textarea>
    </label>
    <label>
      Labels (key=value), one a line{' '}
      <textarea name="labels" rows={3} placeholder="os=android">
        {typed?.labels}
      </textarea>
    </label>
    {missing.length > 0 && <Missing names={missing} />}
    <button type="submit">Register</button>
  </form>
);

const Missing = ({ names }: { names: readonly string[] }) => (
  <fieldset>
    <legend>{names.join(', ')}: not registered yet. Register as</legend>
    <input type="hidden" name="missing" value={names.join(PATH_DELIMITER)} />
    <label class="check">
      <input type="radio" name="ancestors" value="groups" required /> groups: they take no slots, and only group what is
      below them
    </label>
    <label class="check">
      <input type="radio" name="ancestors" value="slots" required /> resources of one slot: whoever reserves something
      below takes that slot, too
    </label>
  </fieldset>
);
