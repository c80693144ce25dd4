import type { ChannelState, EnvironmentState } from '../environment-state.ts'
import type { Responder } from '../escalation-steps.ts'

export const reachKey = (channelId: string, id: string): string => `${channelId} ${id}`

export const responderId = ({ id, name }: Responder): string => id ?? name

/** Someone who may be due a page about incidents in a channel. */
export interface DuePage {
  readonly channelId: string
  readonly responder: Responder
  /** The owners of the watches that page them there. */
  readonly ownerIds: readonly string[]
}

/** Everyone whom a watch pages. Groups first: a page that mentions a group counts for its members too. */
export function listResponders(channels: readonly ChannelState[]): Responder[] {
  const found = new Map<string, Responder>()
  for (const { watches } of channels)
    for (const { watch } of watches)
      for (const { responders } of watch.escalation ?? [])
        for (const responder of responders) found.set(responderId(responder), responder)
  return [...found.values()].sort(
    (left, right) =>
      Number(right.isGroup ?? false) - Number(left.isGroup ?? false) ||
      (responderId(left) < responderId(right) ? -1 : 1),
  )
}

/** The owners of the channel's watches that page a responder. */
export function listOwners(channel: ChannelState | undefined, responder: Responder): string[] {
  const owners = (channel?.watches ?? []).flatMap(({ watch: { escalation = [], ownerId } }) =>
    escalation.some(({ responders }) => responders.some((one) => responderId(one) === responderId(responder)))
      ? [ownerId]
      : [],
  )
  return [...new Set(owners)]
}

/** Who is in which user group. Whoever was looked up for these pages counts before who was known earlier. */
export class Members {
  readonly #groups: ReadonlyMap<string, readonly string[]>

  constructor({ groups, reach }: Pick<EnvironmentState, 'groups' | 'reach'>) {
    this.#groups = new Map([...groups, ...(reach?.groups ?? [])])
  }

  /** Who was in a group when it was last looked up. */
  find(responder: Responder): readonly string[] {
    return responder.isGroup ? (this.#groups.get(responderId(responder)) ?? []) : []
  }

  /** The people who a responder is or includes. A group counts as a person too, because its members may be unknown. */
  listPeople(responder: Responder): readonly string[] {
    return [...this.find(responder), responderId(responder)]
  }
}
