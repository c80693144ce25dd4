import { type Model, makeTables, OWN_TABLES, type Setting, type Table } from '@signalman/durable'
import type { Feature } from '../bot/feature.ts'
import { BOT_TABLES } from '../bot/workspaces/tables.ts'
import { FEATURES } from './features.ts'

const FEATURE_TABLES: readonly Table[] = FEATURES.flatMap(({ tables = [] }: Feature) => tables)
const TABLES = [...BOT_TABLES, ...FEATURE_TABLES, ...OWN_TABLES]

/** The settings of every feature, by key. */
export const SETTINGS: ReadonlyMap<string, { readonly feature: string; readonly setting: Setting<unknown> }> =
  new Map(
    FEATURES.flatMap(({ name, settings = [] }: Feature) =>
      settings.map((setting) => [setting.key, { feature: name, setting }] as const),
    ),
  )

/**
 * Everything that Signalman stores. Never edit a released migration: later ones only add, and new tables and columns name their
 * migration in their declaration (`since`), so that an upgraded database and a new one are the same.
 */
export const MODEL: Model = {
  name: 'signalman',
  tables: TABLES,
  migrations: [{ name: '001-first', up: (db) => makeTables(db, TABLES) }],
}
