import { createHash, randomBytes } from 'node:crypto'
import type { Decisions, EphemeralState, SealedState, Setting, Settings } from '@signalman/durable'
import { DAY_MS, UserError } from '@signalman/runtime'
import { LIMITS, type RequestUser } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import type { RedrawTarget } from '../routes/command-context.ts'

/** What a window remembers besides its inputs. */
export interface WindowState {
  environment: Environment
  channelId?: string
  /** How its person got there, if not by typing or pressing. */
  door?: string
  about?: unknown
  /** The answer to redraw after the form ran. */
  origin?: RedrawTarget
}

type Owner = Pick<RequestUser, 'workspaceId' | 'userId'>

export type WindowStates = ReturnType<typeof createWindowStates>

const LIVE_MS = DAY_MS
const MARK_BYTES = 6
/** A random mark for each window (see view-state.ts), a dot, then the encrypted state, or `state:` and the ID of a stored one. */
const FORM = /^[A-Za-z0-9_-]{8}\.(?:state:([A-Za-z0-9_-]{22})|(.+))$/

/**
 * The encrypted content of `private_metadata`. Only the same person can decrypt it, in the same kind of window. A state that is
 * too long for Slack is stored under an ID derived from its content.
 */
export function createWindowStates(parts: {
  sealedState: SealedState
  ephemeralState: Pick<EphemeralState, 'saveOnce' | 'find'>
  now: () => Date
}) {
  const { sealedState, ephemeralState, now } = parts
  return {
    async write({ workspaceId, userId }: Owner, callbackId: string, state: WindowState): Promise<string> {
      const boundTo = [workspaceId, userId, callbackId]
      const mark = randomBytes(MARK_BYTES).toString('base64url')
      const at = now()
      const sealed = `${mark}.${sealedState.seal(state, boundTo, new Date(at.getTime() + LIVE_MS))}`
      if (sealed.length <= LIMITS.metadata) return sealed
      const body = { boundTo, state }
      return `${mark}.state:${await ephemeralState.saveOnce({ workspaceId, body, now: at, liveMs: LIVE_MS })}`
    },

    /** Undefined if the window is too old, or the state belongs to another person or kind of window. */
    async read(
      { workspaceId, userId }: Owner,
      { callbackId, metadata }: { callbackId: string; metadata: string },
    ): Promise<WindowState | undefined> {
      const boundTo = [workspaceId, userId, callbackId]
      const [, id, sealed] = FORM.exec(metadata) ?? []
      // Both kinds were written by `write` for this window, so they have this type.
      if (sealed !== undefined) return sealedState.open(sealed, boundTo, now()) as WindowState | undefined
      const kept = id ? ((await ephemeralState.find(workspaceId, id, now())) as Kept | undefined) : undefined
      return kept && JSON.stringify(kept.boundTo) === JSON.stringify(boundTo) ? kept.state : undefined
    },
  }
}

interface Kept {
  boundTo: readonly string[]
  state: WindowState
}

/** One setting in a window: its text, and its value. */
export type ShownSetting = readonly [words: string, is: unknown]

/**
 * Throws UserError if someone else saved other settings since the window was opened, and lists the current ones: an outdated
 * window must not overwrite anything. `seen` is what the window showed, and `line` opens the current version.
 */
export function refuseIfOutdated<T>(
  seen: T | undefined,
  present: T,
  { shown, line }: { shown: (value: T) => readonly ShownSetting[]; line: string },
): void {
  const before = new Map(seen === undefined ? [] : shown(seen).map((one, index) => [index, settingText(one)]))
  const changed = shown(present).filter((one, index) => settingText(one) !== before.get(index))
  if (changed.length === 0) return
  const words = changed.map(([each]) => `• ${each}`)
  throw new UserError(
    [
      'Someone else saved a change after you opened this window. Your change wasn’t saved. Current values:',
      ...words,
    ].join('\n'),
    [{ label: 'Open current version', line }],
  )
}

const settingText = ([, is]: ShownSetting): string => JSON.stringify(is ?? null)

/** A version of settings, so that a button acts only on the settings it was made for. */
export const hashVersion = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 10)

/**
 * Replaces a setting. Throws UserError with `changed` if its current value is neither `before` nor, when an act continues after a
 * crash, `wanted`: someone else saved it meanwhile.
 */
export async function replaceSetting<T>(
  settings: Pick<Settings, 'decide'>,
  decisions: Decisions,
  setting: Setting<T>,
  { before, wanted, changed }: { before: T; wanted: T; changed: string },
): Promise<void> {
  const known = [before, wanted].map(hashVersion)
  await settings.decide(decisions, setting, (present) => {
    if (!known.includes(hashVersion(present))) throw new UserError(changed)
    return wanted
  })
}
