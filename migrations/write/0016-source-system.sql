-- Nothing has ever read it: the rows of Info say which system they come from.
alter table import.requests drop column source_system;
