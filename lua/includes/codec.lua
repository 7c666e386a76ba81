-- The record of a held slot, as the slots hash stores it. Integers are big-endian and unsigned; s ends in a zero byte,
-- which no name can hold.
--   kind 2, a reservation stands on the slot:
--     B kind, I4 needs, s owner, I7 fence, I6 reservedAt ms, I6 expiresAt ms (0 never), c22 token, s type, s keyLabel
-- needs counts the reservations whose plans hold the slot. type is '' for the default one, keyLabel '' for none.
-- src/engine/record.ts reads the same form.
local RESERVATION = '>BI4sI7I6I6c22ss'
