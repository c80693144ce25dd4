import { jsonText } from '../database/json.ts'
import { SealError, type Sealer } from './seal.ts'

/** JSON that leaves the app and comes back: sealed for one place, until a time. */
export interface SealedState {
  /** Text of the letters `A–Z a–z 0–9 _ - .`. Throws StoreError `bad-value` for what JSON cannot hold. */
  seal(body: unknown, boundTo: readonly string[], expiresAt: Date): string
  /** The body; undefined when it is not ours, was altered, is for another place, or has expired. */
  open(sealed: string, boundTo: readonly string[], now: Date): unknown | undefined
}

export function sealedState(sealer: Sealer): SealedState {
  return {
    seal: (body, boundTo, expiresAt) =>
      sealer.seal(jsonText([expiresAt.getTime(), body], 'Sealed state'), ['sealed-state', ...boundTo]),

    open(sealed, boundTo, now) {
      try {
        // Sealed above, so it has this form.
        const [until, body] = JSON.parse(sealer.open(sealed, ['sealed-state', ...boundTo])) as [
          number,
          unknown,
        ]
        return now.getTime() < until ? body : undefined
      } catch (error) {
        if (error instanceof SealError) return undefined
        throw error
      }
    },
  }
}
