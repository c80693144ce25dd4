import type { KnownBlock } from '@slack/types'
import { byField, markIn, unmarked } from './field-ids.ts'
import type { StateValues } from './form-answers.ts'
import { fields, text } from './payload-fields.ts'

/** A window as it was when a button in it was pressed, or when it was sent in. */
export interface ViewState {
  id: string
  callbackId: string
  metadata: string
  /** Changes with every change of the window's content. */
  hash: string
  /** The suffix of each field's name as sent (see field-ids.ts); the blocks and values here are without it. */
  mark: string
  title: string
  submit: string
  blocks: KnownBlock[]
  values: StateValues
}

/** Undefined when it is not a modal window. */
export function viewOf(value: unknown): ViewState | undefined {
  const view = fields(value)
  if (view.type !== 'modal') return undefined
  const metadata = text(view.private_metadata)
  // The blocks are ours, as Slack returns them.
  const blocks = Array.isArray(view.blocks) ? (unescaped(view.blocks) as KnownBlock[]) : []
  const mark = markIn(blocks, metadata)
  return {
    id: text(view.id),
    callbackId: text(view.callback_id),
    metadata,
    hash: text(view.hash),
    title: text(fields(view.title).text),
    submit: text(fields(view.submit).text),
    mark,
    blocks: unmarked(blocks, mark),
    // Slack's documented form of a view's state.
    values: byField(fields(fields(view.state).values) as StateValues, mark),
  }
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }

/** Slack may return text escaped: sent back like that, `R&D` would become `R&amp;D`. */
function unescaped(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(unescaped)
  if (typeof part !== 'object' || part === null) return part
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [
      key,
      key === 'text' && typeof value === 'string'
        ? value.replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity)
        : unescaped(value),
    ]),
  )
}
