import type { KnownBlock, ModalView } from '@slack/types'
import type { StateValues } from './form-answers.ts'
import { fields, text } from './whereabouts.ts'

/** A window as it was when a button in it was pressed, or when it was sent in. */
export interface ViewState {
  id: string
  callbackId: string
  metadata: string
  /** Changes with every change of the window's content. */
  hash: string
  /** The suffix of each field's name as sent; the blocks and values here are without it. */
  mark: string
  title: string
  submit: string
  blocks: KnownBlock[]
  values: StateValues
}

/** Undefined when it is not a modal window. */
export function readViewState(value: unknown): ViewState | undefined {
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

/**
 * Slack keeps what was typed for as long as a block and its element keep their ids, even when another form takes the
 * window. A form that takes another's window therefore carries a mark behind each of its fields' names. The mark is the
 * first 8 characters of the form's metadata. The rest of the app knows the names of fields; only views on their way to Slack
 * and back carry marks.
 */
const MARK_LENGTH = 8

/** Prepares a view for a window that may show another form: that form's answers must not become answers of this one. */
export function withFieldMarks(view: ModalView): ModalView {
  const metadata = view.private_metadata ?? ''
  // The blocks of our own modals are known blocks.
  return metadata ? { ...view, blocks: markFields(view.blocks as KnownBlock[], fieldMark(metadata)) } : view
}

const fieldMark = (metadata: string): string => `.${metadata.slice(0, MARK_LENGTH)}`

/** The mark that a form's blocks came back with; '' when it was sent without. */
function markIn(blocks: readonly KnownBlock[], metadata: string): string {
  const mark = fieldMark(metadata)
  return metadata && blocks.some(({ block_id }) => block_id?.endsWith(mark)) ? mark : ''
}

/** The form's blocks as they are sent. */
export function markFields(blocks: readonly KnownBlock[], mark: string): KnownBlock[] {
  return blocks.map((block) =>
    block.type === 'input' && block.block_id ? { ...block, block_id: block.block_id + mark } : block,
  )
}

/** The form's blocks as they came back, by the names of its fields. */
function unmarked(blocks: readonly KnownBlock[], mark: string): KnownBlock[] {
  return blocks.map((block) =>
    block.block_id ? { ...block, block_id: unmarkField(block.block_id, mark) } : block,
  )
}

/** A form's state by the names of its fields. */
function byField(values: StateValues, mark: string): StateValues {
  return Object.fromEntries(Object.entries(values).map(([id, value]) => [unmarkField(id, mark), value]))
}

/** Errors by the ids that were sent. Slack refuses an error for a field that is not shown: it goes to the first field. */
export function markedErrors(
  errors: Readonly<Record<string, string>>,
  blocks: readonly KnownBlock[],
  mark: string,
): Record<string, string> {
  const fields = blocks.flatMap(({ type, block_id }) => (type === 'input' && block_id ? [block_id] : []))
  const marked: Record<string, string> = {}
  for (const [field, sentence] of Object.entries(errors)) {
    const shown = (fields.includes(field) ? field : (fields[0] ?? field)) + mark
    marked[shown] = [marked[shown], sentence].filter(Boolean).join(' ')
  }
  return marked
}

function unmarkField(blockId: string, mark: string): string {
  return mark && blockId.endsWith(mark) ? blockId.slice(0, -mark.length) : blockId
}
