import type { ModalView } from '@slack/types'
import { say, section } from '../../blocks/layout.ts'
import type { Message } from '../../blocks/message.ts'
import { FieldErrors, UserError } from '../../errors.ts'
import { markedErrors } from '../../slack/receive/field-ids.ts'
import { answersOf } from '../../slack/receive/form-answers.ts'
import type { SubmissionRequest } from '../../slack/receive/requests.ts'
import type { ViewState } from '../../slack/receive/view-state.ts'
import type { Access } from '../access/access.ts'
import type { OnlyPermitted } from '../commands/permitted-buttons.ts'
import type { MendToken } from '../commands/token-mending.ts'
import type { MakeContext } from '../context/make-context.ts'
import { NotTold } from '../replies/not-told.ts'
import { NOT_WRITTEN } from '../requests/not-begun.ts'
import type { RequestHandler } from '../requests/request-handler.ts'
import type { HandledRequest } from '../routes/handled-request.ts'
import type { Form, RouteTable } from '../routes/routes.ts'
import { createFormWindow, type FormWindowParts, formView, shown, whereOpened } from './form-window.ts'
import { isProblem, notWritten } from './problem-blocks.ts'

/**
 * Handles a submitted form. It reads the answers at once, so that mistakes show at their fields. Then the window says that
 * the app is working, and ends on the outcome, or on the form again with everything that was typed and what is wrong.
 */
export function createSubmissions(
  parts: FormWindowParts & {
    routes: RouteTable
    access: Access
    mendToken: MendToken
    makeContext: MakeContext
    onlyPermitted: OnlyPermitted
  },
): (request: SubmissionRequest) => RequestHandler {
  const { routes, windowStates, access, mendToken, makeContext, onlyPermitted } = parts
  const window = createFormWindow(parts)

  async function submit(
    form: Form<unknown, unknown>,
    values: unknown,
    view: ViewState,
    request: HandledRequest,
  ): Promise<string> {
    const state = await windowStates.read(request, view)
    if (!state) throw new UserError(TOO_OLD)
    const here = whereOpened(state, request)
    const demand = { ...form, usesCache: form.reads === true }
    // An act that has begun is finished without a new admission; each further step checks the right again.
    const actor = await (request.act && !request.act.isUntouched
      ? access.actorOf(here)
      : access.admit(here, demand))
    const context = makeContext(here, here.environment, actor, demand)
    const outcome = await form.submit(context, values, state.about).catch(async (error: unknown) => {
      throw await mendToken(error, { caller: here, environment: here.environment, actor })
    })
    // The act is done: when telling so fails, the form must not come back and invite the person to do it again.
    const tell = (shows: Message) => window.tellOutcome(view, here, shows, form.keeps, state.origin)
    const told = onlyPermitted.content(context, outcome).then(tell)
    await told.catch((error: unknown) => {
      throw new NotTold(error)
    })
    return form.id
  }

  return ({ view }) => {
    const form = routes.formOf(view.callbackId)
    if (!form) return { acknowledgement: updateTo(shown(view.title, OUTDATED)) }
    const read = readOf(form, view)
    if ('errors' in read) {
      const errors = markedErrors(read.errors, view.blocks, view.mark)
      return { acknowledgement: { response_action: 'errors', errors } }
    }
    return {
      verb: form.id,
      acknowledgement: updateTo(shown(view.title, [say(form.working)])),
      work: (request) => submit(form, read.values, view, request),
      isAct: form.reads !== true,
      once: view.hash && `submission:${view.id}:${view.hash}`,
      repeated: (request, known) => window.tellRepeated(view, request, known),
      refusal: refusalIn(view),
      onDoubt: (request) => window.inDoubt(view, request),
      tell: (request, problem) => window.showAgain(form, view, request, problem),
    }
  }
}

const TOO_OLD =
  'This window has been open for too long: it no longer knows what it was for. Copy what you typed and open it anew.'

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
  return updateTo(formView(view, [notWritten(), ...kept]))
}

const updateTo = (view: ModalView) => ({ response_action: 'update', view })

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
