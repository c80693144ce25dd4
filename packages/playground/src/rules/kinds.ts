import { ATTACHMENTS } from './attachments.ts'
import { BLOCKS } from './blocks.ts'
import { CHARTS } from './charts.ts'
import { ELEMENTS } from './elements.ts'
import { INPUTS } from './inputs.ts'
import { MENUS } from './menus.ts'
import { NEWER_BLOCKS } from './newer-blocks.ts'
import { OBJECTS } from './objects.ts'
import { RICH_TEXT } from './rich-text.ts'
import type { Kind, Surface } from './rule.ts'
import { TABLES } from './tables.ts'
import { VIEWS } from './views.ts'

/** The whole table, by name. */
export const KINDS: ReadonlyMap<string, Kind> = new Map(
  [
    ...BLOCKS,
    ...NEWER_BLOCKS,
    ...TABLES,
    ...CHARTS,
    ...ELEMENTS,
    ...MENUS,
    ...INPUTS,
    ...OBJECTS,
    ...RICH_TEXT,
    ...ATTACHMENTS,
    ...VIEWS,
  ].map((one) => [one.name, one]),
)

/** A kind by its name. Throws if there is no such kind. */
export function kindOf(name: string): Kind {
  const found = KINDS.get(name)
  if (!found) throw new Error(`There is no kind "${name}" among the rules.`)
  return found
}

/** Blocks by their type. */
export const BLOCK_KINDS: ReadonlyMap<string, Kind> = new Map(
  [...KINDS.values()].flatMap((one) => (one.family === 'block' && one.type ? [[one.type, one]] : [])),
)

/** Slack's blocks that are refused here, and why. */
export const REFUSED_BLOCKS: Readonly<Record<string, string>> = {
  file: 'file blocks come from Slack; an app cannot post them',
  call: 'call blocks belong to Slack calls, which the playground does not have',
}

/** How many blocks a surface can have. */
export const MAX_BLOCKS: Readonly<Record<Surface, number>> = { message: 50, modal: 100, home: 100 }

/** Blocks that a message can contain only this often. */
export const MAX_PER_MESSAGE: Readonly<Record<string, number>> = { plan: 1, data_visualization: 2 }

/** All of a message's markdown blocks together. */
export const MARKDOWN_CHARACTERS = 12_000
/** All text of a message's blocks: not documented, measured by others. */
export const BLOCK_CHARACTERS = 13_200
/** A message's text (https://docs.slack.dev/changelog/2018-04-truncating-really-long-messages). */
export const TEXT_CHARACTERS = 40_000
export const ATTACHMENTS_AT_MOST = 100
export const VIEW_BYTES = 250_000
