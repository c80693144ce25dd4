import type { KnownBlock } from '@slack/types'
import { bindOffers } from '../../blocks/command-buttons.ts'
import type { Environment } from '../../domain/environment.ts'
import { FLAG, quoted } from '../../domain/quoting.ts'
import type { RequestOrigin } from '../../slack/receive/origin.ts'
import type { EphemeralState } from '../../store/work/ephemeral-state.ts'
import { type CommandLine, commandOf, originText, type ResolveLine } from '../routes/resolve-line.ts'
import type { RouteTable } from '../routes/routes.ts'
import { wordsOf } from '../typed/command-line.ts'

const KEPT_MS = 7 * 24 * 3_600_000
const KEPT_LINE = /^(?:act|read):([A-Za-z0-9_-]{22})$/

/**
 * Blocks ready to send: what a button carries is the line that it stands for, in the environment that its message is of,
 * whatever the channel's is when it is pressed. Without one, the channel decides then.
 */
export type BindButtons = (
  place: Pick<RequestOrigin, 'workspaceId' | 'line'>,
  environment: Environment | undefined,
  blocks: KnownBlock[],
) => Promise<KnownBlock[]>

/** What was pressed: a line, or a kept one that is found once it is asked for. */
export type Pressed = { line: CommandLine } | { keptId: string; isAct: boolean }

/** Undefined for a value that no button of this version carries. */
export function pressedOf(value: string): Pressed | undefined {
  if (value.startsWith('/')) return { line: commandOf(value) }
  const keptId = KEPT_LINE.exec(value)?.[1]
  return keptId === undefined ? undefined : { keptId, isAct: value.startsWith('act:') }
}

/** A line that Slack does not take for its length is kept once, under an id made from it; all others cost nothing. */
export function createBindButtons(parts: {
  routes: Pick<RouteTable, 'verbsOf'>
  resolve: ResolveLine
  ephemeralState: Pick<EphemeralState, 'saveOnce'>
  now: () => Date
}): BindButtons {
  const { routes, resolve, ephemeralState, now } = parts

  async function kept(workspaceId: string, line: string): Promise<string> {
    const id = await ephemeralState.saveOnce({ workspaceId, body: line, now: now(), liveMs: KEPT_MS })
    return `${resolve(commandOf(line)).isAct ? 'act' : 'read'}:${id}`
  }

  /** Only a window's form puts out of date what its button stands on. */
  function opens(line: string): boolean {
    const [command = '', word = ''] = line.slice(1).split(' ', 2)
    const verbs = routes.verbsOf(command)
    return (verbs?.get(word.startsWith('-') ? '' : word) ?? verbs?.get(''))?.opens === true
  }

  /** What a form that opens from this line puts out of date; '' for what opens none. */
  function fromOf(line: string, origin: string | undefined, environment: Environment | undefined): string {
    if (!origin || !opens(line)) return ''
    const text = originText(origin, commandOf(line).command)
    // A line of another environment than its message's: that one's counts for the answer that it stands on.
    const here = environment && hasEnvironment(line) ? ` --env ${environment}` : ''
    return ` --from ${quoted(text + here)}`
  }

  return async ({ workspaceId, line: origin }, environment, blocks) => {
    const long = new Map<string, string>()
    const written = (line: string, most: number): string => {
      const whole = environment && !hasEnvironment(line) ? `${line} --env ${environment}` : line
      if (whole.length > most) {
        if (!long.has(whole)) long.set(whole, '')
        return long.get(whole) ?? ''
      }
      const from = fromOf(line, origin, environment)
      return whole.length + from.length <= most ? whole + from : whole
    }
    const bound = bindOffers(blocks, written)
    if (long.size === 0) return bound
    await Promise.all([...long.keys()].map(async (line) => long.set(line, await kept(workspaceId, line))))
    return bindOffers(blocks, written)
  }
}

function hasEnvironment(line: string): boolean {
  if (!line.includes('"')) return /\s--?env(?:[=\s]|$)/i.test(line)
  return wordsOf(line).some(
    ({ text, isQuoted }) => !isQuoted && FLAG.exec(text)?.[1]?.toLowerCase() === 'env',
  )
}
