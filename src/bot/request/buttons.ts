import type { EphemeralState } from '@signalman/durable'
import { DAY_MS, UserError } from '@signalman/runtime'
import { bindCommandButtons, isDirect, type Message, type Workspace } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { Environment } from '../../domain/environment.ts'
import { FLAG, quoted } from '../../domain/quoting.ts'
import { canSeePersonalData, isAllowed } from '../access/access.ts'
import { splitWords } from '../grammar/split-words.ts'
import type { HandledRequest, Rights } from '../routes/command-context.ts'
import type { Verbs } from '../routes/read-line.ts'
import {
  type CommandLine,
  findVerbOfLine,
  originText,
  type ResolveLine,
  splitCommand,
} from '../routes/resolve-line.ts'
import type { RouteTable } from '../routes/routes.ts'

/** How long a line that doesn't fit into a button is stored. After that, the button says that it is too old. */
const STORED_LINE_MS = DAY_MS
const STORED_LINE = /^(?:act|read):([A-Za-z0-9_-]{22})$/

/**
 * Prepares blocks for sending: each button gets its command line as its value, with the environment of the message. Without an
 * environment, the channel's setting decides when the button is pressed.
 */
export type BindButtons = (
  request: Pick<HandledRequest, 'workspaceId' | 'line' | 'isHidden'>,
  environment: Environment | undefined,
  blocks: KnownBlock[],
) => Promise<KnownBlock[]>

/** The value of a pressed button: a line, or the ID of a stored line. */
export type Pressed = { line: CommandLine } | { storedLineId: string; isAct: boolean }

/** Reads a button's value. Undefined if this version has no button with such a value. */
export function readPressed(value: string): Pressed | undefined {
  if (value.startsWith('/')) return { line: splitCommand(value) }
  const storedLineId = STORED_LINE.exec(value)?.[1]
  return storedLineId === undefined ? undefined : { storedLineId, isAct: value.startsWith('act:') }
}

/** Lines that are too long for Slack are stored for a day, under an ID derived from the line. */
export function createBindButtons(deps: {
  routes: Pick<RouteTable, 'findVerbs'>
  resolve: ResolveLine
  ephemeralState: Pick<EphemeralState, 'saveOnce'>
  now: () => Date
}): BindButtons {
  const { routes, resolve, ephemeralState, now } = deps

  async function storeLine(workspaceId: string, line: string): Promise<string> {
    const id = await ephemeralState.saveOnce({ workspaceId, body: line, now: now(), ttlMs: STORED_LINE_MS })
    return `${resolve(splitCommand(line)).isAct ? 'act' : 'read'}:${id}`
  }

  /** True if the line's verb opens a window. It then accepts `--from`, because its form may change what the button's message shows. */
  function opensWindow(line: string): boolean {
    const [command = '', word = ''] = line.slice(1).split(' ', 2)
    const verbs = routes.findVerbs(command)
    return (verbs?.get(word.startsWith('-') ? '' : word) ?? verbs?.get(''))?.opensModal === true
  }

  /** Formats the flag that names the answer to redraw after the form; '' for a line that doesn't open a window. */
  function formatOriginFlag(
    line: string,
    origin: string | undefined,
    environment: Environment | undefined,
  ): string {
    if (!origin || !opensWindow(line)) return ''
    const text = originText(origin, splitCommand(line).command)
    // The line may name another environment, but the answer with the button is redrawn in its own.
    const environmentFlag = environment && hasEnvironment(line) ? ` --env ${environment}` : ''
    return ` --from ${quoted(text + environmentFlag)}`
  }

  return async ({ workspaceId, line: origin, isHidden }, environment, blocks) => {
    // The first pass collects the lines that are too long for Slack. The second uses the IDs under which they were stored.
    const longLines = new Map<string, string>()
    const fitLine = (line: string, maxLength: number): string => {
      const fullLine = environment && !hasEnvironment(line) ? `${line} --env ${environment}` : line
      if (fullLine.length > maxLength) {
        if (!longLines.has(fullLine)) longLines.set(fullLine, '')
        return longLines.get(fullLine) ?? ''
      }
      const from = formatOriginFlag(line, origin, environment)
      return fullLine.length + from.length <= maxLength ? fullLine + from : fullLine
    }
    const toValue = (line: string, maxLength: number): string | undefined =>
      isHidden?.(line) ? undefined : fitLine(line, maxLength)
    const bound = bindCommandButtons(blocks, toValue)
    if (longLines.size === 0) return bound
    await Promise.all(
      [...longLines.keys()].map(async (line) => longLines.set(line, await storeLine(workspaceId, line))),
    )
    return bindCommandButtons(blocks, toValue)
  }
}

function hasEnvironment(line: string): boolean {
  if (!line.includes('"')) return /\s--?env(?:[=\s]|$)/i.test(line)
  return splitWords(line).some(
    ({ text, isQuoted }) => !isQuoted && FLAG.exec(text)?.[1]?.toLowerCase() === 'env',
  )
}

/** Prepares a message that doesn't answer a request for sending. */
export async function bindButtonsForPost(
  bindButtons: BindButtons,
  { workspaceId }: Workspace,
  environment: Environment,
  message: Message,
): Promise<Message> {
  return { ...message, blocks: await bindButtons({ workspaceId }, environment, message.blocks) }
}

/**
 * Finds the buttons that a person can't use, so that the answer leaves them out. Resolves with undefined if the roles can't be read.
 * Then all buttons are shown, and pressing one checks the roles again.
 */
export type FindHiddenButtons = (
  context: Pick<Rights, 'actor' | 'roles'> & Pick<HandledRequest, 'channelId'>,
) => Promise<HandledRequest['isHidden']>

/**
 * Matches a line that shares its answer. Guests can't, and nobody can where there is no channel, such as in a direct message or in a
 * window opened from Home.
 */
const SHARES = / --share(?= |$)/

export function createFindHiddenButtons(routes: Verbs): FindHiddenButtons {
  return async (context) => {
    const actorAndRoles = await Promise.all([context.actor(), context.roles()]).catch(() => undefined)
    if (!actorAndRoles) return undefined
    const [actor, roles] = actorAndRoles
    const { channelId } = context
    const canShare = channelId !== undefined && !isDirect(channelId) && canSeePersonalData(actor)
    return (line) => {
      const verb = findVerbOfLine(routes, line)
      return verb !== undefined && (!isAllowed(actor, roles, verb) || (SHARES.test(line) && !canShare))
    }
  }
}

/** The button's stored line was deleted, or its value comes from an earlier version of the app. */
export class ButtonTooOld extends UserError {
  override readonly name = 'ButtonTooOld'
  constructor({ unknown, next }: { unknown?: string; next?: string }) {
    const reason = unknown === undefined ? '.' : `, and Signalman no longer knows ${unknown}.`
    super(`This button is too old${reason}${next === undefined ? '' : ` ${next}`}`)
  }
}
