import { describe, expect, it } from '@jest/globals'
import { migrationFaults } from './migration-faults.ts'

describe('a migration beside an older version', () => {
  it.each([
    'create table thing (id uuid primary key, name text not null)',
    'alter table thing add column note text',
    "alter table thing add column note text not null default ''",
    'alter table thing alter column note drop not null',
    'create table thing (id uuid); create index thing_by_id on thing (id); alter table thing add primary key (id)',
    'create function f() returns void language sql as $$ delete from thing; drop table thing $$',
    "insert into thing (note) values ('drop table thing; truncate thing')",
    'create table gone (id uuid);\n-- Down Migration\ndrop table gone',
    '-- Contract: nothing has written it since version 1.4\nalter table thing drop column note',
  ])('may do this: %s', (sql) => {
    expect(migrationFaults(`-- Up Migration\n${sql};`)).toEqual([])
  })

  it.each([
    'drop table thing',
    'alter table thing drop column note',
    'alter table thing alter column note drop default',
    'alter table thing rename to things',
    'alter table thing alter column note type integer',
    'alter table thing alter column note set not null',
    'alter table thing add column note text not null',
    'alter table thing add column a text default 1, add column note text not null',
    'alter table thing add constraint positive check (n > 0)',
    'truncate thing',
    'delete from thing where old',
    'update thing set note = 1',
    'create unique index thing_by_name on thing (name)',
    '-- Locks: this is another mark than it takes\ndrop table thing',
    '-- Contract: short\ndrop table thing',
  ])('may not do this unsaid: %s', (sql) => {
    expect(migrationFaults(`-- Up Migration\n${sql};`)).toHaveLength(1)
  })
})
