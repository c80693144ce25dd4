import { FieldErrors, TEXT_LIMITS } from '@signalman/runtime'
import type { KnownBlock, ModalView } from '@slack/types'
import { ANSWER_ACTION } from '../blocks/inputs.ts'
import { toObject, toText } from './request-origin.ts'

/** The state of an element of any type in Slack's `view.state.values`. */
interface ElementState {
  type?: string
  value?: string | null
  selected_option?: { value: string } | null
  selected_options?: { value: string }[]
  selected_conversation?: string | null
  files?: { id: string }[]
}

export type StateValues = Readonly<Record<string, Readonly<Record<string, ElementState>>>>

/** A modal at the time when a button in it was pressed, or when it was submitted. */
export interface ViewState {
  id: string
  callbackId: string
  metadata: string
  /** Changes with every update of the modal. */
  hash: string
  /** The suffix of the field names in Slack, which is already removed from `blocks` and `values`. '' if there is none. */
  fieldSuffix: string
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
  const fieldSuffix = findFieldSuffix(blocks, metadata)
  return {
    id: toText(view.id),
    callbackId: toText(view.callback_id),
    metadata,
    hash: toText(view.hash),
    title: toText(toObject(view.title).text),
    submit: toText(toObject(view.submit).text),
    fieldSuffix,
    blocks: removeBlockSuffix(blocks, fieldSuffix),
    // Slack's documented format of a view's state.
    values: removeValueSuffix(toObject(toObject(view.state).values) as StateValues, fieldSuffix),
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
 * The length of a field name's suffix, without its dot. Slack keeps typed text as long as a block and its element have the same IDs,
 * even if another form replaces the one in the modal. So each form that may replace another adds a suffix to its field names: the
 * first 8 characters of the form's metadata. Only views sent to or received from Slack have suffixes.
 */
const SUFFIX_LENGTH = 8

/** Adds suffixes to the field names of a form. Otherwise, it would show what was typed into another form in the same modal. */
export function withFieldSuffixes(view: ModalView): ModalView {
  const metadata = view.private_metadata ?? ''
  // Our own modals contain only known block types.
  return metadata
    ? { ...view, blocks: addFieldSuffix(view.blocks as KnownBlock[], toFieldSuffix(metadata)) }
    : view
}

const toFieldSuffix = (metadata: string): string => `.${metadata.slice(0, SUFFIX_LENGTH)}`

/** Finds the suffix of a returned form's field names. '' if it was sent without one. */
function findFieldSuffix(blocks: readonly KnownBlock[], metadata: string): string {
  const suffix = toFieldSuffix(metadata)
  return metadata && blocks.some(({ block_id }) => block_id?.endsWith(suffix)) ? suffix : ''
}

/** Adds the suffix to the form's field names. */
export function addFieldSuffix(blocks: readonly KnownBlock[], suffix: string): KnownBlock[] {
  return blocks.map((block) =>
    block.type === 'input' && block.block_id ? { ...block, block_id: block.block_id + suffix } : block,
  )
}

function removeBlockSuffix(blocks: readonly KnownBlock[], suffix: string): KnownBlock[] {
  return blocks.map((block) =>
    block.block_id ? { ...block, block_id: removeSuffix(block.block_id, suffix) } : block,
  )
}

function removeValueSuffix(values: StateValues, suffix: string): StateValues {
  return Object.fromEntries(Object.entries(values).map(([id, value]) => [removeSuffix(id, suffix), value]))
}

/**
 * Returns the errors under Slack's field names, which have the suffix. Slack rejects an error for a field that isn't shown, so such
 * an error goes to the first field.
 */
export function toFieldErrors(
  errors: Readonly<Record<string, string>>,
  blocks: readonly KnownBlock[],
  suffix: string,
): Record<string, string> {
  const fields = blocks.flatMap(({ type, block_id }) => (type === 'input' && block_id ? [block_id] : []))
  const errorsByField: Record<string, string> = {}
  for (const [field, sentence] of Object.entries(errors)) {
    const target = (fields.includes(field) ? field : (fields[0] ?? field)) + suffix
    errorsByField[target] = [errorsByField[target], sentence].filter(Boolean).join(' ')
  }
  return errorsByField
}

function removeSuffix(blockId: string, suffix: string): string {
  return suffix && blockId.endsWith(suffix) ? blockId.slice(0, -suffix.length) : blockId
}

/** A form's answers by field name. Missing, empty, and hidden fields all give `undefined` or an empty list. */
export type Answers = ReturnType<typeof readAnswers>

/** Reads Slack's view state. All our inputs have the action_id `answer`. */
export function readAnswers(values: StateValues) {
  const readElement = (field: string): ElementState | undefined =>
    Object.hasOwn(values, field) ? values[field]?.[ANSWER_ACTION] : undefined
  return {
    text(field: string): string | undefined {
      const typed = readElement(field)?.value ?? ''
      // Slack lets nobody type more than 3,000 characters, so a longer text isn't processed.
      if (typed.length > TEXT_LIMITS.field)
        throw new FieldErrors({ [field]: 'This is too long. The maximum is 3,000 characters.' })
      return typed.trim() || undefined
    },
    choice: (field: string): string | undefined => readElement(field)?.selected_option?.value,
    choices: (field: string): string[] =>
      (readElement(field)?.selected_options ?? []).map(({ value }) => value),
    /** A channel ID. */
    conversation: (field: string): string | undefined =>
      readElement(field)?.selected_conversation ?? undefined,
    /** The IDs of the uploaded files. */
    files: (field: string): string[] => (readElement(field)?.files ?? []).map(({ id }) => id),
    has: (field: string): boolean => readElement(field) !== undefined,
  }
}
