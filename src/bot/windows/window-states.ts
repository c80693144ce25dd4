import { randomBytes } from 'node:crypto'
import { LIMITS } from '../../blocks/limits.ts'
import { DAY_MS } from '../../domain/durations.ts'
import type { Environment } from '../../domain/environment.ts'
import type { RequestUser } from '../../slack/receive/origin.ts'
import type { SealedState } from '../../store/secrets/sealed-state.ts'
import type { EphemeralState } from '../../store/work/ephemeral-state.ts'
import type { RedrawTarget } from '../routes/handled-request.ts'

/** What a window must know that nobody types, and that its blocks do not say. */
export interface WindowState {
  environment: Environment
  channelId?: string
  about?: unknown
  /** What is drawn again once its form was carried out. */
  origin?: RedrawTarget
}

type Owner = Pick<RequestUser, 'workspaceId' | 'userId'>

/** What a window's `private_metadata` holds, sealed: it opens for the same person in the same kind of window alone. */
export interface WindowStates {
  write(owner: Owner, callbackId: string, state: WindowState): Promise<string>
  /** Undefined when the window is too old, or its state is not its own. */
  read(owner: Owner, window: { callbackId: string; metadata: string }): Promise<WindowState | undefined>
}

const LIVE_MS = DAY_MS
const MARK_BYTES = 6
/** A mark of its own for each window (see field-ids.ts), a dot, then the sealed state, or `state:` and the id of a kept one. */
const FORM = /^[A-Za-z0-9_-]{8}\.(?:state:([A-Za-z0-9_-]{22})|(.+))$/

/** A state that Slack does not take for its length is kept once, under an id made from it. */
export function createWindowStates(parts: {
  sealedState: SealedState
  ephemeralState: Pick<EphemeralState, 'saveOnce' | 'find'>
  now: () => Date
}): WindowStates {
  const { sealedState, ephemeralState, now } = parts
  return {
    async write({ workspaceId, userId }, callbackId, state) {
      const boundTo = [workspaceId, userId, callbackId]
      const mark = randomBytes(MARK_BYTES).toString('base64url')
      const at = now()
      const sealed = `${mark}.${sealedState.seal(state, boundTo, new Date(at.getTime() + LIVE_MS))}`
      if (sealed.length <= LIMITS.metadata) return sealed
      const body = { boundTo, state }
      return `${mark}.state:${await ephemeralState.saveOnce({ workspaceId, body, now: at, liveMs: LIVE_MS })}`
    },

    async read({ workspaceId, userId }, { callbackId, metadata }) {
      const boundTo = [workspaceId, userId, callbackId]
      const [, id, sealed] = FORM.exec(metadata) ?? []
      // Written above for this very window, in both cases, hence of this type.
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
