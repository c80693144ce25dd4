import type { Fault, InputValue } from '../protocol.ts'

/** A message of a channel: the last one, or one that is `back` before it, of those that have what is meant. */
export interface OnMessage {
  channel: string
  back?: number | undefined
}

/**
 * What somebody does, in words that hold in another run: no ts, no view's id, no block_id that Slack made up. `user` is a
 * handle or an id.
 */
export type Step =
  | { do: 'command'; user: string; channel: string; command: string; text: string }
  | { do: 'say'; user: string; channel: string; text: string }
  | {
      do: 'act'
      user: string
      on: 'modal' | 'home' | OnMessage
      action: string
      value?: InputValue | undefined
    }
  | { do: 'submit'; user: string; values: Record<string, InputValue> }
  | { do: 'close'; user: string; all?: boolean | undefined }
  | { do: 'shortcut'; user: string; callback: string; on?: OnMessage | undefined }
  | { do: 'home'; user: string }
  | { do: 'clock'; at?: string | undefined; advanceMs?: number | undefined }

type Optional<T> = { [K in keyof T]: undefined extends T[K] ? T[K] | undefined : T[K] }

/** People, channels, messages, faults and the time to begin with, and what happens then. */
export interface Scenario {
  /** ISO 8601: when it begins; the clock goes on from there. */
  clock?: string | undefined
  /** Beside those who are always there. */
  people?:
    | {
        name: string
        realName?: string | undefined
        email?: string | undefined
        role?: 'member' | 'admin' | 'guest' | 'single-channel-guest' | undefined
      }[]
    | undefined
  channels?: { name: string; topic?: string | undefined; members: string[] }[] | undefined
  /** What was said before, oldest first. */
  history?: { channel: string; user: string; text: string }[] | undefined
  faults?: Optional<Fault>[] | undefined
  /** What happens then, for the driver to replay. */
  steps?: Step[] | undefined
}
