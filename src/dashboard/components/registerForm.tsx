/**
 * The form that registers a resource or changes its definition. A slip in it would make another resource, so it trims
 * names, and asks before it makes ancestors.
 */
import { z } from 'zod';
import type { Definition } from '../../contract/definitions.ts';
import { PATH_DELIMITER } from '../../domain/names.ts';
import type { Failed } from '../form.ts';
import { labelTexts, pairsOf, type RegisterLists } from '../resource/registeredResources.ts';
import { pathText } from '../words/labels.ts';
import { Buttons, Fault, faultOf } from './formPage.tsx';

/** Several fields of one name, one a line. */
const lines = z.union([z.string(), z.array(z.string()).transform((all) => all.join('\n'))]);

/** The form as it is sent. */
export const RegistrationForm = z.object({
  name: z.string(),
  capacity: z.string(),
  blocks: lines,
  treePath: z.string(),
  labels: lines,
  group: z.string().optional(),
  /** Present if it has to be cleaned after each use. */
  dirty: z.string().optional(),
  /** Present if its slots can be booked. */
  bookable: z.string().optional(),
  /** `<key>=<value>`, one a line; absent: they stay as they are */
  attributes: z.string().optional(),
  /** Present if a definition is changed. Without it, a name that is registered is refused. */
  change: z.string().optional(),
  /** The answer about ancestors that are not registered, and these ancestors, joined by `>`. */
  ancestors: z.enum(['groups', 'slots']).optional(),
  missing: z.string().optional(),
  /** The held slots that the person was told of. */
  held: z.string().optional(),
  /** The page that the form leads back to. */
  back: z.string().optional(),
});

/** The text of each field. */
export type Typed = z.infer<typeof RegistrationForm>;

/** A comma between two labels in one field. A comma within a value is none. */
const BETWEEN_LABELS = /,(?=[^,=]+=)/;

/**
 * Returns the registration item that a form describes, not checked yet. Blanks at the ends of names and labels are left
 * out, except for the name of a definition that is changed: it stays as it is.
 * @throws HoldfastError refused: a label or attribute without `=`
 */
export function asRegistration(typed: Typed): unknown {
  const { name, capacity, blocks, treePath, labels, group, dirty, bookable, attributes, change, ancestors } = typed;
  const isGroup = group !== undefined;
  const slots = /^\d+$/.test(capacity) ? Number(capacity) : capacity;
  const path = treePath.trim() === '' ? undefined : splitTrimmed(treePath, PATH_DELIMITER).join(PATH_DELIMITER);
  return {
    name: change === undefined ? name.trim() : name,
    blocks: linesOf(blocks),
    labels: pairsOf(
      'labels',
      linesOf(labels).flatMap((line) => line.split(BETWEEN_LABELS)),
    ),
    group: isGroup,
    ...(attributes !== undefined && { attributes: pairsOf('attributes', linesOf(attributes)) }),
    ...(!isGroup && {
      capacity: slots,
      afterUse: dirty === undefined ? 'ready' : 'dirty',
      bookable: bookable !== undefined,
    }),
    ...(path !== undefined && { treePath: path }),
    ...(ancestors === 'groups' && { groups: true }),
  };
}

const splitTrimmed = (text: string, delimiter: string) => text.split(delimiter).map((part) => part.trim());

const linesOf = (text: string) => splitTrimmed(text, '\n').filter((line) => line !== '');

/** A definition as the text of each field of the form that changes it. */
export const asTyped = (definition: Definition): Typed => {
  const { name, capacity, blocks, treePath, labels = {}, afterUse, bookable, attributes = {} } = definition;
  return {
    name,
    capacity: String(capacity ?? 1),
    blocks: blocks.join('\n'),
    treePath: treePath ?? '',
    labels: labelTexts(labels).join('\n'),
    ...(Object.values(attributes).every(isLine) && { attributes: labelTexts(attributes).join('\n') }),
    ...(capacity === null ? { group: 'true' } : {}),
    ...(afterUse === 'dirty' ? { dirty: 'true' } : {}),
    ...(bookable === true ? { bookable: 'true' } : {}),
    change: 'true',
  };
};

/** True if a value can stand in a field of lines. */
const isLine = (value: string): boolean => !/[\r\n]/.test(value) && value === value.trim();

/** The form of a name that is not registered. */
export const newTyped = (name: string): Typed => ({
  name,
  capacity: '1',
  blocks: '',
  treePath: '',
  labels: '',
  attributes: '',
});

export interface RegisterFormProps {
  readonly title?: string | undefined;
  readonly typed?: Typed | undefined;
  /** True if the name stays as it is. */
  readonly isNamed?: boolean;
  /** The subject of the question: ancestors that are not registered, or held slots. */
  readonly question?: { readonly missing: readonly string[]; readonly held?: number } | undefined;
  /** The lists to choose from. */
  readonly lists?: RegisterLists | undefined;
  readonly failed?: Failed | undefined;
  /** The page that Cancel leads to; absent: there is no Cancel */
  readonly back?: string | undefined;
}

export const RegisterForm = ({ title, typed, isNamed = false, question, lists, failed, back }: RegisterFormProps) => {
  const send = (
    <button type="submit" id="registration-send" class="primary">
      {typed?.change === undefined ? 'Register' : 'Save'}
    </button>
  );
  return (
    <form method="post" action="/dashboard/resources" class="stack" id="registration">
      {title !== undefined && <h2>{title}</h2>}
      {typed?.change !== undefined && <input type="hidden" name="change" value={typed.change} />}
      {back !== undefined && <input type="hidden" name="back" value={back} />}
      <Fields typed={typed} isNamed={isNamed} failed={failed} />
      {question && question.missing.length > 0 && <Missing names={question.missing} />}
      {question?.held !== undefined && <input type="hidden" name="held" value={question.held} />}
      {lists && <Lists lists={lists} />}
      {back === undefined ? send : <Buttons back={back}>{send}</Buttons>}
    </form>
  );
};

const Fields = ({ typed, isNamed, failed }: Pick<RegisterFormProps, 'typed' | 'failed'> & { isNamed: boolean }) => (
  <>
    <label>
      Name
      <input
        name="name"
        required
        readonly={isNamed}
        autofocus={!isNamed}
        value={typed?.name}
        placeholder="pixel-8"
        autocomplete="off"
        {...faultOf({ of: 'name', failed })}
      />
      <Fault of="name" failed={failed} />
    </label>
    <label>
      Capacity (slots)
      <input
        type="number"
        name="capacity"
        required
        min="1"
        autofocus={isNamed}
        value={typed?.capacity ?? '1'}
        {...faultOf({ of: 'capacity', failed })}
      />
      <span class="meta">More than one makes a pool: anybody gets a free slot of it.</span>
      <Fault of="capacity" failed={failed} />
    </label>
    <label class="check">
      <input type="checkbox" name="group" value="true" checked={typed?.group !== undefined} /> Only a group: it has no
      slots, and holds others together
    </label>
    <label>
      Path: what it belongs to
      <input
        name="treePath"
        list="known-paths"
        value={typed && pathText(typed.treePath)}
        placeholder="lab > phones"
        autocomplete="off"
        {...faultOf({ of: 'treePath', failed })}
      />
      <Fault of="treePath" failed={failed} />
    </label>
    <Several name="labels" legend="Labels" text={typed?.labels} placeholder="os=android" failed={failed} />
    <Several name="blocks" legend="Takes along" text={typed?.blocks} placeholder="staging-database" failed={failed} />
    <label class="check">
      <input type="checkbox" name="dirty" value="true" checked={typed?.dirty !== undefined} /> To be cleaned after each
      use: nobody gets it before
    </label>
    <label class="check">
      <input
        type="checkbox"
        name="bookable"
        value="true"
        checked={typed?.bookable !== undefined}
        {...faultOf({ of: 'bookable', failed })}
      />{' '}
      Can be booked for a time ahead. It takes nothing along, and only groups are above it
    </label>
    <Fault of="bookable" failed={failed} />
    {typed !== undefined && typed.attributes === undefined ? (
      <p class="hint">Its attributes stay as they are: some have several lines, so only a program can change them.</p>
    ) : (
      <Attributes text={typed?.attributes ?? ''} failed={failed} />
    )}
  </>
);

const Attributes = ({ text, failed }: { text: string; failed: Failed | undefined }) => (
  <label>
    Attributes
    <textarea
      name="attributes"
      rows={3}
      placeholder="serial=A1&#10;adb=10.0.0.7:5555"
      {...faultOf({ of: 'attributes', failed })}
    >
      {text}
    </textarea>
    <span class="meta">One a line. Whoever reserves it gets them. They are stored as they are: no passwords.</span>
    <Fault of="attributes" failed={failed} />
  </label>
);

/** Empty fields beside those that are filled, and fields at least. */
const EMPTY = 1;
const FIELDS = 2;

interface SeveralProps {
  readonly name: 'labels' | 'blocks';
  readonly legend: string;
  /** One a line. */
  readonly text: string | undefined;
  readonly placeholder: string;
  readonly failed: Failed | undefined;
}

const Several = ({ name, legend, text = '', placeholder, failed }: SeveralProps) => {
  const values = linesOf(text);
  const count = Math.max(FIELDS, values.length + EMPTY);
  return (
    <fieldset class="several">
      <legend>{legend}</legend>
      {Array.from({ length: count }, (_, i) => (
        <input
          name={name}
          list={`known-${name}`}
          value={values[i] ?? ''}
          placeholder={placeholder}
          aria-label={`${legend} ${i + 1}`}
          autocomplete="off"
          {...(i === 0 && faultOf({ of: name, failed }))}
        />
      ))}
      <Fault of={name} failed={failed} />
    </fieldset>
  );
};

const Lists = ({ lists: { names, paths, labels } }: { lists: RegisterLists }) => (
  <>
    <List id="known-paths" values={paths} />
    <List id="known-labels" values={labels} />
    <List id="known-blocks" values={names} />
  </>
);

/** Values to choose from in a field. */
export const List = ({ id, values }: { id: string; values: readonly string[] }) => (
  <datalist id={id}>
    {values.map((value) => (
      <option value={value} />
    ))}
  </datalist>
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
