import type { ActionRequest, Caller, SlackClients } from '@signalman/slack'
import type { Access } from '../access/access.ts'
import type { BindButtons } from '../request/buttons.ts'
import type { MakeContext } from '../request/context.ts'
import type { HandledRequest } from '../routes/command-context.ts'
import type { RouteTable } from '../routes/routes.ts'
import type { WindowStates } from '../windows/window-states.ts'
import { bindFormWindow } from './bind-window.ts'
import { ignoreHashConflict, withWindowState } from './form-window.ts'

/**
 * Turns the page of a form with several pages. Slack accepts only one update for a view's hash, so a double click turns
 * one page.
 */
export function createTurnPage(deps: {
  routes: Pick<RouteTable, 'findForm'>
  access: Access
  makeContext: MakeContext
  bindButtons: BindButtons
  windowStates: WindowStates
  clients: SlackClients
}): (
  view: NonNullable<ActionRequest['view']>,
  target: string,
  request: HandledRequest & Caller,
) => Promise<string> {
  const { routes, access, makeContext, windowStates, clients } = deps
  return async (view, target, request) => {
    const form = routes.findForm(view.callbackId)
    const state = await windowStates.read(request, view)
    if (!form?.turnPage || !state) return 'nothing'
    const requestInWindow = withWindowState(state, request)
    const requirement = { ...form, usesCache: true }
    const actor = await access.admit(requestInWindow, requirement)
    const context = makeContext(requestInWindow, requestInWindow.environment, actor, requirement)
    const page = await form.turnPage(context, state.formState, target)
    const bound = await bindFormWindow(deps, requestInWindow, page, { callbackId: form.id, state })
    const slack = await clients.forWorkspace(request)
    await slack.updateView(view.id, bound, view.hash).catch(ignoreHashConflict)
    return form.id
  }
}
