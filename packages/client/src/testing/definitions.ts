/** Registered resources, and the slots that a name or a match means. */
import { HoldfastError } from '../errors.ts';
import { textOf } from '../holds/plan.ts';
import { fits } from '../match.ts';
import type { Definition, Match, Registration, ReserveItem, ReserveResult } from '../types.ts';

/** Slots of which an item takes `count`. */
export interface Choice {
  /** The name that is reserved: that of a match is the resource that it picks. */
  readonly resource: string;
  /** The pool that the slots belong to, or the resource itself. */
  readonly base: string;
  readonly isPool: boolean;
  readonly slots: readonly string[];
  /** The attributes that come with some of these slots, as they are now. */
  attributesOf(slots: readonly string[]): Told;
}

type Attributes = Readonly<Record<string, string>>;
type Told = Pick<ReserveResult, 'attributes' | 'slotAttributes'>;

/** The fake has no trees, no blockers and no conditions: a test that needs them needs the service. */
export const unsupported = (what: string): Error =>
  new Error(`fakeHoldfast has no ${what}: test it with a real service`);

export class Definitions {
  readonly #all = new Map<string, Definition>();

  register(registrations: readonly Registration[]): Definition[] {
    return registrations.map(({ name, capacity, blocks, treePath, group, labels, attributes, slotAttributes }) => {
      if (treePath || group) throw unsupported('trees');
      if (blocks?.length) throw unsupported('blockers');
      const known = this.#all.get(name);
      const all = labels ?? known?.labels ?? {};
      const slots = capacity ?? known?.capacity ?? 1;
      const definition: Definition = {
        name,
        capacity: slots,
        blocks: [],
        treePath: null,
        ...(Object.keys(all).length > 0 && { labels: all }),
        ...told(attributes ?? known?.attributes, slotAttributes ?? known?.slotAttributes?.slice(0, slots)),
      };
      this.#all.set(name, definition);
      return definition;
    });
  }

  delete(name: string): void {
    if (!this.#all.delete(name))
      throw new HoldfastError('NOT_REGISTERED', `${name} is not registered.`, { status: 404 });
  }

  /** @param label `os=android` */
  list(label?: string): Definition[] {
    const [key = '', value] = label?.split('=') ?? [];
    return [...this.#all.values()]
      .filter(({ labels }) => label === undefined || labels?.[key] === value)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** @returns what an item can take, in the order in which it is tried. None: it is not valid. */
  choicesOf({ resource, match, count = 1, condition }: ReserveItem): Choice[] {
    if (condition !== undefined) throw unsupported('conditions');
    const names = match === undefined ? [resource ?? ''] : this.#fitting(match);
    return names.map((name) => this.#choiceOf(name)).filter(({ slots }) => slots.length >= count);
  }

  #fitting(match: Match): string[] {
    return this.list()
      .filter(({ labels = {} }) => fits(labels, match))
      .map(({ name }) => name);
  }

  #choiceOf(name: string): Choice {
    const capacity = this.#all.get(name)?.capacity ?? 1;
    if (capacity > 1) {
      const slots = Array.from({ length: capacity }, (_, i) => `${name}_${i}`);
      return { resource: name, base: name, isPool: true, slots, attributesOf: this.#attributesOf(name) };
    }
    const [, pool = '', slotNumber] = /^(.+)_(\d+)$/.exec(name) ?? [];
    const size = this.#all.has(name) ? 1 : (this.#all.get(pool)?.capacity ?? 1);
    if (size === 1)
      return { resource: name, base: name, isPool: false, slots: [name], attributesOf: this.#attributesOf(name) };
    const slots = Number(slotNumber) < size ? [name] : [];
    return { resource: name, base: pool, isPool: false, slots, attributesOf: this.#attributesOf(pool) };
  }

  #attributesOf(name: string): Choice['attributesOf'] {
    return (slots) => {
      const { attributes = {}, slotAttributes = [] } = this.#all.get(name) ?? {};
      const sets = slots.map((slot) => slotAttributes[slot === name ? 0 : Number(slot.slice(name.length + 1))] ?? {});
      if (sets.length > 1) return told(attributes, slotAttributes.length > 0 ? sets : []);
      const own = Object.keys(sets[0] ?? {}).map((key) => key.toLowerCase());
      const rest = Object.entries(attributes).filter(([key]) => !own.includes(key.toLowerCase()));
      return told({ ...Object.fromEntries(rest), ...sets[0] }, []);
    };
  }
}

/** Attributes, without those that say nothing. */
const told = (attributes: Attributes = {}, slotAttributes: readonly Attributes[] = []): Told => ({
  ...(Object.keys(attributes).length > 0 && { attributes }),
  ...(slotAttributes.length > 0 && { slotAttributes: [...slotAttributes] }),
});

/** The name by which an item waits. */
export const titleOf = ({ resource, match }: ReserveItem): string => resource ?? textOf(match ?? {});
