import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { createDatabase, query, type TestDatabase } from '@surehook/testing/database'
import { dumpSchema } from '../src/database/dump-schema.ts'

let database: TestDatabase
const run = (sql: string) => query(database.url, sql)
const dump = () => dumpSchema(database.url, 'shop')

beforeAll(async () => {
  database = await createDatabase()
})
afterAll(async () => {
  await database?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await run('drop schema if exists shop cascade; create schema shop')
  await run(`create table shop.item (id bigint generated always as identity primary key,
      name text collate "C" not null default 'none', price integer, twice integer
      generated always as (price * 2) stored, constraint paid check (price > 0)) with (fillfactor = 70);
    create index item_by_name on shop.item (name desc) where price > 1;
    create function shop.noted() returns trigger language plpgsql as 'begin return new; end';
    create trigger noted after insert on shop.item for each row execute function shop.noted()`)
})

it('shows columns, constraints, indexes, triggers and functions', async () => {
  expect(await dump()).toBe(`create table item (
  id bigint not null generated always as identity,
  name text collate "C" not null default 'none'::text,
  price integer,
  twice integer generated always as ((price * 2)) stored,
  constraint item_pkey PRIMARY KEY (id),
  constraint paid CHECK (price > 0)
) with (fillfactor=70);
CREATE INDEX item_by_name ON item USING btree (name DESC) WHERE price > 1;
CREATE TRIGGER noted AFTER INSERT ON item FOR EACH ROW EXECUTE FUNCTION noted();

CREATE OR REPLACE FUNCTION shop.noted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$begin return new; end$function$;
`)
})

it('shows how a table is partitioned, and not its partitions', async () => {
  await run(`create table shop.log (day date not null, primary key (day)) partition by range (day);
    create table shop.log_1 partition of shop.log for values from ('2026-01-01') to ('2026-01-02')`)
  const text = await dump()
  expect(text).toContain('constraint log_pkey PRIMARY KEY (day)\n) partition by RANGE (day);')
  expect(text).not.toContain('log_1')
})

describe('changes with', () => {
  it.each([
    'alter table shop.item alter name set default 1',
    'alter table shop.item alter name drop not null',
    'alter table shop.item alter twice type bigint',
    'alter table shop.item add column note text',
    'alter table shop.item drop constraint paid',
    'alter table shop.item add foreign key (price) references shop.item',
    'alter table shop.item set (fillfactor = 80)',
    'alter table shop.item set unlogged',
    'create unique index item_price on shop.item (price)',
    'drop trigger noted on shop.item',
    "create function shop.other() returns integer language sql as 'select 1'",
  ])('%s', async (change) => {
    const before = await dump()
    await run(change)
    expect(await dump()).not.toBe(before)
  })
})

describe('refuses what it does not show:', () => {
  it.each([
    ['view seen', 'create view shop.seen as select 1'],
    ['type state', "create type shop.state as enum ('new')"],
    ['type short', 'create domain shop.short as text'],
    ['composite type pair', 'create type shop.pair as (a integer)'],
    ['sequence numbers', 'create sequence shop.numbers'],
    ['policy own', 'create policy own on shop.item using (true)'],
  ])('%s', async (name, change) => {
    await run(change)
    await expect(dump()).rejects.toThrow(`the schema dump does not show ${name}`)
  })
})
