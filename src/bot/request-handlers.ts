import type { KnownBlock } from '@slack/types'
import { isCommandElement, isInPlace } from '../blocks/command-buttons.ts'
import { ANSWER } from '../blocks/inputs.ts'
import { UserError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { SlackClients } from '../slack/client/clients.ts'
import type { Uninstalled } from '../slack/install/uninstalling.ts'
import { answersOf } from '../slack/receive/form-answers.ts'
import type { RedrawTarget, RequestOrigin } from '../slack/receive/origin.ts'
import type { ActionRequest, ShortcutRequest } from '../slack/receive/requests.ts'
import type { EphemeralState } from '../store/work/ephemeral-state.ts'
import type { Access } from './access/access.ts'
import { isPlainlyForeign } from './access/actor.ts'
import { besideAdmission } from './access/beside-admission.ts'
import { type BindButtons, type Pressed, pressedOf } from './buttons/bind-buttons.ts'
import type { RunLine } from './commands/run-line.ts'
import type { MendToken } from './commands/token-mending.ts'
import type { MakeContext } from './context/make-context.ts'
import { createSubmissions } from './forms/submissions.ts'
import { type Explained, explain, problemMessage } from './replies/explain.ts'
import type { Replies } from './replies/replies.ts'
import type { RequestHandler, RequestHandlers } from './requests/request-handler.ts'
import { type CommandLine, commandOf, type ResolveLine } from './routes/resolve-line.ts'
import type { RouteTable } from './routes/routes.ts'
import type { WindowStates } from './windows/window-states.ts'

type Resolution = ReturnType<ResolveLine>

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
  ask: MakeContext
  uninstalled: Uninstalled
  log: Log
  now: () => Date
  /** What this deployment puts in front of command names, e.g. `x-`. */
  prefix: string
}): RequestHandlers {
  const { routes, resolve, runLine, bindButtons, windowStates, ephemeralState } = parts
  const { clients, access, ask, log, uninstalled, now, prefix } = parts
  const submissions = createSubmissions({ ...parts, refreshHome, redraw })

  return (request) => {
    switch (request.kind) {
      case 'command': {
        const command = request.command.startsWith(prefix)
          ? request.command.slice(prefix.length)
          : request.command
        return planLine(resolve({ command, text: request.text }))
      }
      case 'action':
        return planAction(request)
      case 'submission':
        return submissions(request)
      case 'home':
        return { work: home, tell: homeProblem }
      case 'mention':
        return planLine(resolve(mentionedLine(request.text)))
      case 'shortcut':
        return { work: (place) => pointedAt(request, place) }
      case 'uninstalled':
        return { first: (place) => uninstalled(request, place) }
      case 'other':
        return {}
    }
  }

  function planLine(asked: Resolution): RequestHandler {
    return { isAct: asked.isAct, work: (place) => runLine(place, asked) }
  }

  /** The words behind a mention are a command line without its slash; a command's first verb may stand alone. */
  function mentionedLine(said: string): CommandLine {
    const [first = '', ...rest] = said.trim().split(/\s+/)
    const command = first.replace(/^\//, '').toLowerCase()
    return routes.verbsOf(command)
      ? { command, text: rest.join(' ') }
      : { command: 'hc', text: said.trim() || 'help' }
  }

  /** The ids in a long message take their time, so that they are looked for once Slack has its acknowledgement. */
  async function pointedAt({ callbackId, message }: ShortcutRequest, place: RequestOrigin): Promise<string> {
    const shortcut = routes.shortcutOf(callbackId)
    if (!shortcut) return 'nothing'
    const asked = resolve(shortcut.lineFor(message))
    if (asked.isAct) throw new Error(`The shortcut ${callbackId} stands for a line that does not only read.`)
    return runLine(place, asked)
  }

  function planAction(request: ActionRequest): RequestHandler {
    const { actionId, value, view } = request
    if (isCommandElement(actionId)) return planPress(request, pressedOf(value))
    if (actionId === ANSWER && view) return { work: (place) => follow(view, place) }
    // A link button, or one of an older version: there is nothing to do, and it was acknowledged.
    return { work: async () => 'nothing' }
  }

  function planPress(request: ActionRequest, pressed: Pressed | undefined): RequestHandler {
    if (!pressed) throw new UserError(BUTTON_TOO_OLD)
    if ('keptId' in pressed) {
      const { keptId, isAct } = pressed
      return { isAct, work: async (place) => press(request, place, await keptLine(place, keptId, isAct)) }
    }
    const asked = resolve(pressed.line)
    return { isAct: asked.isAct, work: (place) => press(request, place, asked) }
  }

  async function keptLine(
    { workspaceId }: RequestOrigin,
    keptId: string,
    isAct: boolean,
  ): Promise<Resolution> {
    const line = await ephemeralState.find(workspaceId, keptId, now())
    const asked = typeof line === 'string' ? resolve(commandOf(line)) : undefined
    // What has become an act since was not taken for one when Slack was answered.
    if (!asked || (asked.isAct && !isAct)) throw new UserError(BUTTON_TOO_OLD)
    return asked
  }

  /** Whose line it is, Slack has signed; whether they may, is asked now. A window knows the channel it was opened in. */
  async function press(
    { actionId, view }: ActionRequest,
    place: RequestOrigin,
    asked: Resolution,
  ): Promise<string> {
    const channelId = place.channelId ?? (view && (await windowStates.read(place, view))?.channelId)
    return runLine({ ...place, channelId }, asked, { inPlace: isInPlace(actionId) })
  }

  /** An answer changed that other fields follow from: the form is drawn again, and what was typed stays. */
  async function follow(view: NonNullable<ActionRequest['view']>, place: RequestOrigin): Promise<string> {
    const form = routes.formOf(view.callbackId)
    const state = await windowStates.read(place, view)
    if (!form?.follow || !state) return 'nothing'
    await access.admit(place, { ...form, reads: true })
    const blocks = form.follow(answersOf(view.values), state.about, state.environment).flat()
    const ready = await bindButtons(place, state.environment, blocks)
    const slack = await clients.of(place)
    // Of two changes in quick succession the later one draws the form: the earlier one's view is no more.
    await slack.updateView(view.id, submissions.formView(view, ready), view.hash).catch(unlessOvertaken)
    return form.id
  }

  /** What is shown beside a form that was just carried out is out of date. It is not worth a word when this fails. */
  async function redraw(
    place: RequestOrigin,
    { line, environment, responseUrl, modalId }: RedrawTarget,
  ): Promise<void> {
    const there = {
      ...place,
      environment,
      responseUrl,
      modalId,
      triggerId: undefined,
      threadTs: undefined,
      act: undefined,
    }
    const options = { inPlace: true, quiet: true }
    await runLine(there, resolve(commandOf(line)), options).catch((error: unknown) =>
      log.info({ reference: place.reference, err: error }, 'An answer could not be drawn again.'),
    )
  }

  async function home(place: RequestOrigin): Promise<string> {
    const view = routes.homeView()
    if (!view) return 'nothing'
    const demand = { needs: 'viewer', verb: 'home', reads: true } as const
    const admission = access.admit(place, demand)
    if (isPlainlyForeign(place)) await admission
    const blocks = await besideAdmission(admission, (admission, signal) =>
      view(ask(place, 'production', admission, demand, signal)),
    )
    await publishHome(place, blocks)
    return 'home'
  }

  /** What was asked for is done and told by now: a Home that cannot be drawn must not look as if it had failed. */
  async function refreshHome({ act: _, ...place }: RequestOrigin): Promise<void> {
    await home(place)
      .catch((error: unknown) => homeProblem(place, explain(error)))
      .catch(() => undefined)
  }

  /** An empty Home says nothing; this one says what the matter is. */
  async function homeProblem(place: RequestOrigin, problem: Explained): Promise<void> {
    await publishHome(place, problemMessage(problem, place.reference).blocks)
  }

  async function publishHome(place: RequestOrigin, blocks: KnownBlock[]): Promise<void> {
    const slack = await clients.of(place)
    await slack.publishHome(place.userId, await bindButtons(place, 'production', blocks))
  }
}

const BUTTON_TOO_OLD = 'This button is too old: it no longer knows what it was for. Type the command again.'

function unlessOvertaken(error: unknown): void {
  if (!(error instanceof Error && error.message.includes('hash_conflict'))) throw error
}
