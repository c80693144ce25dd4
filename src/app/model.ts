import { type Model, makeTables, OWN_TABLES, type Setting, type Table } from '@signalman/durable'
import type { Feature } from '../bot/feature.ts'
import { BOT_TABLES } from '../bot/workspaces/tables.ts'
import { FEATURES } from './features.ts'

const ofFeatures: readonly Table[] = FEATURES.flatMap(({ tables = [] }: Feature) => tables)
const TABLES = [...BOT_TABLES, ...ofFeatures, ...OWN_TABLES]

/** The settings of every feature, by key. */
export const SETTINGS: ReadonlyMap<string, { readonly feature: string; readonly setting: Setting<unknown> }> =
  new Map(
    FEATURES.flatMap(({ name, settings = [] }: Feature) =>
      settings.map((setting) => [setting.key, { feature: name, setting }] as const),
    ),
  )

/**
 * All that Signalman stores. What a released migration makes is never edited: a later one only adds, and a table or column that is
 * new says at its declaration with which (`since`), so that a database from before and an empty one come to the same.
 */
export const MODEL: Model = {
  tables: TABLES,
  migrations: [{ name: '001-first', up: (db) => makeTables(db, TABLES) }],
}
