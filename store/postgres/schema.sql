-- One row for each process that owns workspaces, or may: when it was last seen, and how often others took from it.
create table handoff_node (
  id text primary key,
  seen timestamptz not null,
  taken bigint not null default 0
);

-- One row for each workspace: who owns it, and up to where its log is folded into its rows. The note says where the
-- owner answers; without one nobody owns the workspace.
create table handoff_workspace (
  id bigint generated always as identity primary key,
  name text collate "C" not null unique,
  epoch bigint not null default 0,
  folded bigint not null default 0,
  node text,
  note text
);

-- Entries are written once, one for each commit, and deleted when they are folded. The three arrays have the columns of
-- its rows; the content of a deleted row is null. Those without arrays are takeovers: they stay, so that their numbers
-- are never given again.
create table handoff_log (
  workspace bigint not null references handoff_workspace on delete cascade,
  number bigint not null,
  epoch bigint not null,
  spaces smallint[],
  keys bytea[],
  contents bytea[],
  primary key (workspace, number)
);
alter table handoff_log alter column keys set storage external, alter column contents set storage external;

create table handoff_row (
  workspace bigint not null references handoff_workspace on delete cascade,
  space smallint not null,
  key bytea not null,
  value bytea not null,
  primary key (workspace, space, key)
);

create table handoff_schema (version int not null);
insert into handoff_schema values (2);
