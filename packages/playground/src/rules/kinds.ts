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

/** The rules for every kind of block, element, object, and view, by name. */
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
  ].map((kind) => [kind.name, kind]),
)

/** Finds a kind by name. Throws if there is no such kind. */
export function getKind(name: string): Kind {
  const kind = KINDS.get(name)
  if (!kind) throw new Error(`The rules have no kind "${name}".`)
  return kind
}

/** The rules for blocks, by block type. */
export const BLOCK_KINDS: ReadonlyMap<string, Kind> = new Map(
  [...KINDS.values()].flatMap((kind) => (kind.family === 'block' && kind.type ? [[kind.type, kind]] : [])),
)

/** The blocks in Slack's reference that the playground rejects, with the reason. */
export const UNSUPPORTED_BLOCKS: Readonly<Record<string, string>> = {
  file: "Slack creates file blocks; an app can't post them",
  call: "call blocks belong to Slack calls, which the playground doesn't support",
}

/** The maximum number of blocks, by surface. */
export const MAX_BLOCKS: Readonly<Record<Surface, number>> = { message: 50, modal: 100, home: 100 }

/** The maximum number of blocks of one type in a message, where Slack has a limit. */
export const MAX_PER_MESSAGE: Readonly<Record<string, number>> = { plan: 1, data_visualization: 2 }

/** The maximum length of all markdown blocks in a message together. */
export const MAX_MARKDOWN_LENGTH = 12_000
/** The maximum length of all text in a message's blocks. Not documented by Slack, but measured by developers. */
export const MAX_BLOCK_TEXT_LENGTH = 13_200
/** The maximum length of a message's text (https://docs.slack.dev/changelog/2018-04-truncating-really-long-messages). */
export const MAX_TEXT_LENGTH = 40_000
export const MAX_ATTACHMENTS = 100
export const MAX_VIEW_BYTES = 250_000
