import type { Log } from '@signalman/runtime'
import { menuOptions, type OptionsRequest } from '@signalman/slack'
import type { Access } from '../access/access.ts'
import type { MakeContext } from '../request/context.ts'
import type { RequestHandler } from '../request/contract.ts'
import type { RouteTable } from '../routes/routes.ts'
import type { WindowStates } from '../windows/window-states.ts'
import { withWindowState } from './form-window.ts'

/**
 * Looks up the options of a menu while a person types in it. The acknowledgement carries them and can't carry an error, so after
 * an error the menu is empty and the log has the reason.
 */
export function createFormOptions(deps: {
  routes: Pick<RouteTable, 'findForm'>
  windowStates: Pick<WindowStates, 'read'>
  access: Pick<Access, 'admit'>
  makeContext: MakeContext
  log: Log
}): (request: OptionsRequest) => RequestHandler {
  const { routes, windowStates, access, makeContext, log } = deps
  return ({ view, field, typed }) => {
    const form = view && routes.findForm(view.callbackId)
    if (!view || !form?.options) return { acknowledgement: menuOptions([]) }
    return {
      verb: form.id,
      acknowledgement: menuOptions([]),
      async answerInAck(request) {
        try {
          const state = await windowStates.read(request, view)
          if (!state) return menuOptions([])
          const requestInWindow = withWindowState(state, request)
          const requirement = { ...form, usesCache: true, isUnrecorded: true }
          const actor = await access.admit(requestInWindow, requirement)
          const context = makeContext(requestInWindow, requestInWindow.environment, actor, requirement)
          return menuOptions((await form.options?.(context, field, typed, state.formState)) ?? [])
        } catch (err) {
          log.info({ reference: request.reference, err }, "Couldn't load the options of a menu.")
          return menuOptions([])
        }
      },
    }
  }
}
