import {
  actions,
  commandButton,
  LIMITS,
  modalView,
  mrkdwnSection,
  readBlocks,
  type StateValues,
  section,
  sentences,
  type ViewState,
} from '@signalman/slack'
import type { KnownBlock, ModalView } from '@slack/types'
import type { Answer } from '../answer.ts'
import { bindButtons } from '../bind-buttons.ts'
import {
  type Explained,
  formatGranters,
  problemMessage,
  problemText,
  referenceLine,
} from '../request/explain.ts'
import type { HandledRequest } from '../routes/command-context.ts'
import type { Form } from '../routes/routes.ts'

/** Shows the form again with the typed answers and the errors, or sends a message if the person has closed the window. */
export async function reopenForm(
  form: Form<unknown, unknown>,
  view: ViewState,
  { environment, isHidden, reference }: HandledRequest,
  problem: Explained,
  answer: Answer,
): Promise<void> {
  const fields = readBlocks(view).filter(({ block_id }) => !isProblem(block_id))
  const missing = otherErrors(fields, problem.fields)
  const banner = problemBlocks(
    {
      ...problem,
      // The form looks as before, so that it could be taken for what was asked about.
      ...(problem.isQuestion && { next: describeWaiting(view, fields) }),
      serviceMessages: [...problem.serviceMessages, ...missing],
    },
    reference,
  )
  const reopened = formView(view, [
    ...bindButtons(banner, environment, isHidden),
    ...withFieldErrors(refill(fields, view.values, form.secretFields), problem.fields),
  ])
  const serviceMessages = [...problem.serviceMessages, ...Object.values(problem.fields ?? {})]
  await answer.fill(reopened, problemMessage({ ...problem, serviceMessages }, reference))
}

/** Says that a question waits, also if the form is submitted again. */
const describeWaiting = ({ submit }: ViewState, fields: readonly KnownBlock[]): string =>
  fields.some(({ type }) => type === 'input')
    ? `Not done yet: press a button below, or change your answers and press “${submit}”.`
    : 'Not done yet: press a button below.'

/** The view of the same form with other blocks. */
export function formView(view: ViewState, blocks: KnownBlock[]): ModalView {
  const form = { id: view.callbackId, submit: view.submit }
  return modalView({ title: view.title, blocks, form }, view.metadata)
}

/** Maps an answer in Slack's view state to the element's property with the initial value. */
const INITIAL_PROPERTIES: Readonly<Record<string, string>> = {
  value: 'initial_value',
  selected_option: 'initial_option',
  selected_options: 'initial_options',
  selected_conversation: 'initial_conversation',
}

/** The blocks of a form with the typed answers as initial values, so that the person only has to retype `secretFields`. */
export function refill(
  blocks: readonly KnownBlock[],
  values: StateValues,
  secretFields: readonly string[] = [],
): KnownBlock[] {
  return blocks.map((block) => {
    if (block.type !== 'input') return block
    const field = block.block_id ?? ''
    const state = secretFields.includes(field) ? {} : values[field]
    if (!state) return block
    const initialProperties = new Set(Object.values(INITIAL_PROPERTIES))
    const element = Object.entries(block.element).filter(([key]) => !initialProperties.has(key))
    const typed = Object.entries(state).flatMap(([key, value]) => {
      const initial = INITIAL_PROPERTIES[key]
      return initial && !isEmpty(value) && fits(block.element, value) ? [[initial, value] as const] : []
    })
    // Slack reports values in the same format as initial values, so this is still an element of the same type.
    return {
      ...block,
      element: Object.fromEntries([...element, ...typed]) as unknown as typeof block.element,
    }
  })
}

/** Slack refuses a number that is out of bounds, whoever typed it. */
const fits = (element: object, value: unknown): boolean =>
  !('min_value' in element && Number(value) < Number(element.min_value)) &&
  !('max_value' in element && Number(value) > Number(element.max_value))

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** The IDs of blocks that say why the form is shown again and how to fix it. */
const PROBLEM_BLOCKS: readonly string[] = [
  'problem',
  'problem-more',
  'problem-granters',
  'problem-suggestions',
]

export const isProblem = (blockId = ''): boolean =>
  PROBLEM_BLOCKS.includes(blockId) || blockId.startsWith(ERROR_PREFIX)

/** The prefix of the ID of an error block below a field. */
const ERROR_PREFIX = 'problem-at.'

/** Adds a block with the error below each field. Slack shows errors at fields only if they're in the acknowledgement. */
function withFieldErrors(blocks: readonly KnownBlock[], fields: Explained['fields'] = {}): KnownBlock[] {
  return blocks.flatMap((block) => {
    const field = block.block_id ?? ''
    const message = Object.hasOwn(fields, field) ? fields[field] : undefined
    return message ? [block, { ...sentences(`⚠ ${message}`), block_id: `${ERROR_PREFIX}${field}` }] : [block]
  })
}

/** Errors about fields that this window doesn't have. */
function otherErrors(blocks: readonly KnownBlock[], fields: Explained['fields'] = {}): string[] {
  const fieldNames = new Set(blocks.map(({ block_id }) => block_id))
  return Object.entries(fields).flatMap(([field, message]) => (fieldNames.has(field) ? [] : [message]))
}

function problemBlocks(problem: Explained, reference: string): KnownBlock[] {
  const [explanation, serviceText] = problemText(problem)
  const suggestions = actions(
    ...problem.suggestions
      .slice(0, LIMITS.actionElements)
      .map(({ label, line }) => commandButton(label, line)),
  )
  const granters = formatGranters(problem)
  const blocks = [
    sentences([explanation, referenceLine(problem, reference)].filter(Boolean).join('\n')),
    ...(serviceText ? [section(serviceText)] : []),
    ...(granters ? [mrkdwnSection(granters)] : []),
    ...suggestions,
  ]
  return blocks.map((block, index) => ({
    ...block,
    block_id: PROBLEM_BLOCKS[index] ?? '',
  }))
}

export const problemNote = (text: string): KnownBlock => ({
  ...section(text),
  block_id: PROBLEM_BLOCKS[0] ?? '',
})
