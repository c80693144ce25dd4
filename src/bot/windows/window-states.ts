// This folder opens modals, and keeps what they have to remember.

import { createHash, randomBytes } from 'node:crypto'
import type { EphemeralState, SealedState } from '@signalman/durable'
import { DAY_MS, toId, UserError } from '@signalman/runtime'
import { LIMITS, type RequestUser } from '@signalman/slack'
import type { WindowState } from '../routes/command-context.ts'

type Owner = Pick<RequestUser, 'workspaceId' | 'userId'>

export type WindowStates = ReturnType<typeof createWindowStates>

const LIFETIME_MS = DAY_MS
const PREFIX_BYTES = 6
/**
 * `PREFIX.STATE`. The prefix is random, and in the action_id of the form's inputs. The state is encrypted text, or
 * `state:` and the ID of a stored state.
 */
const METADATA = /^[A-Za-z0-9_-]{8}\.(?:state:([A-Za-z0-9_-]{22})|(.+))$/

/**
 * Reads and writes the encrypted content of `private_metadata`. It is bound to the person and the kind of window. A state that is
 * too long for Slack is stored under an ID derived from its content.
 */
export function createWindowStates(deps: {
  sealedState: SealedState
  ephemeralState: Pick<EphemeralState, 'save' | 'find'>
  now: () => Date
}) {
  const { sealedState, ephemeralState, now } = deps
  return {
    async write({ workspaceId, userId }: Owner, callbackId: string, state: WindowState): Promise<string> {
      const boundTo = [workspaceId, userId, callbackId]
      const prefix = randomBytes(PREFIX_BYTES).toString('base64url')
      const at = now()
      const sealed = `${prefix}.${sealedState.seal(state, boundTo, new Date(at.getTime() + LIFETIME_MS))}`
      if (sealed.length <= LIMITS.metadata) return sealed
      const body = { boundTo, state }
      return `${prefix}.state:${await ephemeralState.save({ workspaceId, body, now: at, ttlMs: LIFETIME_MS })}`
    },

    /** Undefined if the window is too old, or the state belongs to another person or kind of window. */
    async read(
      { workspaceId, userId }: Owner,
      { callbackId, metadata }: { callbackId: string; metadata: string },
    ): Promise<WindowState | undefined> {
      const boundTo = [workspaceId, userId, callbackId]
      const [, id, sealed] = METADATA.exec(metadata) ?? []
      // `write` wrote both kinds of state for this window, so the casts are safe.
      if (sealed !== undefined) return sealedState.open(sealed, boundTo, now()) as WindowState | undefined
      const stored = id
        ? ((await ephemeralState.find(workspaceId, id, now())) as StoredState | undefined)
        : undefined
      return stored && JSON.stringify(stored.boundTo) === JSON.stringify(boundTo) ? stored.state : undefined
    },
  }
}

interface StoredState {
  boundTo: readonly string[]
  state: WindowState
}

/** Someone else has changed the settings since the window was opened. `current`: what they are now. `line` opens them again. */
export class OutdatedWindow extends UserError {
  override readonly name = 'OutdatedWindow'
  constructor(current: readonly string[], line: string) {
    const problem =
      'Another change was saved after you opened this window. Yours wasn’t saved. Current values:'
    super([problem, ...current.map((text) => `• ${text}`)].join('\n'), [
      { label: 'Open current version', line },
    ])
  }
}

/** Hashes settings, so that a button works only for the version for which it was created. Can be a word of its line. */
export const hashVersion = (value: unknown): string =>
  toId(createHash('sha256').update(JSON.stringify(value)).digest())
