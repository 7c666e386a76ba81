/**
 * Reads the record of a held slot; lua/includes/codec.lua writes it and says how.
 */
export interface SlotRecord {
  readonly owner: string;
  readonly fencingToken: number;
  /** ms since 1970 UTC */
  readonly reservedAt: number;
  /** ms since 1970 UTC; 0 never */
  readonly expiresAt: number;
  /** '' the default type */
  readonly resourceType: string;
  /** '' none */
  readonly keyLabel: string;
}

const RESERVATION_KIND = 2;
const TOKEN_BYTES = 22;

/** @returns null where no reservation stands on the slot: it is only held along with others */
export function readRecord(record: Buffer): SlotRecord | null {
  if (record[0] !== RESERVATION_KIND) return null;
  const ownerEnd = record.indexOf(0, 5);
  const fence = ownerEnd + 1;
  const typeStart = fence + 7 + 6 + 6 + TOKEN_BYTES;
  const typeEnd = record.indexOf(0, typeStart);
  const labelEnd = record.indexOf(0, typeEnd + 1);
  return {
    owner: record.toString('utf8', 5, ownerEnd),
    fencingToken: record.readUIntBE(fence, 1) * 2 ** 48 + record.readUIntBE(fence + 1, 6),
    reservedAt: record.readUIntBE(fence + 7, 6),
    expiresAt: record.readUIntBE(fence + 13, 6),
    resourceType: record.toString('utf8', typeStart, typeEnd),
    keyLabel: record.toString('utf8', typeEnd + 1, labelEnd),
  };
}
