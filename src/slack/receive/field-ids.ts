import type { KnownBlock, ModalView } from '@slack/types'
import type { StateValues } from './form-answers.ts'

/**
 * Slack keeps what was typed for as long as a block and its element keep their ids, even when another form takes the
 * window. A form that takes another's window therefore carries a mark behind each of its fields' names, made from its
 * metadata, which begins with one. Everything inside the app speaks of fields; only what is sent carries marks.
 */
const MARK_LENGTH = 8

/** The view for a window that may hold another form: none of what was typed there becomes an answer here. */
export function apart(view: ModalView): ModalView {
  const metadata = view.private_metadata ?? ''
  // Blocks of a modal of ours are known ones.
  return metadata ? { ...view, blocks: marked(view.blocks as KnownBlock[], markOf(metadata)) } : view
}

const markOf = (metadata: string): string => `.${metadata.slice(0, MARK_LENGTH)}`

/** The mark that a form's blocks came back with; '' when it was sent without. */
export function markIn(blocks: readonly KnownBlock[], metadata: string): string {
  const mark = markOf(metadata)
  return metadata && blocks.some(({ block_id }) => block_id?.endsWith(mark)) ? mark : ''
}

/** The form's blocks as they are sent. */
export function marked(blocks: readonly KnownBlock[], mark: string): KnownBlock[] {
  return blocks.map((block) =>
    block.type === 'input' && block.block_id ? { ...block, block_id: block.block_id + mark } : block,
  )
}

/** The form's blocks as they came back, by the names of its fields. */
export function unmarked(blocks: readonly KnownBlock[], mark: string): KnownBlock[] {
  return blocks.map((block) =>
    block.block_id ? { ...block, block_id: fieldOf(block.block_id, mark) } : block,
  )
}

/** A form's state by the names of its fields. */
export function byField(values: StateValues, mark: string): StateValues {
  return Object.fromEntries(Object.entries(values).map(([id, value]) => [fieldOf(id, mark), value]))
}

/** Errors by the ids that were sent. One for a field that is not shown goes to the first: Slack would refuse it. */
export function markedErrors(
  errors: Readonly<Record<string, string>>,
  blocks: readonly KnownBlock[],
  mark: string,
): Record<string, string> {
  const fields = blocks.flatMap(({ type, block_id }) => (type === 'input' && block_id ? [block_id] : []))
  return Object.fromEntries(
    Object.entries(errors).map(([field, sentence]) => {
      const shown = fields.includes(field) ? field : (fields[0] ?? field)
      return [shown + mark, sentence]
    }),
  )
}

function fieldOf(blockId: string, mark: string): string {
  return mark && blockId.endsWith(mark) ? blockId.slice(0, -mark.length) : blockId
}
