import type { EphemeralState } from '@signalman/durable'
import { type Log, UserError } from '@signalman/runtime'
import {
  type ActionRequest,
  ANSWER_ACTION,
  type EntityRequest,
  isCommandElement,
  isInPlace,
  isPageAction,
  type Request,
  type RequestOrigin,
  type RequestUser,
  type ShortcutRequest,
  type SlackClients,
  type StepRequest,
  type Surface,
} from '@signalman/slack'
import type { Access } from '../access/access.ts'
import type { People } from '../access/actor.ts'
import { createFormOptions } from '../forms/form-options.ts'
import { createRedrawForm, createSubmissions } from '../forms/submissions.ts'
import { createTurnPage } from '../forms/turn-page.ts'
import type { HomeTab } from '../home/home-tab.ts'
import type { Uninstalling } from '../install/uninstalling.ts'
import {
  type BindButtons,
  ButtonTooOld,
  type FindHiddenButtons,
  type Pressed,
  readPressed,
} from '../request/buttons.ts'
import type { MakeContext } from '../request/context.ts'
import type { FindHandler, RequestHandler } from '../request/contract.ts'
import { explain, problemMessage } from '../request/explain.ts'
import type { OpenSlot } from '../request/reply.ts'
import type { ExplainTokenError } from '../request/token-errors.ts'
import type { HandledRequest, RedrawTarget } from '../routes/command-context.ts'
import {
  type CommandLine,
  createDeferredLine,
  type ResolvedLine,
  type ResolveLine,
  resolveTyped,
  splitCommand,
  withoutPrefix,
} from '../routes/resolve-line.ts'
import type { RouteTable } from '../routes/routes.ts'
import type { WindowStates } from '../windows/window-states.ts'
import { createMentionHandler } from './mentions.ts'
import { findLineOrigin, type RunLine } from './run-line.ts'
import { createToolHandler } from './tool-line.ts'

type ResolveResult = ReturnType<ResolveLine>
type Run = NonNullable<RequestHandler['run']>

/** Whether a button redraws App Home. Its command line is internal. */
const isHomeLine = (pressed: Pressed): boolean =>
  'line' in pressed && pressed.line.command === 'hc' && /^home(?: |$)/.test(pressed.line.text)

interface CommandDeps {
  routes: RouteTable
  resolve: ResolveLine
  runLine: RunLine
  openSlot: OpenSlot
  bindButtons: BindButtons
  windowStates: WindowStates
  access: Access
  explainTokenError: ExplainTokenError
  makeContext: MakeContext
  findHiddenButtons: FindHiddenButtons
  homeTab: HomeTab
  log: Log
  /** This deployment's prefix for command names, such as `x-`. */
  prefix: string
}

/** The handlers of typed commands and submitted forms. Workflow steps also use them, on behalf of a person. */
export type CommandHandlers = ReturnType<typeof createCommandHandlers>

interface HandlerDeps extends CommandDeps, CommandHandlers {
  ephemeralState: Pick<EphemeralState, 'find'>
  clients: SlackClients
  onUninstalled: Uninstalling['handleUninstall']
  /** Shows a work object to the person who opened it. */
  entityHandler: (request: EntityRequest) => RequestHandler
  /** Runs a workflow step. */
  stepHandler: (request: StepRequest & Pick<Request, 'origin'>, origin: RequestOrigin) => RequestHandler
  people: Pick<People, 'forget'>
  /** Checks whether a channel, or this person's DMs, accept messages again. Never rejects. */
  onReachable: (workspaceId: string, target: { channelId: string } | { ownerId: string }) => Promise<void>
  /** The channel is now shared with another organization. Never rejects. */
  onChannelShared: (channel: {
    workspaceId: string
    enterpriseId?: string | undefined
    channelId?: string | undefined
  }) => Promise<void>
  /** Deletes what was stored only for this person if they left. Never rejects. */
  onPersonChanged: (workspaceId: string, userId: string) => Promise<void>
  now: () => Date
}

const handlePersonChanged =
  ({ people, onPersonChanged }: Pick<HandlerDeps, 'people' | 'onPersonChanged'>) =>
  async ({ workspaceId, userId }: HandledRequest): Promise<void> => {
    people.forget(workspaceId, userId)
    await onPersonChanged(workspaceId, userId)
  }

export function createCommandHandlers(deps: CommandDeps) {
  const { routes, resolve, runLine, openSlot, log, prefix } = deps
  const { refreshHome } = deps.homeTab
  return {
    typedCommandHandler(typed: CommandLine): RequestHandler {
      const command = withoutPrefix(typed.command, prefix)
      const mentionRule = routes.mentionRules.find((rule) => rule.command === command)
      const text = mentionRule?.toCommandText(typed.text) ?? typed.text
      return lineHandler(runLine, resolveTyped(resolve, { command, text }))
    },
    submissionHandler: createSubmissions({ ...deps, refreshHome, redraw }),
    redraw,
  }

  /**
   * Refreshes the answer that opened a form, which is outdated after the form ran. A window below the form whose line is refused now
   * shows the reason instead of what no longer applies. Other failures are only logged.
   */
  async function redraw(
    { act: _, ...request }: HandledRequest,
    target: RedrawTarget,
    { isBelow }: { isBelow: boolean },
  ): Promise<void> {
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

/** Runs a typed line or a button's line. */
function lineHandler(runLine: RunLine, resolved: ResolveResult): RequestHandler {
  const { name: verb, isAct, mayChange } = resolved
  return { verb, isAct, mayChange, run: (request, slot) => runLine(request, resolved, slot) }
}

/** Finds the handler of every kind of request. Never throws: errors are shown to the person. */
export function createHandlers(deps: HandlerDeps): FindHandler {
  const { routes, resolve, typedCommandHandler, submissionHandler, onUninstalled, onReachable, prefix } = deps
  const { openHome, showHomeProblem } = deps.homeTab
  const home: RequestHandler = {
    verb: 'home',
    run: openHome,
    slot: NO_PLACEHOLDER,
    showProblem: showHomeProblem,
  }
  const handleLine = (resolved: ResolveResult): RequestHandler => lineHandler(deps.runLine, resolved)
  const handlePress = createPressHandler(deps, {
    home,
    redrawForm: createRedrawForm(deps),
    turnPage: createTurnPage(deps),
  })
  const mentionHandler = createMentionHandler({ ...deps, lineHandler: handleLine })
  const toolHandler = createToolHandler({ ...deps, lineHandler: handleLine })
  const options = createFormOptions(deps)

  return (request, origin) => {
    try {
      switch (request.kind) {
        case 'command':
          return typedCommandHandler(request)
        case 'tool':
          return toolHandler({ ...request, command: withoutPrefix(request.command, prefix) })
        case 'entity':
          return deps.entityHandler(request)
        case 'step':
          return deps.stepHandler(request, origin)
        case 'action':
          return handlePress(request)
        case 'submission':
          return submissionHandler(request, origin)
        case 'options':
          return options(request)
        case 'home':
          return {
            ...home,
            beforeAck: ({ workspaceId, userId: ownerId }) => onReachable(workspaceId, { ownerId }),
          }
        case 'mention':
          return mentionHandler(request, origin)
        case 'shortcut':
          return shortcutHandler(request)
        case 'uninstalled':
          return { beforeAck: (handled) => onUninstalled(request, handled) }
        case 'person-changed':
          return { beforeAck: handlePersonChanged(deps) }
        case 'channel-open':
          return { beforeAck: ({ workspaceId, channelId = '' }) => onReachable(workspaceId, { channelId }) }
        case 'channel-shared':
          return { beforeAck: deps.onChannelShared }
      }
    } catch (error) {
      // Acknowledges the request as usual, then shows the error to the person.
      return { run: () => Promise.reject(error) }
    }
  }

  function shortcutHandler({ callbackId, message }: ShortcutRequest): RequestHandler {
    const shortcut = routes.findShortcut(callbackId)
    if (!shortcut) return { run: async () => 'nothing' }
    const { command, textFor } = shortcut
    const resolveShortcut = async () => {
      const resolved = resolve({ command, text: await textFor(message) })
      if (resolved.isAct) throw new Error(`The shortcut ${callbackId} must run a read-only command.`)
      return resolved
    }
    return handleLine(createDeferredLine(`/${command}`, resolveShortcut))
  }
}

/** Finds the handler of a pressed element. */
function createPressHandler(
  { resolve, runLine, redraw, windowStates, ephemeralState, homeTab, now }: HandlerDeps,
  {
    home,
    redrawForm,
    turnPage,
  }: {
    home: RequestHandler
    redrawForm: ReturnType<typeof createRedrawForm>
    turnPage: ReturnType<typeof createTurnPage>
  },
): (request: ActionRequest) => RequestHandler {
  return (request) => {
    const { actionId, value, view } = request
    const pressed = isCommandElement(actionId) ? readPressed(value) : undefined
    if (pressed && isHomeLine(pressed)) return home
    if (isCommandElement(actionId)) return commandButtonHandler(request, pressed)
    if (actionId === ANSWER_ACTION && view)
      return { run: (request) => redrawForm(view, request), slot: NO_PLACEHOLDER }
    if (isPageAction(actionId) && view)
      return { run: (request) => turnPage(view, value, request), slot: PAGE_TURN }
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
    if ('storedLineId' in lineOrStored) return { isAct: lineOrStored.isAct, slot: slotOptions, run }
    const { name: verb, isAct, mayChange } = lineOrStored
    const showProblem = 'verb' in lineOrStored && !inPlace ? showAndRedraw(lineOrStored) : undefined
    return { verb, isAct, mayChange, slot: slotOptions, run, ...(showProblem && { showProblem }) }
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

/** Something else already shows that Signalman is working, or nobody is waiting. */
const NO_PLACEHOLDER = { noPlaceholder: true }

/** For turning a page: an error replaces the content of the window. */
const PAGE_TURN = { ...NO_PLACEHOLDER, inPlace: true }

const UNKNOWN_LINE = { unknown: 'what it was for', next: 'Type the command again.' }
