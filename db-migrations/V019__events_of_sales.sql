-- The event of a sale is a note in the order of its pool: data is empty, and whoever reads it is told
-- from the hold and its commitments, which never change but for whom they were for. So what stands
-- there in the place of a person has to lead to when the person was shredded.
--
-- Locks: shredding, exclusively, for a moment.

ALTER TABLE shredding ADD COLUMN pseudonym text; -- in holds and commitments; unknown of older ones

ALTER TABLE shredding
    ALTER COLUMN pseudonym SET DEFAULT 'shredded:' || currval('shredding_number');

CREATE UNIQUE INDEX shredding_pseudonym_once ON shredding (pseudonym);
