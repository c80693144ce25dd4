import { NotDelivered } from '@signalman/durable'
import { FieldErrors, UserError } from '@signalman/runtime'
import {
  type ActionRequest,
  type Caller,
  mrkdwnSection,
  type RequestOrigin,
  readAnswers,
  type SlackClients,
  type SubmissionRequest,
  section,
  toFieldErrors,
  type ViewState,
} from '@signalman/slack'
import type { ModalView } from '@slack/types'
import { LRUCache } from 'lru-cache'
import type { Access } from '../access/access.ts'
import { isPlainlyForeign } from '../access/actor.ts'
import type { BindButtons, FindHiddenButtons } from '../request/buttons.ts'
import type { MakeContext } from '../request/context.ts'
import type { RequestHandler } from '../request/contract.ts'
import type { AnswerSlot } from '../request/reply.ts'
import { explainTokenError } from '../request/token-errors.ts'
import type { HandledRequest } from '../routes/command-context.ts'
import type { Form, RouteTable } from '../routes/routes.ts'
import type { WindowStates } from '../windows/window-states.ts'
import {
  createFormWindow,
  FORM_SLOT,
  type FormWindowDeps,
  formView,
  ignoreHashConflict,
  isProblem,
  problemNote,
  resultView,
  withWindowState,
} from './form-window.ts'

/**
 * Handles a submitted form. Reads the answers first, so that errors appear below their fields. Then the window says that the app is
 * working. Finally it shows the outcome, or the form again with the typed answers and the errors.
 */
export function createSubmissions(
  deps: FormWindowDeps & {
    routes: RouteTable
    access: Access
    makeContext: MakeContext
    findHiddenButtons: FindHiddenButtons
  },
): (request: SubmissionRequest, origin: RequestOrigin) => RequestHandler {
  const { routes, windowStates, access, makeContext, findHiddenButtons } = deps
  const window = createFormWindow(deps)

  async function submit(
    form: Form<unknown, unknown>,
    values: unknown,
    view: ViewState,
    request: HandledRequest,
    slot: AnswerSlot,
  ): Promise<string> {
    const state = await windowStates.read(request, view)
    if (!state) {
      await access.admit(request, form)
      throw new UserError(TOO_OLD)
    }
    const requestInWindow = withWindowState(state, request)
    const requirement = { ...form, usesCache: form.isReadOnly === true }
    // An act that has started isn't authorized again here, because each further step checks the permission itself.
    const actor = await (request.act && !request.act.hasNoStepYet
      ? access.findActor(requestInWindow)
      : access.admit(requestInWindow, requirement))
    const context = makeContext(requestInWindow, requestInWindow.environment, actor, requirement)
    const outcome = await form.submit(context, values, state.formState).catch(async (error: unknown) => {
      throw await explainTokenError(access, error, {
        caller: requestInWindow,
        environment: requestInWindow.environment,
        actor,
      })
    })
    // The act is done. If showing the outcome fails, the form must not come back and invite the person to repeat the act.
    const showOutcome = (isHidden: HandledRequest['isHidden']) =>
      window.showOutcome({ ...requestInWindow, isHidden }, slot, outcome, state.origin)
    const shownOutcome = findHiddenButtons(context).then(showOutcome)
    await shownOutcome.catch((error: unknown) => {
      throw new NotDelivered(error)
    })
    return form.id
  }

  return ({ view }, origin) => {
    const form = routes.findForm(view.callbackId)
    if (!form) return { acknowledgement: updateTo(resultView(view.title, OUTDATED)) }
    // A person from another organization is refused before anything they typed is parsed.
    const isForeign = isPlainlyForeign(origin)
    const readResult = isForeign ? { values: undefined } : readForm(form, view)
    if ('errors' in readResult) {
      const errors = toFieldErrors(readResult.errors, view.blocks, view.fieldSuffix)
      return { acknowledgement: { response_action: 'errors', errors } }
    }
    return {
      verb: form.id,
      acknowledgement: updateTo(resultView(view.title, [mrkdwnSection(form.workingText)])),
      run: (request, slot) => submit(form, readResult.values, view, request, slot),
      slotOptions: { ...FORM_SLOT, title: view.title },
      isAct: form.isReadOnly !== true && !isForeign,
      idempotencyKey: view.hash && `submission:${view.id}:${view.hash}`,
      onRepeat: (request, firstSubmission) => window.showRepeated(view, request, firstSubmission),
      refusal: (text) => refusalAcknowledgement(view, text),
      onUnknownOutcome: (request) => window.showUnknownOutcome(view, request),
      showProblem: (request, problem, slot) => window.reopenForm(form, view, request, problem, slot),
    }
  }
}

const TOO_OLD =
  'This window was open for too long and has expired. Nothing was changed. Copy what you typed and open it again.'

const OUTDATED = [
  section(
    'This window is from an older version of Signalman and can’t be submitted. Nothing was changed. Open it again.',
  ),
]

/** The acknowledgement if the act couldn't be stored: the form stays, with a note at its first field. */
function refusalAcknowledgement(view: ViewState, text: string): unknown {
  const field = view.blocks.find(({ type }) => type === 'input')?.block_id
  if (field)
    return {
      response_action: 'errors',
      errors: toFieldErrors({ [field]: text }, view.blocks, view.fieldSuffix),
    }
  const blocks = view.blocks.filter(({ block_id }) => !isProblem(block_id))
  return updateTo(formView(view, [problemNote(text), ...blocks]))
}

const updateTo = (view: ModalView) => ({ response_action: 'update', view })

function readForm(
  form: Form<unknown, unknown>,
  view: ViewState,
): { values: unknown } | { errors: FieldErrors['fields'] } {
  try {
    return { values: form.read(readAnswers(view.values)) }
  } catch (error) {
    if (error instanceof FieldErrors) return { errors: error.fields }
    throw error
  }
}

/** The redraws of one form while someone fills it in. */
interface FormRedraws {
  /** The number of redraws requested so far. */
  requested: number
  /** The latest redraw. The next one waits for it. */
  lastRedraw: Promise<void>
  /** Maps the hash of a replaced view to the hash of its replacement. */
  readonly replacements: Map<string, string>
}

const MAX_REDRAWN_FORMS = 1000
const REDRAWN_FORM_TTL_MS = 60_000

/**
 * Redraws a form after an answer that other fields depend on, and keeps the typed answers. If several answers arrive in quick
 * succession, the last one wins. All of them have the hash of the same view, which Slack rejects after the first redraw, so later
 * redraws use the hash of the newest view. If another process redrew the form first, nothing happens.
 */
export function createRedrawForm(deps: {
  routes: Pick<RouteTable, 'findForm'>
  access: Access
  bindButtons: BindButtons
  windowStates: WindowStates
  clients: SlackClients
}): (view: NonNullable<ActionRequest['view']>, caller: Caller) => Promise<string> {
  const { routes, access, bindButtons, windowStates, clients } = deps
  const redrawsByView = new LRUCache<string, FormRedraws>({
    max: MAX_REDRAWN_FORMS,
    ttl: REDRAWN_FORM_TTL_MS,
  })

  return async function redrawForm(view, caller) {
    const redraws = redrawsByView.get(view.id) ?? {
      requested: 0,
      lastRedraw: Promise.resolve(),
      replacements: new Map(),
    }
    redrawsByView.set(view.id, redraws)
    redraws.requested += 1
    const redrawNumber = redraws.requested
    const form = routes.findForm(view.callbackId)
    const state = await windowStates.read(caller, view)
    if (!form?.updateBlocks || !state) return 'nothing'
    await access.admit(caller, { ...form, usesCache: true })
    const blocks = form.updateBlocks(readAnswers(view.values), state.formState, state.environment).flat()
    const boundBlocks = await bindButtons(caller, state.environment, blocks)
    const slack = await clients.forWorkspace(caller)
    const redraw = async () => {
      if (redrawNumber < redraws.requested) return
      const hash = findNewestHash(view.hash, redraws.replacements)
      const newHash = await slack.updateView(view.id, formView(view, boundBlocks), hash)
      if (hash && newHash) redraws.replacements.set(hash, newHash)
    }
    const done = redraws.lastRedraw.then(redraw)
    redraws.lastRedraw = done.catch(() => undefined)
    await done.catch(ignoreHashConflict)
    return form.id
  }
}

/** The hash of the latest view that replaced the one with this hash. */
function findNewestHash(
  hash: string | undefined,
  replacements: ReadonlyMap<string, string>,
): string | undefined {
  const next = hash && replacements.get(hash)
  return next ? findNewestHash(next, replacements) : hash
}
