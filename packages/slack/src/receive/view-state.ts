import type { KnownBlock, ModalView } from '@slack/types'
import type { StateValues } from './form-answers.ts'
import { toObject, toText } from './request-origin.ts'

/** A modal at the time when a button in it was pressed, or when it was submitted. */
export interface ViewState {
  id: string
  callbackId: string
  metadata: string
  /** Changes with every update of the modal. */
  hash: string
  /** The suffix of the field names in Slack. It's already removed from the blocks and values here. */
  mark: string
  title: string
  submit: string
  blocks: KnownBlock[]
  values: StateValues
}

/** Undefined if it isn't a modal. */
export function readViewState(value: unknown): ViewState | undefined {
  const view = toObject(value)
  if (view.type !== 'modal') return undefined
  const metadata = toText(view.private_metadata)
  // Our own blocks, as Slack returns them.
  const blocks = Array.isArray(view.blocks) ? (unescapeTexts(view.blocks) as KnownBlock[]) : []
  const mark = findMark(blocks, metadata)
  return {
    id: toText(view.id),
    callbackId: toText(view.callback_id),
    metadata,
    hash: toText(view.hash),
    title: toText(toObject(view.title).text),
    submit: toText(toObject(view.submit).text),
    mark,
    blocks: unmarkBlocks(blocks, mark),
    // Slack's documented format of a view's state.
    values: unmarkValues(toObject(toObject(view.state).values) as StateValues, mark),
  }
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }

/** Unescapes texts, because Slack may return them escaped. If they were sent back unchanged, `R&D` would become `R&amp;D`. */
function unescapeTexts(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(unescapeTexts)
  if (typeof part !== 'object' || part === null) return part
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [
      key,
      key === 'text' && typeof value === 'string'
        ? value.replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity)
        : unescapeTexts(value),
    ]),
  )
}

/**
 * Slack keeps typed text as long as a block and its element have the same IDs, even if another form replaces the one in the modal.
 * So a form that replaces another adds a suffix (mark) to its field names: the first 8 characters of the form's metadata. Only the
 * views that are exchanged with Slack have marks. The rest of the app uses plain field names.
 */
const MARK_LENGTH = 8

/** Prepares a form for a modal that may already show another form, so that it doesn't take over that form's answers. */
export function withFieldMarks(view: ModalView): ModalView {
  const metadata = view.private_metadata ?? ''
  // Our own modals contain only known block types.
  return metadata ? { ...view, blocks: markFields(view.blocks as KnownBlock[], fieldMark(metadata)) } : view
}

const fieldMark = (metadata: string): string => `.${metadata.slice(0, MARK_LENGTH)}`

/** Finds the mark of a returned form, or '' if it was sent without one. */
function findMark(blocks: readonly KnownBlock[], metadata: string): string {
  const mark = fieldMark(metadata)
  return metadata && blocks.some(({ block_id }) => block_id?.endsWith(mark)) ? mark : ''
}

/** Adds the mark to the form's field names. */
export function markFields(blocks: readonly KnownBlock[], mark: string): KnownBlock[] {
  return blocks.map((block) =>
    block.type === 'input' && block.block_id ? { ...block, block_id: block.block_id + mark } : block,
  )
}

/** Removes the mark from the returned blocks. */
function unmarkBlocks(blocks: readonly KnownBlock[], mark: string): KnownBlock[] {
  return blocks.map((block) =>
    block.block_id ? { ...block, block_id: unmarkField(block.block_id, mark) } : block,
  )
}

/** Removes the mark from the returned state. */
function unmarkValues(values: StateValues, mark: string): StateValues {
  return Object.fromEntries(Object.entries(values).map(([id, value]) => [unmarkField(id, mark), value]))
}

/**
 * Adds the mark to the field names of errors. Slack rejects an error for a field that isn't shown, so such an error goes to the
 * first field.
 */
export function markErrors(
  errors: Readonly<Record<string, string>>,
  blocks: readonly KnownBlock[],
  mark: string,
): Record<string, string> {
  const fields = blocks.flatMap(({ type, block_id }) => (type === 'input' && block_id ? [block_id] : []))
  const marked: Record<string, string> = {}
  for (const [field, sentence] of Object.entries(errors)) {
    const target = (fields.includes(field) ? field : (fields[0] ?? field)) + mark
    marked[target] = [marked[target], sentence].filter(Boolean).join(' ')
  }
  return marked
}

function unmarkField(blockId: string, mark: string): string {
  return mark && blockId.endsWith(mark) ? blockId.slice(0, -mark.length) : blockId
}
