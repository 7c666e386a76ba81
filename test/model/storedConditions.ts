/**
 * Compares the conditions of slots in Redis, read as lua/slots/marks.lua describes them, with the model.
 */
import { expect } from 'vitest';
import type { Condition } from '../../src/domain/conditions.ts';
import type { Model } from './model.ts';

type Hash = Readonly<Record<string, Buffer>>;

/** @throws if they disagree */
export function compareConditions(
  model: Model,
  { conditions, clean, definitions, pools }: Readonly<Record<'conditions' | 'clean' | 'definitions' | 'pools', Hash>>,
): void {
  const names = [...model.definitions].filter(([, { isGroup }]) => isGroup !== true).map(([name]) => name);
  const slotsOf = (name: string, condition: Condition) =>
    model.slotNames(name).filter((slot) => model.conditionAt(slot) === condition);
  const isDirtied = (name: string) => model.definitions.get(name)?.afterUse === 'dirty';
  const isUnready = (name: string) => slotsOf(name, 'ready').length < model.capacityOf(name);

  const marked = (hash: Hash, mark: string, wanted: (name: string) => string[]) =>
    expect(marksIn(hash, mark), `bitmaps ${mark === '\u0001' ? 1 : 2}`).toEqual(
      names.flatMap((name) => wanted(name).map((slot) => `${name} ${model.slotNames(name).indexOf(slot)}`)).sort(),
    );
  marked(conditions, '\u0001', (name) => slotsOf(name, 'out'));
  marked(conditions, '\u0002', (name) => (isDirtied(name) ? [] : slotsOf(name, 'dirty')));
  marked(clean, '\u0001', (name) => (isDirtied(name) ? slotsOf(name, 'ready') : []));

  const counted = (hash: Hash, wanted: (name: string) => [number, number]) =>
    expect(
      Object.entries(hash)
        .filter(([field]) => !hasControls(field))
        .map(([name, packed]) => [name, packed.readUInt32BE(0), packed.readUInt32BE(4)])
        .sort(),
    ).toEqual(names.flatMap((name) => (wanted(name).some((n) => n > 0) ? [[name, ...wanted(name)]] : [])).sort());
  counted(conditions, (name) => [slotsOf(name, 'out').length, isDirtied(name) ? 0 : slotsOf(name, 'dirty').length]);
  counted(clean, (name) => {
    const ready = isDirtied(name) ? slotsOf(name, 'ready').length : 0;
    return [ready, ready > 0 ? slotsOf(name, 'out').length : 0];
  });

  const detailed = (hash: Hash) => Object.keys(hash).filter((field) => field.startsWith('\u0003'));
  const unready = names.flatMap((name) => [...slotsOf(name, 'out'), ...slotsOf(name, 'dirty')]);
  for (const field of [...detailed(conditions), ...detailed(clean)]) expect(unready).toContain(field.slice(1));
  for (const name of names)
    for (const slot of slotsOf(name, 'out')) expect(Object.keys(conditions)).toContain(`\u0003${slot}`);

  for (const name of names) {
    const packed = definitions[name] ?? Buffer.alloc(0);
    const more = packed[packed.indexOf(0, 6) + 1] ?? 0;
    expect([(more & 4) !== 0, (more & 8) !== 0], `flags of ${name}`).toEqual([
      isDirtied(name) || isUnready(name),
      isDirtied(name),
    ]);
    compareHeld(model, name, pools[name]);
  }
}

/** The counts of held slots that are not ready. */
function compareHeld(model: Model, name: string, packed: Buffer | undefined): void {
  if (packed === undefined || model.capacityOf(name) === 1) return;
  const held = (condition: Condition) =>
    model.slotNames(name).filter((slot) => {
      return model.holdAt(slot)?.of === name && model.conditionAt(slot) === condition;
    }).length;
  const isLong = packed.length > 8;
  const found = isLong ? [packed.readUInt32BE(8), packed.readUInt32BE(12)] : [0, 0];
  expect(found, `held of ${name} and not ready`).toEqual([held('out'), held('dirty')]);
  if (model.definitions.get(name)?.afterUse === 'dirty') expect(isLong, `form of ${name}`).toBe(true);
}

const hasControls = (field: string) => [...field].some((character) => character < ' ');

/** The numbers of the slots that bitmaps mark, as `<name> <number>`. */
function marksIn(hash: Hash, mark: string): string[] {
  const found: string[] = [];
  for (const [field, bitmap] of Object.entries(hash)) {
    const [name = '', chunk] = field.split(mark);
    if (chunk === undefined || !/^\d+$/.test(chunk)) continue;
    for (const [i, byte] of bitmap.entries())
      for (let bit = 0; bit < 8; bit++)
        if (byte & (128 >> bit)) found.push(`${name} ${Number(chunk) * 512 + i * 8 + bit}`);
  }
  return found.sort();
}
