import { BLOCKS } from './blocks.ts'
import { ELEMENTS } from './elements.ts'
import { INPUTS } from './inputs.ts'
import { MENUS } from './menus.ts'
import { OBJECTS } from './objects.ts'
import { RICH_TEXT } from './rich-text.ts'
import type { Kind } from './rule.ts'
import { VIEWS } from './views.ts'

/** The rules for every kind of block, element, object, and view, by name. */
export const KINDS: ReadonlyMap<string, Kind> = new Map(
  [...BLOCKS, ...ELEMENTS, ...MENUS, ...INPUTS, ...OBJECTS, ...RICH_TEXT, ...VIEWS].map((kind) => [
    kind.name,
    kind,
  ]),
)

/** Finds a kind by name. Throws if there is no such kind. */
export function getKind(name: string): Kind {
  const kind = KINDS.get(name)
  if (!kind) throw new Error(`The rules have no kind "${name}".`)
  return kind
}

/** The rules for blocks, by block type. */
export const BLOCK_KINDS: ReadonlyMap<string, Kind> = new Map(
  // Only blocks have a `block_id`.
  [...KINDS.values()].flatMap((kind) => (kind.fields.block_id && kind.type ? [[kind.type, kind]] : [])),
)
