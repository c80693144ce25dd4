import type { Work } from '@signalman/durable'
import {
  ANSWER_ACTION,
  actions,
  addFieldSuffix,
  commandButton,
  LIMITS,
  type Message,
  modalView,
  mrkdwnSection,
  type StateValues,
  section,
  sentences,
  type ViewState,
} from '@signalman/slack'
import type { KnownBlock, ModalView } from '@slack/types'
import type { Environment } from '../../domain/environment.ts'
import type { BindButtons } from '../request/buttons.ts'
import {
  type Explained,
  formatGranters,
  problemMessage,
  problemText,
  referenceLine,
} from '../request/explain.ts'
import type { AnswerSlot, OpenSlot } from '../request/reply.ts'
import type { HandledRequest, RedrawTarget } from '../routes/command-context.ts'
import type { Form } from '../routes/routes.ts'
import type { WindowState, WindowStates } from '../windows/window-states.ts'
import { bindFormWindow } from './bind-window.ts'

export interface FormWindowDeps {
  openSlot: OpenSlot
  bindButtons: BindButtons
  windowStates: WindowStates
  /** Redraws the App Home behind the window. Never rejects. */
  refreshHome: (request: HandledRequest) => Promise<void>
  /** Redraws the answer that the form was opened from. Never rejects. */
  redraw: Redraw
}

/** Updates a form's window after it was submitted, or sends a message if the person has closed the window. */
export function createFormWindow(deps: FormWindowDeps) {
  const { openSlot, bindButtons, windowStates, refreshHome, redraw } = deps

  return {
    async showOutcome(
      request: HandledRequest,
      slot: AnswerSlot,
      outcome: Message,
      origin?: RedrawTarget,
    ): Promise<void> {
      slot.setRequest(request)
      await slot.put(outcome)
      if (!request.channelId) await refreshHome(request)
      if (origin) await redraw(request, origin, { isBelow: isBelow(request, origin) })
    },

    /** Shows the outcome of the first submission of a window that was submitted twice. Nothing runs again. */
    async showRepeated(view: ViewState, request: HandledRequest, firstSubmission: Work): Promise<void> {
      const note = section(firstSubmission.state === 'done' ? ALREADY_DONE : GIVEN_UP)
      const fallbackMessage = { text: note.text?.text ?? '', blocks: [note] }
      await openSlot(request, FORM_SLOT).fill(resultView(view.title, [note]), fallbackMessage)
    },

    async showUnknownOutcome(view: ViewState, request: HandledRequest): Promise<void> {
      await openSlot(request, FORM_SLOT).fill(resultView(view.title, [mrkdwnSection(UNKNOWN_OUTCOME)]))
    },

    /** Shows the form again with the typed answers and the errors, or as the error says. */
    async reopenForm(
      form: Form<unknown, unknown>,
      view: ViewState,
      request: HandledRequest,
      problem: Explained,
      slot: AnswerSlot,
    ): Promise<void> {
      const fields = view.blocks.filter(({ block_id }) => !isProblem(block_id))
      // Even if the database fails, the typed answers aren't lost, because they are in the request.
      const state = await windowStates.read(request, view).catch(() => undefined)
      const requestInWindow = withWindowState(state, request)
      const fullProblem = {
        ...problem,
        serviceMessages: [...problem.serviceMessages, ...otherErrors(fields, problem.fields)],
      }
      const banner = await bindButtons(
        requestInWindow,
        requestInWindow.environment,
        problemBlocks(fullProblem, request.reference),
      ).catch(() => problemBlocks({ ...fullProblem, suggestions: [] }, request.reference))
      const reopenedForm =
        problem.window && state
          ? await bindFormWindow(deps, requestInWindow, problem.window, { callbackId: form.id, state })
          : formView(view, [
              ...banner,
              ...withFieldErrors(refill(fields, view.values, form.secretFields), problem.fields),
            ])
      slot.setRequest(requestInWindow)
      const serviceMessages = [...problem.serviceMessages, ...Object.values(problem.fields ?? {})]
      await slot.fill(reopenedForm, problemMessage({ ...problem, serviceMessages }, request.reference))
      // What the window below shows may be why this was refused.
      const origin = state?.origin
      if (origin && isBelow(request, origin)) await redraw(requestInWindow, origin, { isBelow: true })
    },
  }
}

/** Redraws an answer. `isBelow`: it is the window below the one that people look at. */
export type Redraw = (
  request: HandledRequest,
  target: RedrawTarget,
  options: { isBelow: boolean },
) => Promise<void>

/** Whether the form was opened on top of the window that it was opened from. In place of it, the form is in the same window. */
const isBelow = ({ surface }: Pick<HandledRequest, 'surface'>, origin: RedrawTarget): boolean =>
  'modalId' in origin && !(surface.kind === 'window' && surface.modalId === origin.modalId)

/** Without a placeholder, because the window itself says that the app is working. */
export const FORM_SLOT = { inPlace: true, noPlaceholder: true } as const

/** Replaces the request's channel, environment, and `via` with those from when the window opened. */
export function withWindowState(
  state: WindowState | undefined,
  { channelId: _, ...request }: HandledRequest,
): HandledRequest & { environment: Environment } {
  const environment = state?.environment ?? 'production'
  return {
    ...request,
    environment,
    ...(state?.channelId && { channelId: state.channelId }),
    ...(state?.via && { via: state.via }),
  }
}

const ALREADY_DONE =
  'You already submitted this window, and it was processed. The result was shown here or sent to you. It wasn’t done a second time.'

const GIVEN_UP =
  'You submitted this window before, but it couldn’t be finished. It may still have gone through. Check before you repeat it.'

const UNKNOWN_OUTCOME =
  'Signalman doesn’t know yet whether this was done. It’s finding out, and this window will show the result.'

/** Ignores Slack's error that the window has changed: it already shows the result, or what another click or process drew. */
export function ignoreHashConflict(error: unknown): void {
  if (!(error instanceof Error && error.message.includes('hash_conflict'))) throw error
}

export const resultView = (title: string, blocks: KnownBlock[]): ModalView =>
  modalView({ title, blocks: [blocks] })

/** The view of the same form with other blocks. */
export function formView(view: ViewState, blocks: KnownBlock[]): ModalView {
  const form = { id: view.callbackId, submit: view.submit }
  return modalView(
    { title: view.title, blocks: [addFieldSuffix(blocks, view.fieldSuffix)], form },
    view.metadata,
  )
}

/** Maps an answer in Slack's view state to the element's property with the initial value. */
const INITIAL_PROPERTIES: Readonly<Record<string, string>> = {
  value: 'initial_value',
  selected_option: 'initial_option',
  selected_options: 'initial_options',
  selected_users: 'initial_users',
  selected_conversations: 'initial_conversations',
  selected_conversation: 'initial_conversation',
  selected_date: 'initial_date',
}

/**
 * The blocks of a submitted form with the typed answers as initial values, so that the person only has to retype
 * `secretFields`.
 */
function refill(
  blocks: readonly KnownBlock[],
  values: StateValues,
  secretFields: readonly string[] = [],
): KnownBlock[] {
  return blocks.map((block) => {
    if (block.type !== 'input') return block
    const field = block.block_id ?? ''
    const state = secretFields.includes(field) ? {} : values[field]?.[ANSWER_ACTION]
    if (!state) return block
    const initialProperties = new Set(Object.values(INITIAL_PROPERTIES))
    const element = Object.entries(block.element).filter(([key]) => !initialProperties.has(key))
    const typed = Object.entries(state).flatMap(([key, value]) => {
      const initial = INITIAL_PROPERTIES[key]
      return initial && !isEmpty(value) ? [[initial, value] as const] : []
    })
    // Slack reports values in the same format as initial values, so this is still an element of the same type.
    return {
      ...block,
      element: Object.fromEntries([...element, ...typed]) as unknown as typeof block.element,
    }
  })
}

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
      .map(({ label, line, replaces = false }) => commandButton(label, line, { inPlace: replaces })),
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

/** A section with an error. */
export const problemNote = (text: string): KnownBlock => ({
  ...section(text),
  block_id: PROBLEM_BLOCKS[0] ?? '',
})
