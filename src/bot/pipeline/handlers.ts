import type { EphemeralState } from '@signalman/durable'
import { type Log, UserError } from '@signalman/runtime'
import {
  type ActionRequest,
  ANSWER_ACTION,
  isCommandElement,
  isInPlace,
  isPageAction,
  type Request,
  type RequestOrigin,
  type RequestUser,
  type Surface,
} from '@signalman/slack'
import type { Redraw } from '../forms/form-window.ts'
import type { createRedrawForm } from '../forms/submissions.ts'
import type { createTurnPage } from '../forms/turn-page.ts'
import type { HomeTab } from '../home/home-tab.ts'
import { ButtonTooOld, type Pressed, readPressed } from '../request/buttons.ts'
import type { FindHandler, RequestHandler } from '../request/contract.ts'
import { explain, problemMessage } from '../request/explain.ts'
import { NO_PLACEHOLDER, type OpenSlot } from '../request/reply.ts'
import {
  createDeferredLine,
  type ResolvedLine,
  type ResolveLine,
  resolveTyped,
  splitCommand,
  withoutPrefix,
} from '../routes/resolve-line.ts'
import type { RouteTable } from '../routes/routes.ts'
import type { WindowStates } from '../windows/window-states.ts'
import { findLineOrigin, type RunLine } from './run-line.ts'

type RequestOf<Kind extends Request['kind']> = Extract<Request, { kind: Kind }>
type HandlerOf<Kind extends Request['kind']> = (
  request: RequestOf<Kind>,
  origin: RequestOrigin,
) => RequestHandler

/** Finds the handler of every kind of request. Never throws: errors are shown to the person. */
export function createFindHandler(
  handlers: {
    readonly [Kind in Request['kind']]: HandlerOf<Kind>
  },
): FindHandler {
  return (request, origin) => {
    try {
      // Cast: TypeScript doesn't see that the handler is for requests of this kind.
      const findHandler = handlers[request.kind] as FindHandler
      return findHandler(request, origin)
    } catch (error) {
      // Acknowledges the request as usual, then shows the error to the person.
      return { run: () => Promise.reject(error) }
    }
  }
}

type ResolveResult = ReturnType<ResolveLine>
type Run = NonNullable<RequestHandler['run']>

/** Creates the handler of a typed line or a button's line. */
export type LineHandler = (resolved: ResolveResult) => RequestHandler

export const createLineHandler =
  (runLine: RunLine): LineHandler =>
  (resolved) => {
    const { name: verb, isAct, mayChange } = resolved
    return { verb, isAct, mayChange, run: (request, slot) => runLine(request, resolved, slot) }
  }

/** Runs a typed command. */
export function createTypedHandler(deps: {
  routes: Pick<RouteTable, 'mentionRules'>
  resolve: ResolveLine
  lineHandler: LineHandler
  /** This deployment's prefix for command names, such as `x-`. */
  prefix: string
}): (typed: Pick<RequestOf<'command'>, 'command' | 'text'>) => RequestHandler {
  const { routes, resolve, lineHandler, prefix } = deps
  return (typed) => {
    const command = withoutPrefix(typed.command, prefix)
    const mentionRule = routes.mentionRules.find((rule) => rule.command === command)
    const text = mentionRule?.toCommandText(typed.text) ?? typed.text
    return lineHandler(resolveTyped(resolve, { command, text }))
  }
}

/** Runs the command of an entry of the message menu. */
export function createShortcutHandler(deps: {
  routes: Pick<RouteTable, 'findShortcut'>
  resolve: ResolveLine
  lineHandler: LineHandler
}): HandlerOf<'shortcut'> {
  const { routes, resolve, lineHandler } = deps
  return ({ callbackId, message }) => {
    const shortcut = routes.findShortcut(callbackId)
    if (!shortcut) return { run: async () => 'nothing' }
    const { command, textFor } = shortcut
    const resolveShortcut = async () => {
      const resolved = resolve({ command, text: await textFor(message) })
      if (resolved.isAct) throw new Error(`The shortcut ${callbackId} must run a read-only command.`)
      return resolved
    }
    return lineHandler(createDeferredLine(`/${command}`, resolveShortcut))
  }
}

/**
 * Refreshes the answer that opened a form, which is outdated after the form ran. A window below the form whose line is refused now
 * shows the reason instead of what no longer applies. Other failures are only logged.
 */
export function createRedrawAnswer(deps: {
  resolve: ResolveLine
  runLine: RunLine
  openSlot: OpenSlot
  log: Log
}): Redraw {
  const { resolve, runLine, openSlot, log } = deps
  return async ({ act: _, ...request }, target, { isBelow }) => {
    const surface: Surface =
      'modalId' in target
        ? { kind: 'window', modalId: target.modalId }
        : { kind: 'message', responseUrl: target.responseUrl, isEphemeral: true }
    const redrawRequest = { ...request, environment: target.environment, surface }
    const { reference } = request
    const slot = openSlot(redrawRequest, { inPlace: true, isQuiet: true })
    try {
      await runLine(redrawRequest, resolve(splitCommand(target.line)), slot).catch(async (error: unknown) => {
        if (!isBelow || !(error instanceof UserError)) throw error
        await slot.put(problemMessage(explain(error, { isReadOnly: true }), reference))
      })
    } catch (error) {
      log.info({ reference, err: error }, "Couldn't redraw an answer.")
    }
  }
}

/** Whether a button redraws App Home. Its command line is internal. */
const isHomeLine = (pressed: Pressed): boolean =>
  'line' in pressed && pressed.line.command === 'hc' && /^home(?: |$)/.test(pressed.line.text)

/** Finds the handler of a pressed element. */
export function createPressHandler(deps: {
  resolve: ResolveLine
  runLine: RunLine
  windowStates: Pick<WindowStates, 'read'>
  ephemeralState: Pick<EphemeralState, 'find'>
  homeTab: Pick<HomeTab, 'handler' | 'refreshHome'>
  redraw: Redraw
  redrawForm: ReturnType<typeof createRedrawForm>
  turnPage: ReturnType<typeof createTurnPage>
  now: () => Date
}): (request: ActionRequest) => RequestHandler {
  const { resolve, runLine, windowStates, ephemeralState, homeTab, redraw, redrawForm, turnPage, now } = deps
  return (request) => {
    const { actionId, value, view } = request
    const pressed = isCommandElement(actionId) ? readPressed(value) : undefined
    if (pressed && isHomeLine(pressed)) return homeTab.handler
    if (isCommandElement(actionId)) return commandButtonHandler(request, pressed)
    if (actionId === ANSWER_ACTION && view)
      return { run: (pressRequest) => redrawForm(view, pressRequest), slotOptions: NO_PLACEHOLDER }
    if (isPageAction(actionId) && view)
      return { run: (pressRequest) => turnPage(view, value, pressRequest), slotOptions: PAGE_TURN }
    // A link button, or a button of an older version. It's acknowledged, and there's nothing else to do.
    return { run: async () => 'nothing' }
  }

  /** Runs the command line of a button, or the line that is stored under the button's ID. */
  function commandButtonHandler(
    { actionId, view }: ActionRequest,
    pressed: Pressed | undefined,
  ): RequestHandler {
    if (!pressed) throw new ButtonTooOld(UNKNOWN_LINE)
    const inPlace = isInPlace(actionId)
    const slotOptions = { inPlace }
    const lineOrStored = 'line' in pressed ? resolve(pressed.line) : pressed
    const run: Run = async (request, slot) => {
      const resolved =
        'storedLineId' in lineOrStored ? await resolveStoredLine(request, lineOrStored) : lineOrStored
      // Slack's signature proves who pressed the button, and `runLine` checks permissions. Slack doesn't send the channel in
      // which a window was opened, so it comes from the window's stored state.
      const windowState = view && (await windowStates.read(request, view))
      const { channelId = windowState?.channelId, via = windowState?.via } = request
      const where = { ...(channelId !== undefined && { channelId }), ...(via !== undefined && { via }) }
      const verb = await runLine({ ...request, ...where }, resolved, slot)
      if (resolved.isAct && request.surface.kind === 'home') await homeTab.refreshHome(request)
      return verb
    }
    if ('storedLineId' in lineOrStored) return { isAct: lineOrStored.isAct, slotOptions, run }
    const { name: verb, isAct, mayChange } = lineOrStored
    const showProblem = 'verb' in lineOrStored && !inPlace ? showAndRedraw(lineOrStored) : undefined
    return { verb, isAct, mayChange, slotOptions, run, ...(showProblem && { showProblem }) }
  }

  /** Shows why a button in a window was refused, and redraws the window, because what it shows may be the reason. */
  function showAndRedraw({
    origin,
    environment = 'production',
  }: ResolvedLine): RequestHandler['showProblem'] {
    if (origin === undefined) return undefined
    return async (request, problem, slot) => {
      await slot.showProblem(problem)
      const target = findLineOrigin(resolve, origin, environment, request)
      if (target && 'modalId' in target) await redraw(request, target, { isBelow: true })
    }
  }

  async function resolveStoredLine(
    { workspaceId }: RequestUser,
    { storedLineId, isAct }: Extract<Pressed, { storedLineId: string }>,
  ): Promise<ResolveResult> {
    const line = await ephemeralState.find(workspaceId, storedLineId, now())
    const resolved = typeof line === 'string' ? resolve(splitCommand(line)) : undefined
    // The request was acknowledged as a read. If an update of the app has made the line an act since, it isn't run.
    if (!resolved || (resolved.isAct && !isAct)) throw new ButtonTooOld(UNKNOWN_LINE)
    return resolved
  }
}

/** For turning a page: an error replaces the content of the window. */
const PAGE_TURN = { ...NO_PLACEHOLDER, inPlace: true }

const UNKNOWN_LINE = { unknown: 'what it was for', next: 'Type the command again.' }
