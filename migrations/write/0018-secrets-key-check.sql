-- A constant, encrypted with SECRETS_KEY: whoever cannot open it has another key, and must not write. Missing where the
-- database was installed before there was one, until a process has shown that its key is the right one.
alter table platform.installation add key_check text;
