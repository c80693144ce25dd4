// This folder opens forms in modals, checks their answers, and submits them.

import { FieldErrors, type Log, Notice } from '@signalman/runtime'
import {
  menuOptions,
  modalView,
  mrkdwnSection,
  type OptionsRequest,
  readAnswers,
  readBlocks,
  section,
  toFieldErrors,
  type ViewState,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { Access } from '../access/access.ts'
import { type Handler, onlyAck } from '../handler.ts'
import type { MakeContext } from '../request/context.ts'
import type { Form, RouteTable } from '../routes/routes.ts'
import type { WindowStates } from '../windows/window-states.ts'
import { formView, isProblem, problemNote, reopenForm } from './form-window.ts'
import { createRedraws } from './redraws.ts'

export type Forms = ReturnType<typeof createForms>

/** Creates the handlers of forms: submitted, changed while someone fills them in, or with a menu that someone types in. */
export function createForms(deps: {
  routes: Pick<RouteTable, 'findForm'>
  windowStates: Pick<WindowStates, 'read'>
  access: Pick<Access, 'authorize'>
  makeContext: MakeContext
  log: Log
}) {
  const { routes, windowStates, access, makeContext, log } = deps
  const nextRedraw = createRedraws()

  return {
    /**
     * Reads the answers first, so that errors appear below their fields. Then the window says that the app is working. Finally it
     * shows the outcome, or the form again with the typed answers and the errors.
     */
    submitted(view: ViewState): Handler {
      const form = routes.findForm(view.callbackId)
      if (!form) return onlyAck(updateTo(view, OUTDATED))
      const answers = readForm(form, view)
      if ('errors' in answers) return onlyAck(toErrors(view, answers.errors))
      return {
        ...accessOf(form),
        isAct: form.isAct !== false,
        ...(view.hash && { key: `submission:${view.id}:${view.hash}` }),
        ack: updateTo(view, mrkdwnSection(form.workingText)),
        repeatedAck: updateTo(view, ALREADY_SUBMITTED),
        refusedAck: (text) => refusalAck(view, text),
        view,
        inPlace: true,
        // The window itself says that the app is working.
        isQuiet: true,
        title: view.title,
        async run(context, window) {
          if (!window) throw new Notice(TOO_OLD)
          return form.submit(context, answers.values, window.formState)
        },
        showProblem: (request, problem, answer) => reopenForm(form, view, request, problem, answer),
      }
    },

    /** Redraws a form after an answer that other fields depend on, and keeps the typed answers. */
    changed(view: ViewState): Handler {
      const form = routes.findForm(view.callbackId)
      if (!form?.updateBlocks) return onlyAck()
      const redraw = nextRedraw(view)
      return {
        ...accessOf(form),
        view,
        isQuiet: true,
        async run(context, window) {
          if (!window) return undefined
          const blocks = form.updateBlocks?.(readAnswers(view.values), window.formState, window.environment)
          if (blocks) await redraw(await context.slack(), blocks.flat(), window.environment)
          return undefined
        },
      }
    },

    /**
     * Looks up the options of a menu while a person types in it. The acknowledgement carries them and can't carry an error, so after
     * an error the menu is empty and the log has the reason.
     */
    typedInMenu({ view, field, typed }: OptionsRequest): Handler {
      const form = view && routes.findForm(view.callbackId)
      const none = menuOptions([])
      if (!view || !form?.options) return onlyAck(none)
      return {
        ...accessOf(form),
        ack: none,
        async options(origin) {
          try {
            const window = await windowStates.read(origin, view)
            if (!window) return none
            const requirement = { ...accessOf(form), usesCache: true, isUnrecorded: true }
            const actor = await access.authorize(origin, requirement)
            const context = makeContext(origin, window.environment, actor, requirement)
            return menuOptions((await form.options?.(context, field, typed, window.formState)) ?? [])
          } catch (err) {
            log.info({ reference: origin.reference, err }, "Couldn't load the options of a menu.")
            return none
          }
        },
      }
    },
  }
}

const accessOf = ({ verb, needs }: Form<unknown, unknown>) => ({ verb, needs })

const TOO_OLD =
  'This window was open for too long and has expired. Nothing was changed. Copy what you typed and open it again.'

const OUTDATED = section(
  'This window is from an older version of Signalman and can’t be submitted. Nothing was changed. Open it again.',
)

const ALREADY_SUBMITTED = section(
  'You already submitted this window. It wasn’t done a second time. The result was shown here or sent to you, or it will be in a moment.',
)

const updateTo = ({ title }: ViewState, block: KnownBlock) => ({
  response_action: 'update',
  view: modalView({ title, blocks: [block] }),
})

const toErrors = (view: ViewState, errors: FieldErrors['fields']) => ({
  response_action: 'errors',
  errors: toFieldErrors(errors, readBlocks(view)),
})

/** The acknowledgement if nothing was started: the form stays, with a note at its first field. */
function refusalAck(view: ViewState, text: string): unknown {
  const fields = readBlocks(view)
  const field = fields.find(({ type }) => type === 'input')?.block_id
  if (field) return toErrors(view, { [field]: text })
  const blocks = fields.filter(({ block_id }) => !isProblem(block_id))
  return { response_action: 'update', view: formView(view, [problemNote(text), ...blocks]) }
}

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
