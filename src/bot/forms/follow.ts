import { type ActionRequest, answersOf, type Caller, type SlackClients } from '@signalman/slack'
import type { Access } from '../access/access.ts'
import type { BindButtons } from '../buttons/bind-buttons.ts'
import type { RouteTable } from '../routes/routes.ts'
import type { WindowStates } from '../windows/window-states.ts'
import { formView } from './form-window.ts'

/** Draws a form again after an answer that other fields depend on; what was typed stays. */
export function createFollow(parts: {
  routes: Pick<RouteTable, 'formOf'>
  access: Access
  bindButtons: BindButtons
  windowStates: WindowStates
  clients: SlackClients
}): (view: NonNullable<ActionRequest['view']>, caller: Caller) => Promise<string> {
  const { routes, access, bindButtons, windowStates, clients } = parts

  async function follow(view: NonNullable<ActionRequest['view']>, caller: Caller): Promise<string> {
    const form = routes.formOf(view.callbackId)
    const state = await windowStates.read(caller, view)
    if (!form?.follow || !state) return 'nothing'
    await access.admit(caller, { ...form, usesCache: true })
    const blocks = form.follow(answersOf(view.values), state.about, state.environment).flat()
    const ready = await bindButtons(caller, state.environment, blocks)
    const slack = await clients.of(caller)
    // When two changes come quickly one after the other, only the later one draws the form.
    await slack.updateView(view.id, formView(view, ready), view.hash).catch(unlessOvertaken)
    return form.id
  }

  return follow
}

function unlessOvertaken(error: unknown): void {
  if (!(error instanceof Error && error.message.includes('hash_conflict'))) throw error
}
