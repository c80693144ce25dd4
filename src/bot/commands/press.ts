import { isInPlace } from '../../blocks/command-buttons.ts'
import type { RequestUser } from '../../slack/receive/origin.ts'
import type { ActionRequest } from '../../slack/receive/requests.ts'
import type { EphemeralState } from '../../store/work/ephemeral-state.ts'
import type { Pressed } from '../buttons/bind-buttons.ts'
import { ButtonTooOld } from '../buttons/button-too-old.ts'
import type { HandleRequest, RequestHandler } from '../requests/request-handler.ts'
import type { HandledRequest } from '../routes/handled-request.ts'
import { commandOf, type ResolveLine } from '../routes/resolve-line.ts'
import type { WindowStates } from '../windows/window-states.ts'
import type { RunLine } from './run-line.ts'

type Resolution = ReturnType<ResolveLine>

/** Runs the command line of a button, or the one stored under the button's id. */
export function createPress(parts: {
  resolve: ResolveLine
  runLine: RunLine
  windowStates: WindowStates
  ephemeralState: Pick<EphemeralState, 'find'>
  now: () => Date
}): (request: ActionRequest, pressed: Pressed | undefined) => RequestHandler {
  const { resolve, runLine, windowStates, ephemeralState, now } = parts

  function planPress(request: ActionRequest, pressed: Pressed | undefined): RequestHandler {
    if (!pressed) throw new ButtonTooOld(UNKNOWN_LINE)
    if ('keptId' in pressed) {
      const { keptId, isAct } = pressed
      const work: HandleRequest = async (by) => press(request, by, await keptLine(by, keptId, isAct))
      return { isAct, work }
    }
    const asked = resolve(pressed.line)
    return { verb: asked.name, isAct: asked.isAct, work: (by) => press(request, by, asked) }
  }

  async function keptLine({ workspaceId }: RequestUser, keptId: string, isAct: boolean): Promise<Resolution> {
    const line = await ephemeralState.find(workspaceId, keptId, now())
    const asked = typeof line === 'string' ? resolve(commandOf(line)) : undefined
    // Slack was answered as for a read: a line that has become an act since is not run.
    if (!asked || (asked.isAct && !isAct)) throw new ButtonTooOld(UNKNOWN_LINE)
    return asked
  }

  /** Slack has signed who pressed it; the person's rights are checked now. A window knows its channel. */
  async function press(
    { actionId, view }: ActionRequest,
    request: HandledRequest,
    asked: Resolution,
  ): Promise<string> {
    const channelId = request.channelId ?? (view && (await windowStates.read(request, view))?.channelId)
    return runLine({ ...request, ...(channelId !== undefined && { channelId }) }, asked, {
      inPlace: isInPlace(actionId),
    })
  }

  return planPress
}

const UNKNOWN_LINE = { forgets: 'what it was for', next: 'Type the command again.' }
