import type { KnownBlock, ModalView } from '@slack/types'
import { say, section } from '../../blocks/layout.ts'
import type { Message } from '../../blocks/message.ts'
import { modalView } from '../../blocks/modal.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Log } from '../../log.ts'
import type { SlackClients } from '../../slack/client/clients.ts'
import { markFields } from '../../slack/receive/field-ids.ts'
import { NO_SURFACE } from '../../slack/receive/surface.ts'
import type { ViewState } from '../../slack/receive/view-state.ts'
import { retryWindowUpdate } from '../../slack/reply/retry-window-update.ts'
import type { Work } from '../../store/store.ts'
import type { BindButtons } from '../buttons/bind-buttons.ts'
import { type Explained, problemMessage } from '../replies/explain.ts'
import type { Replies } from '../replies/replies.ts'
import type { HandledRequest, RedrawTarget } from '../routes/handled-request.ts'
import type { Form } from '../routes/routes.ts'
import type { WindowState, WindowStates } from '../windows/window-states.ts'
import { isProblem, problemBlocks, withFaults } from './problem-blocks.ts'
import { refill } from './refill.ts'

export interface FormWindowParts {
  replies: Replies
  bindButtons: BindButtons
  windowStates: WindowStates
  clients: SlackClients
  log: Log
  /** Redraws App Home, which the person sees behind the window. Never rejects. */
  refreshHome: (request: HandledRequest) => Promise<void>
  /** Redraws the answer that the form was opened from. Never rejects. */
  redraw: (request: HandledRequest, origin: RedrawTarget) => Promise<void>
}

/** What a form's window shows after it was sent in; it becomes a message when the person has closed the window. */
export function createFormWindow(parts: FormWindowParts) {
  const { replies, bindButtons, windowStates, clients, log, refreshHome, redraw } = parts

  /** Shows the outcome in the window, or as a message when the person has closed the window. */
  async function show(
    request: HandledRequest,
    viewId: string,
    view: ModalView,
    instead: Message,
  ): Promise<boolean> {
    try {
      const slack = await clients.of(request)
      await retryWindowUpdate(() => slack.updateView(viewId, view))
      return true
    } catch (error) {
      log.info({ reference: request.reference, err: error }, 'The window is gone; writing instead.')
      await asMessage(replies, request, instead)
      return false
    }
  }

  return {
    async tellOutcome(
      view: ViewState,
      here: HandledRequest & { environment: Environment },
      outcome: Message,
      keeps = false,
      origin?: RedrawTarget,
    ): Promise<void> {
      const shows = await replies.view(here, here.environment, { title: view.title, blocks: outcome.blocks })
      const isShown = await show(here, view.id, shows, outcome)
      if (isShown && keeps) await asMessage(replies, here, outcome)
      if (!here.channelId) await refreshHome(here)
      if (origin) await redraw(here, origin)
    },

    /** The same window was sent before: nothing is done again, and the person reads the first outcome. */
    async tellRepeated(view: ViewState, request: HandledRequest, known: Work): Promise<void> {
      const note = section(known.state === 'done' ? REPEATED : GIVEN_UP)
      await show(request, view.id, shown(view.title, [note]), { text: note.text?.text ?? '', blocks: [note] })
    },

    async inDoubt(view: ViewState, request: HandledRequest): Promise<void> {
      const slack = await clients.of(request)
      await slack.updateView(view.id, shown(view.title, [say(IN_DOUBT)]))
    },

    async showAgain(
      form: Form<unknown, unknown>,
      view: ViewState,
      request: HandledRequest,
      problem: Explained,
    ): Promise<void> {
      const asked = view.blocks.filter(({ block_id }) => !isProblem(block_id))
      // When the database failed, the typed answers still come back: they are in the request.
      const here = whereOpened(await windowStates.read(request, view).catch(() => undefined), request)
      const banner = await bindButtons(
        here,
        here.environment,
        problemBlocks(problem, request.reference),
      ).catch(() => problemBlocks({ ...problem, offers: [] }, request.reference))
      const again = formView(view, [
        ...banner,
        ...withFaults(refill(asked, view.values, form.secret), problem.fields),
      ])
      const said = [...problem.said, ...Object.values(problem.fields ?? {})]
      await show(here, view.id, again, problemMessage({ ...problem, said }, request.reference))
    },
  }
}

function asMessage(
  replies: Pick<Replies, 'answer'>,
  request: HandledRequest,
  message: Message,
): Promise<void> {
  const elsewhere = { ...request, surface: NO_SURFACE }
  return replies.answer(elsewhere, request.environment ?? 'production', message)
}

/** A window acts in the channel and the environment in which it was opened. */
export function whereOpened(
  state: WindowState | undefined,
  { channelId: _, ...request }: HandledRequest,
): HandledRequest & { environment: Environment } {
  const environment = state?.environment ?? 'production'
  return { ...request, environment, ...(state?.channelId && { channelId: state.channelId }) }
}

const REPEATED =
  'This window was sent in before, and that was brought to its end: what came of it was shown here or written to you. It was not done a second time.'

const GIVEN_UP =
  'This window was sent in before, and could not be brought to its end. It may have been carried out all the same: look before you repeat it.'

const IN_DOUBT =
  'The service has not said whether it was carried out. Signalman waits until it must be over, and then looks: this window shows what it finds.'

export const shown = (title: string, blocks: KnownBlock[]): ModalView =>
  modalView({ title, blocks: [blocks] })

/** The same form with other blocks. */
export function formView(view: ViewState, blocks: KnownBlock[]): ModalView {
  const form = { id: view.callbackId, submit: view.submit }
  return modalView({ title: view.title, blocks: [markFields(blocks, view.mark)], form }, view.metadata)
}
