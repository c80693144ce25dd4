import type { KnownBlock, ModalView } from '@slack/types'
import { say, section } from '../blocks/layout.ts'
import type { Message } from '../blocks/message.ts'
import { modalView } from '../blocks/modal.ts'
import { FieldErrors } from '../errors.ts'
import type { Drafts } from '../store/drafts.ts'
import type { Environment } from '../store/store.ts'
import { answersOf } from './answers.ts'
import type { Ask } from './ask.ts'
import type { Desk } from './desk.ts'
import type { Plan } from './dispatch.ts'
import { type Explained, problemMessage } from './explain.ts'
import type { ModalDraft, Place } from './place.ts'
import { refill } from './refill.ts'
import type { SubmissionRequest, ViewState } from './requests.ts'
import type { Form, RouteTable } from './routes.ts'
import type { SlackClient } from './slack-client.ts'

interface Submissions {
  (request: SubmissionRequest, place: Place): Plan
  /** The form as it stands, with other blocks. */
  formView(view: ViewState, blocks: KnownBlock[]): ModalView
}

/**
 * A form that was sent in: read at once, so that what is wrong shows at its field; then the window says that it works,
 * and ends on the outcome, or on the form again with everything that was typed and what the matter is.
 */
export function createSubmissions(parts: {
  routes: RouteTable
  desk: Desk
  drafts: Drafts
  slack: SlackClient
  ask: (place: Place, environment: Environment) => Ask
  now: () => Date
}): Submissions {
  const { routes, desk, drafts, slack, ask, now } = parts

  function plan({ view }: SubmissionRequest, place: Place): Plan {
    const form = routes.formOf(view.callbackId)
    if (!form) return { acknowledgement: updateTo(shown(view.title, OUTDATED)) }
    const read = readOf(form, view)
    if ('errors' in read) return { acknowledgement: { response_action: 'errors', errors: read.errors } }
    return {
      acknowledgement: updateTo(shown(view.title, [say(form.working)])),
      work: () => submit(form, read.values, view, place),
      tell: (place, problem) => showAgain(view, place, problem),
    }
  }

  async function submit(
    form: Form<unknown, unknown>,
    values: unknown,
    view: ViewState,
    place: Place,
  ): Promise<string> {
    // Sealed by us under this workspace when the window was opened, hence of this type.
    const draft = (await drafts.find(place.workspaceId, view.metadata, now())) as ModalDraft | undefined
    const environment = draft?.environment ?? 'production'
    const here = { ...place, environment, channelId: draft?.channelId }
    const outcome = await form.submit(ask(here, environment), values, draft?.about)
    const blocks = await desk.sealed(here, environment, outcome.blocks)
    await show(here, view.id, shown(view.title, blocks), outcome)
    return form.id
  }

  async function showAgain(view: ViewState, place: Place, problem: Explained): Promise<void> {
    const { text, blocks } = problemMessage(problem, place.reference)
    const typed = refill(
      view.blocks.filter(({ block_id }) => block_id !== PROBLEM),
      view.values,
    )
    const banner = {
      ...section(
        [problem.happened, ...problem.said, problem.changed, problem.next, `Reference: ${place.reference}`]
          .filter(Boolean)
          .join('\n'),
      ),
      block_id: PROBLEM,
    }
    await show(place, view.id, formView(view, [banner, ...typed]), { text, blocks })
  }

  /** Into the window; when the person has closed it meanwhile, as a message. */
  async function show(place: Place, viewId: string, view: ModalView, instead: Message): Promise<void> {
    try {
      await slack.updateView(viewId, view)
    } catch {
      const elsewhere = { ...place, responseUrl: undefined, triggerId: undefined }
      await desk.answer(elsewhere, place.environment ?? 'production', instead)
    }
  }

  return Object.assign(plan, { formView })
}

/** The block that says why the form is back. */
const PROBLEM = 'problem'

const OUTDATED = [
  section(
    'This window comes from an older version of Signalman and cannot be sent in. Nothing was changed. Open it anew.',
  ),
]

const updateTo = (view: ModalView) => ({ response_action: 'update', view })

const shown = (title: string, blocks: KnownBlock[]): ModalView => modalView({ title, blocks: [blocks] })

function formView(view: ViewState, blocks: KnownBlock[]): ModalView {
  const form = { id: view.callbackId, submit: view.submit }
  return modalView({ title: view.title, blocks: [blocks], form }, view.metadata)
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
