import type { KnownBlock, ModalView } from '@slack/types'
import { commandButton } from '../../blocks/command-buttons.ts'
import { actions, say, section } from '../../blocks/layout.ts'
import { LIMITS } from '../../blocks/limits.ts'
import type { Message } from '../../blocks/message.ts'
import { modalView } from '../../blocks/modal.ts'
import type { Environment } from '../../domain/environment.ts'
import { FieldErrors, UserError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { SlackClients } from '../../slack/client/clients.ts'
import { marked, markedErrors } from '../../slack/receive/field-ids.ts'
import { answersOf } from '../../slack/receive/form-answers.ts'
import type { RedrawTarget, RequestOrigin } from '../../slack/receive/origin.ts'
import type { SubmissionRequest, ViewState } from '../../slack/receive/requests.ts'
import { retrySafely } from '../../slack/reply/retry-safely.ts'
import type { Work } from '../../store/store.ts'
import type { Access } from '../access/access.ts'
import type { BindButtons } from '../buttons/bind-buttons.ts'
import type { OnlyPermitted } from '../commands/permitted-buttons.ts'
import type { MendToken } from '../commands/token-mending.ts'
import type { MakeContext } from '../context/make-context.ts'
import { type Explained, grantersOf, problemMessage, problemWords } from '../replies/explain.ts'
import { NotTold } from '../replies/not-told.ts'
import type { Replies } from '../replies/replies.ts'
import { NOT_WRITTEN, type RequestHandler } from '../requests/request-handler.ts'
import type { Form, RouteTable } from '../routes/routes.ts'
import type { WindowState, WindowStates } from '../windows/window-states.ts'
import { refill } from './refill.ts'

export interface Submissions {
  (request: SubmissionRequest): RequestHandler
  /** The form as it stands, with other blocks. */
  formView(view: ViewState, blocks: KnownBlock[]): ModalView
}

/**
 * Handles a submitted form. It reads the answers at once, so that mistakes show at their fields. Then the window says that
 * the app is working, and ends on the outcome, or on the form again with everything that was typed and what is wrong.
 */
export function createSubmissions(parts: {
  routes: RouteTable
  replies: Replies
  bindButtons: BindButtons
  windowStates: WindowStates
  clients: SlackClients
  access: Access
  mendToken: MendToken
  ask: MakeContext
  onlyPermitted: OnlyPermitted
  log: Log
  /** Draws App Home again, where the person sees it behind the window. Never rejects. */
  refreshHome: (place: RequestOrigin) => Promise<void>
  /** Draws again what the form was opened from. Never rejects. */
  redraw: (place: RequestOrigin, origin: RedrawTarget) => Promise<void>
}): Submissions {
  const { routes, replies, bindButtons, windowStates, clients, access } = parts
  const { mendToken, ask, onlyPermitted, log, refreshHome, redraw } = parts

  function plan({ view }: SubmissionRequest): RequestHandler {
    const form = routes.formOf(view.callbackId)
    if (!form) return { acknowledgement: updateTo(shown(view.title, OUTDATED)) }
    const read = readOf(form, view)
    if ('errors' in read) {
      const errors = markedErrors(read.errors, view.blocks, view.mark)
      return { acknowledgement: { response_action: 'errors', errors } }
    }
    return {
      acknowledgement: updateTo(shown(view.title, [say(form.working)])),
      work: (place) => submit(form, read.values, view, place),
      isAct: true,
      once: view.hash && `submission:${view.id}:${view.hash}`,
      repeated: (place, known) => tellRepeated(view, place, known),
      refusal: refusalIn(view),
      onDoubt: (place) => inDoubt(view, place),
      tell: (place, problem) => showAgain(form, view, place, problem),
    }
  }

  async function submit(
    form: Form<unknown, unknown>,
    values: unknown,
    view: ViewState,
    place: RequestOrigin,
  ): Promise<string> {
    const state = await windowStates.read(place, view)
    if (!state) throw new UserError(TOO_OLD)
    const here = whereOpened(state, place)
    // An act that has begun is finished without a new admission; each further step checks the right again.
    const actor = await (place.act && !place.act.isUntouched
      ? access.actorOf(here)
      : access.admit(here, form))
    const asked = ask(here, here.environment, actor, form)
    const outcome = await form.submit(asked, values, state.about).catch(async (error: unknown) => {
      throw await mendToken(error, { place: here, environment: here.environment, actor })
    })
    // The act is done: when telling so fails, the form must not come back and invite the person to do it again.
    const tell = (shows: Message) => tellOutcome(view, here, shows, form.keeps, state.origin)
    const told = onlyPermitted.content(asked, outcome).then(tell)
    await told.catch((error: unknown) => {
      throw new NotTold(error)
    })
    return form.id
  }

  async function tellOutcome(
    view: ViewState,
    here: RequestOrigin & { environment: Environment },
    outcome: Message,
    keeps = false,
    origin?: RedrawTarget,
  ): Promise<void> {
    const shows = await replies.view(here, here.environment, { title: view.title, blocks: outcome.blocks })
    const isShown = await show(here, view.id, shows, outcome)
    if (isShown && keeps) await asMessage(replies, here, outcome)
    if (!here.channelId) await refreshHome(here)
    if (origin) await redraw(here, origin)
  }

  /** The same window was sent before: nothing is done again, and the person reads the outcome. */
  async function tellRepeated(view: ViewState, place: RequestOrigin, known: Work): Promise<void> {
    const note = section(known.state === 'done' ? REPEATED : GIVEN_UP)
    await show(place, view.id, shown(view.title, [note]), { text: note.text?.text ?? '', blocks: [note] })
  }

  async function inDoubt(view: ViewState, place: RequestOrigin): Promise<void> {
    const slack = await clients.of(place)
    await slack.updateView(view.id, shown(view.title, [say(IN_DOUBT)]))
  }

  async function showAgain(
    form: Form<unknown, unknown>,
    view: ViewState,
    place: RequestOrigin,
    problem: Explained,
  ): Promise<void> {
    const asked = view.blocks.filter(({ block_id }) => !isProblem(block_id))
    // When the database is what failed, the request alone is enough to give back what was typed.
    const here = whereOpened(await windowStates.read(place, view).catch(() => undefined), place)
    const banner = await bindButtons(here, here.environment, problemBlocks(problem, place.reference)).catch(
      () => problemBlocks({ ...problem, offers: [] }, place.reference),
    )
    const again = formView(view, [
      ...banner,
      ...withFaults(refill(asked, view.values, form.secret), problem.fields),
    ])
    const said = [...problem.said, ...Object.values(problem.fields ?? {})]
    await show(here, view.id, again, problemMessage({ ...problem, said }, place.reference))
  }

  /** Shows the outcome in the window, or as a message when the person has closed the window. */
  async function show(
    place: RequestOrigin,
    viewId: string,
    view: ModalView,
    instead: Message,
  ): Promise<boolean> {
    try {
      const slack = await clients.of(place)
      await retrySafely(() => slack.updateView(viewId, view))
      return true
    } catch (error) {
      log.info({ reference: place.reference, err: error }, 'The window is gone; writing instead.')
      await asMessage(replies, place, instead)
      return false
    }
  }

  return Object.assign(plan, { formView })
}

function asMessage(replies: Pick<Replies, 'answer'>, place: RequestOrigin, message: Message): Promise<void> {
  const elsewhere = { ...place, responseUrl: undefined, triggerId: undefined }
  return replies.answer(elsewhere, place.environment ?? 'production', message)
}

/** The blocks that say why the form is back, and what would mend it. */
const PROBLEM_BLOCKS: readonly string[] = ['problem', 'problem-more', 'problem-granters', 'problem-offers']

const isProblem = (blockId = ''): boolean => PROBLEM_BLOCKS.includes(blockId) || blockId.startsWith(FAULT)

/** Prefix of the id of the block below a field that says what is wrong with its answer. */
const FAULT = 'problem-at.'

/** Slack shows sentences at fields only while it waits; one that comes later stands below the field instead. */
function withFaults(blocks: readonly KnownBlock[], fields: Explained['fields'] = {}): KnownBlock[] {
  return blocks.flatMap((block) => {
    const field = block.block_id ?? ''
    const says = Object.hasOwn(fields, field) ? fields[field] : undefined
    return says ? [block, { ...section(`⚠ ${says}`), block_id: `${FAULT}${field}` }] : [block]
  })
}

function problemBlocks(problem: Explained, reference: string): KnownBlock[] {
  const [ours, theirs] = problemWords(problem)
  const words = [`${ours}\nReference: ${reference}`, theirs].filter(Boolean)
  const mends = actions(
    ...problem.offers
      .slice(0, LIMITS.actionElements)
      .map(({ label, line, replaces = false }) => commandButton(label, line, { inPlace: replaces })),
  )
  const granters = grantersOf(problem)
  const blocks = [...words.map((text) => section(text)), ...(granters ? [say(granters)] : []), ...mends]
  return blocks.map((block, index) => ({
    ...block,
    block_id: PROBLEM_BLOCKS[index] ?? '',
  }))
}

/** A window belongs to the channel and the environment that it was opened in. */
function whereOpened(
  state: WindowState | undefined,
  place: RequestOrigin,
): RequestOrigin & { environment: Environment } {
  return { ...place, environment: state?.environment ?? 'production', channelId: state?.channelId }
}

const TOO_OLD =
  'This window has been open for too long: it no longer knows what it was for. Copy what you typed and open it anew.'

const REPEATED =
  'This window was sent in before, and that was brought to its end: what came of it was shown here or written to you. It was not done a second time.'

const GIVEN_UP =
  'This window was sent in before, and could not be brought to its end. It may have been carried out all the same: look before you repeat it.'

const IN_DOUBT =
  'The service has not said whether it was carried out. Signalman waits until it must be over, and then looks: this window shows what it finds.'

const OUTDATED = [
  section(
    'This window comes from an older version of Signalman and cannot be sent in. Nothing was changed. Open it anew.',
  ),
]

/** The act could not be stored, so nothing begins: the form stays as it is, with a note at its first field. */
function refusalIn(view: ViewState): unknown {
  const field = view.blocks.find(({ type }) => type === 'input')?.block_id
  if (field)
    return {
      response_action: 'errors',
      errors: markedErrors({ [field]: NOT_WRITTEN }, view.blocks, view.mark),
    }
  const kept = view.blocks.filter(({ block_id }) => !isProblem(block_id))
  return updateTo(formView(view, [{ ...section(NOT_WRITTEN), block_id: PROBLEM_BLOCKS[0] ?? '' }, ...kept]))
}

const updateTo = (view: ModalView) => ({ response_action: 'update', view })

const shown = (title: string, blocks: KnownBlock[]): ModalView => modalView({ title, blocks: [blocks] })

function formView(view: ViewState, blocks: KnownBlock[]): ModalView {
  const form = { id: view.callbackId, submit: view.submit }
  return modalView({ title: view.title, blocks: [marked(blocks, view.mark)], form }, view.metadata)
}

function readOf(
  form: Form<unknown, unknown>,
  view: ViewState,
): { values: unknown } | { errors: FieldErrors['fields'] } {
  try {
    return { values: form.read(answersOf(view.values)) }
  } catch (error) {
    if (error instanceof FieldErrors) return { errors: error.fields }
    throw error
  }
}
