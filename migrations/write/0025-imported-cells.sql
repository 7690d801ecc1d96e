-- SHA-256 of what the row itself says. `digest` also covers what its record takes from other rows, which may change while
-- the row stays equal. Null for rows that were promoted before this column existed.
alter table import.records add column cells bytea;
