import { isCommandElement } from '../blocks/command-buttons.ts'
import { ANSWER } from '../blocks/inputs.ts'
import type { Log } from '../log.ts'
import type { SlackClients } from '../slack/client/clients.ts'
import type { Uninstalled } from '../slack/install/uninstalling.ts'
import type { ActionRequest, ShortcutRequest } from '../slack/receive/requests.ts'
import type { EphemeralState } from '../store/work/ephemeral-state.ts'
import type { Access } from './access/access.ts'
import type { People } from './access/people.ts'
import { type BindButtons, type Pressed, pressedOf } from './buttons/bind-buttons.ts'
import { createMentioned } from './commands/mentioned.ts'
import type { OnlyPermitted } from './commands/permitted-buttons.ts'
import { createPress } from './commands/press.ts'
import { createRedraw } from './commands/redraw.ts'
import type { RunLine } from './commands/run-line.ts'
import type { MendToken } from './commands/token-mending.ts'
import type { MakeContext } from './context/make-context.ts'
import { createFollow } from './forms/follow.ts'
import { createSubmissions } from './forms/submissions.ts'
import type { HomeTab } from './home/home-tab.ts'
import type { Replies } from './replies/replies.ts'
import type { RequestHandler, RequestHandlers } from './requests/request-handler.ts'
import type { HandledRequest } from './routes/handled-request.ts'
import type { ResolveLine } from './routes/resolve-line.ts'
import type { RouteTable } from './routes/routes.ts'
import type { WindowStates } from './windows/window-states.ts'

type Resolution = ReturnType<ResolveLine>

/** The line of a button in App Home that draws it again; it is not to be typed. */
const isHomeLine = (pressed: Pressed): boolean =>
  'line' in pressed && pressed.line.command === 'hc' && /^home(?: |$)/.test(pressed.line.text)

/** Decides for every kind of request how it is acknowledged and what is then done. */
export function createRequestHandlers(parts: {
  routes: RouteTable
  resolve: ResolveLine
  runLine: RunLine
  replies: Replies
  bindButtons: BindButtons
  windowStates: WindowStates
  ephemeralState: Pick<EphemeralState, 'find'>
  clients: SlackClients
  access: Access
  mendToken: MendToken
  makeContext: MakeContext
  onlyPermitted: OnlyPermitted
  homeTab: HomeTab
  uninstalled: Uninstalled
  people: Pick<People, 'forget'>
  log: Log
  now: () => Date
  /** What this deployment puts in front of command names, e.g. `x-`. */
  prefix: string
}): RequestHandlers {
  const { routes, resolve, runLine, uninstalled, people, prefix } = parts
  const { opened, refreshHome, homeProblem } = parts.homeTab
  const planPress = createPress(parts)
  const submissions = createSubmissions({ ...parts, refreshHome, redraw: createRedraw(parts) })
  const follow = createFollow(parts)
  const mentioned = createMentioned(parts)

  return (request, origin) => {
    switch (request.kind) {
      case 'command':
        return planLine(resolve({ command: withoutPrefix(request.command, prefix), text: request.text }))
      case 'action':
        return planAction(request)
      case 'submission':
        return submissions(request)
      case 'home':
        return { verb: 'home', work: opened, tell: homeProblem }
      case 'mention':
        return mentioned(request, origin)
      case 'shortcut':
        return { work: (handled) => pointedAt(request, handled) }
      case 'uninstalled':
        return { first: (handled) => uninstalled(request, handled) }
      case 'person-changed':
        return { first: async (request) => people.forget(request.workspaceId, request.userId) }
      case 'other':
        return {}
    }
  }

  function planLine(asked: Resolution): RequestHandler {
    return { verb: asked.name, isAct: asked.isAct, work: (request) => runLine(request, asked) }
  }

  /** The ids in a long message take their time, so that they are looked for once Slack has its acknowledgement. */
  async function pointedAt(
    { callbackId, message }: ShortcutRequest,
    request: HandledRequest,
  ): Promise<string> {
    const shortcut = routes.shortcutOf(callbackId)
    if (!shortcut) return 'nothing'
    const asked = resolve(shortcut.lineFor(message))
    if (asked.isAct) throw new Error(`The shortcut ${callbackId} stands for a line that does not only read.`)
    return runLine(request, asked)
  }

  function planAction(request: ActionRequest): RequestHandler {
    const { actionId, value, view } = request
    const pressed = isCommandElement(actionId) ? pressedOf(value) : undefined
    if (pressed && isHomeLine(pressed)) return { verb: 'home', work: opened, tell: homeProblem }
    if (isCommandElement(actionId)) return planPress(request, pressed)
    if (actionId === ANSWER && view) return { work: (request) => follow(view, request) }
    // A link button, or one of an older version: there is nothing to do, and it was acknowledged.
    return { work: async () => 'nothing' }
  }
}

const withoutPrefix = (command: string, prefix: string): string =>
  command.startsWith(prefix) ? command.slice(prefix.length) : command
