import { createHash, randomBytes } from 'node:crypto'
import type { Decisions, EphemeralState, SealedState, Setting, Settings } from '@signalman/durable'
import { DAY_MS, UserError } from '@signalman/runtime'
import { LIMITS, type RequestUser } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import type { RedrawTarget } from '../routes/command-context.ts'

/** What a window must remember that nobody types and its blocks do not show. */
export interface WindowState {
  environment: Environment
  channelId?: string
  /** By which its person came to it. */
  door?: string
  about?: unknown
  /** The answer that is drawn again after the form was carried out. */
  origin?: RedrawTarget
}

type Owner = Pick<RequestUser, 'workspaceId' | 'userId'>

export type WindowStates = ReturnType<typeof createWindowStates>

const LIVE_MS = DAY_MS
const MARK_BYTES = 6
/** A mark for each window (see view-state.ts), a dot, then the sealed state, or `state:` and the id of a stored one. */
const FORM = /^[A-Za-z0-9_-]{8}\.(?:state:([A-Za-z0-9_-]{22})|(.+))$/

/**
 * The sealed content of `private_metadata`: only the same person can open it, in the same kind of window. A state that is too long
 * for Slack is stored, under an id made from its content.
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

    /** Undefined when the window is too old, or the state belongs to another person or window. */
    async read(
      { workspaceId, userId }: Owner,
      { callbackId, metadata }: { callbackId: string; metadata: string },
    ): Promise<WindowState | undefined> {
      const boundTo = [workspaceId, userId, callbackId]
      const [, id, sealed] = FORM.exec(metadata) ?? []
      // Written above for this window, in both cases, hence of this type.
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

/** One thing that a window of settings shows: the words for it, and what it is. */
export type SettingShown = readonly [words: string, is: unknown]

/**
 * Throws UserError where somebody has saved something else since a window of settings was opened, saying what: an older window
 * overwrites nothing. `seen` is what the window carries. `line` opens it as it is now.
 */
export function refuseSavedSince<T>(
  seen: T | undefined,
  present: T,
  { shown, line }: { shown: (value: T) => readonly SettingShown[]; line: string },
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

const settingText = ([, is]: SettingShown): string => JSON.stringify(is ?? null)

/** The version of settings, for a button that must not act on others than those it was made for. */
export const hashVersion = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 10)

/**
 * Saves a setting in the place of what was there before. Throws UserError with `changed` where it is neither that nor, gone on with
 * after a crash, the wanted one: somebody has saved it meanwhile.
 */
export async function saveOver<T>(
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
