import { createDrafts, type DecisionChanges, type DecisionContext } from './drafts.ts'
import type { ChannelState, EnvironmentState } from './environment-state.ts'
import { isBlindness, toUnseen } from './incident.ts'
import { findMatchingWatches, type PreparedWatch } from './matching.ts'
import { decidePages } from './paging/decide-pages.ts'
import type { DuePage } from './paging/responders.ts'
import { settleChannel } from './settle-channel.ts'
import type { Slices } from './slices.ts'
import type { Moment } from './watch-clock.ts'

/** The changes to save. Deciding again changes nothing, and neither does anything before `wakeInMs`. */
export interface Decision extends DecisionChanges {
  /** Channels that were told what they missed. */
  readonly caughtUpChannelIds: readonly string[]
  /** Who may be due a page: look up whether Slack can notify them, then decide again. */
  readonly duePages: readonly DuePage[]
  /** When to decide again if nothing else happens. */
  readonly wakeInMs: number | undefined
}

/** Decides what each channel of an environment should show, and who is paged, from what is true now. */
export function* decide(state: EnvironmentState, now: Moment, newId: () => string): Slices<Decision> {
  let wakeInMs = Number.POSITIVE_INFINITY
  const caughtUpChannelIds: string[] = []
  const context: DecisionContext = {
    state,
    now,
    drafts: createDrafts(state, now, newId),
    unseen: state.incidents.filter(isBlindness).flatMap((incident) => toUnseen(incident) ?? [])[0],
    wakeIn: (ms) => {
      if (ms > 0) wakeInMs = Math.min(wakeInMs, ms)
    },
    findWatches: createWatchFinder(),
    isSilenced: ({ silences }, incident) =>
      !isBlindness(incident) && silences.some((covers) => covers(incident.check)),
  }
  for (const channel of state.channels)
    if (yield* settleChannel(context, channel)) caughtUpChannelIds.push(channel.channelId)
  const duePages = yield* decidePages(context)
  yield* context.drafts.writeContents(context)
  return {
    ...context.drafts.listChanges(),
    caughtUpChannelIds,
    duePages,
    wakeInMs: Number.isFinite(wakeInMs) ? wakeInMs : undefined,
  }
}

/** Finds a channel's watches that match an incident, and remembers them. Any watch matches blindness. */
function createWatchFinder(): DecisionContext['findWatches'] {
  const found = new Map<ChannelState, Map<string, readonly PreparedWatch[]>>()
  return (channel, incident) => {
    const byIncident = found.get(channel) ?? new Map<string, readonly PreparedWatch[]>()
    found.set(channel, byIncident)
    const known = byIncident.get(incident.id)
    if (known) return known
    const watches = isBlindness(incident)
      ? channel.watches
      : findMatchingWatches(channel.watches, incident.check)
    byIncident.set(incident.id, watches)
    return watches
  }
}
