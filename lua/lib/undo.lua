--@rare
-- Undoes changes of slots.
--@include slots

-- Undoes all changes since the journal had this length, last first.
local function undo(length)
  while #journal > length do
    local slot, before = journal[#journal - 1], journal[#journal]
    setRecord(slot, before)
    for _ = 1, 4 do
      journal[#journal] = nil
    end
  end
end
