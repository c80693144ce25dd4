import { MINUTE_MS } from '@signalman/runtime'
import { countBadPolls, QUIET_MS } from '../../../domain/outages/observe.ts'
import type { DecisionContext } from './drafts.ts'
import { AFRESH_MS, type ChannelState, type Reach } from './environment-state.ts'
import type { EscalationStep, Responder } from './escalation-steps.ts'
import {
  type Incident,
  type IncidentMessage,
  isBlindness,
  type Line,
  type Mention,
  type PageContent,
} from './incident.ts'
import type { Slices } from './slices.ts'
import type { Watch } from './watch.ts'

export const reachKey = (channelId: string, id: string): string => `${channelId} ${id}`

/** Someone who may be due a page about incidents in a channel. */
export interface DuePage {
  readonly channelId: string
  readonly responder: Responder
  /** The owners of the watches that page them there. */
  readonly ownerIds: readonly string[]
}

export const responderId = ({ id, name }: Responder): string => id ?? name

/** If nobody can be reached, when to look again. */
const LOOK_AGAIN_MS = 5 * MINUTE_MS

/** One step of a watch for one person. */
interface PersonStep {
  readonly atMs: number
  /** Everyone in this step who is or includes that person. */
  readonly responderIds: readonly string[]
}

/** A line that needs someone: it is shown, nobody is on it, and it isn't silenced. */
interface WaitingLine {
  readonly line: Line
  readonly incident: Incident
  readonly channel: ChannelState
  readonly sinceMs: number
  readonly watches: readonly Watch[]
}

/** Decides who is paged, once for all channels of the environment. Returns whom to look up first. */
export function* decidePages(context: DecisionContext): Slices<readonly DuePage[]> {
  const { state, now, drafts, wakeIn, unseen } = context
  const { reach } = state
  const channels = new Map(state.channels.map((channel) => [channel.channelId, channel]))
  const groups = reach ? new Map([...state.groups, ...reach.groups]) : state.groups
  /** The people who a responder is or includes. A group counts as a person too, because its members may be unknown. */
  const listPeople = (responder: Responder): readonly string[] =>
    responder.isGroup
      ? [...(groups.get(responderId(responder)) ?? []), responderId(responder)]
      : [responderId(responder)]
  const waiting: WaitingLine[] = []
  /** A page that is being revised, which doesn't count itself. */
  let pending: PageContent | undefined
  for (const line of drafts.listAllLines()) {
    const found = findWaiting(line)
    if (found) waiting.push(found)
  }
  yield
  const down = waiting.filter(({ incident }) => incident.isDown)
  const responders = listResponders()
  revisePending()
  showNextPages()
  return reach ? createPages(reach) : listDue()

  /** Starts escalation, or starts it again for a later fall that lasts. */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: each condition is one of the rules
  function findWaiting(line: Line): WaitingLine | undefined {
    const incident = drafts.findIncident(line.incidentId)
    const channel = channels.get(line.channelId)
    const card = line.cardId === undefined ? undefined : drafts.findMessage(line.cardId)
    if (!incident || !channel || !card || unseen || isBlindness(incident)) return undefined
    const isShown = line.cardVersion !== undefined && card.shownVersion >= line.cardVersion
    if (!isShown && line.escalatesSinceMs === undefined) return undefined
    if (incident.closed || incident.onIt || channel.isPaused || context.isSilenced(channel, incident))
      return undefined
    let sinceMs = line.escalatesSinceMs ?? now.clockMs
    let { pagedBefore } = line
    // Who was paged an hour ago was paged about another fall.
    if (incident.isDown && incident.fell.clockMs > sinceMs) {
      const restartsInMs = Math.max(
        QUIET_MS - (now.clockMs - incident.fell.clockMs),
        AFRESH_MS - (now.clockMs - sinceMs),
      )
      if (restartsInMs > 0) wakeIn(restartsInMs)
      else {
        sinceMs = now.clockMs
        pagedBefore = incident.paged
      }
    }
    const shown = { ...line, escalatesSinceMs: sinceMs, pagedBefore }
    if (sinceMs !== line.escalatesSinceMs || pagedBefore !== line.pagedBefore) drafts.setLine(shown)
    const badPolls = countBadPolls(incident, state.poll)
    const watches = context
      .findWatches(channel, incident)
      .flatMap(({ watch }) => (badPolls >= watch.afterBadPolls ? [watch] : []))
    return { line: shown, incident, channel, sinceMs, watches }
  }

  function listResponders(): Responder[] {
    const found = new Map<string, Responder>()
    for (const { watches } of state.channels)
      for (const { watch } of watches)
        for (const { responders: all } of watch.escalation ?? [])
          for (const responder of all) found.set(responderId(responder), responder)
    // Groups first: a page that mentions a group counts for its members too.
    return [...found.values()].sort(
      (left, right) =>
        Number(right.isGroup ?? false) - Number(left.isGroup ?? false) ||
        (responderId(left) < responderId(right) ? -1 : 1),
    )
  }

  function countPages({ line: { channelId, incidentId } }: WaitingLine, person: string): number {
    const paged = drafts.findIncident(incidentId)?.paged[person] ?? 0
    const pendingCount = pending?.incidentIds.includes(incidentId)
      ? pending.counted.filter((counted) => counted === person).length
      : 0
    const before = drafts.findLine(channelId, incidentId)?.pagedBefore[person] ?? 0
    return Math.max(0, paged - before - pendingCount)
  }

  function listSteps({ sinceMs }: WaitingLine, { escalation = [] }: Watch, person: string): PersonStep[] {
    return escalation
      .flatMap(({ responders: all, ...step }) => {
        const ids = all.filter((responder) => listPeople(responder).includes(person)).map(responderId)
        return ids.length > 0 ? [{ atMs: getStepTime(step, sinceMs), responderIds: ids }] : []
      })
      .sort((left, right) => left.atMs - right.atMs)
  }

  /** Who was in a group when it was last looked up. */
  function findMembers(responder: Responder): readonly string[] {
    return responder.isGroup ? (groups.get(responderId(responder)) ?? []) : []
  }

  /** The steps for this responder that haven't been carried out, by watch. A group's step is one of each of its members. */
  function listOpenSteps(
    one: WaitingLine,
    responder: Responder,
    // Without a look-up, members may have changed, so the group counts as one.
    members: readonly string[] = reach ? findMembers(responder) : [],
  ): readonly (readonly PersonStep[])[] {
    const id = responderId(responder)
    const listOpen = (watch: Watch, person: string): readonly PersonStep[] =>
      listSteps(one, watch, person)
        .slice(countPages(one, person))
        .filter(({ responderIds }) => responderIds.includes(id))
    if (members.length === 0) return one.watches.map((watch) => listOpen(watch, id))
    return one.watches.flatMap((watch) => {
      const times = new Set(listOpen(watch, id).map(({ atMs }) => atMs))
      return members.map((member) => listOpen(watch, member).filter(({ atMs }) => times.has(atMs)))
    })
  }

  function isDue(one: WaitingLine, responder: Responder): boolean {
    return listOpenSteps(one, responder).some((steps) => steps.some(({ atMs }) => atMs <= now.clockMs))
  }
  function isNamed(one: WaitingLine, responder: Responder): boolean {
    return listOpenSteps(one, responder).some((steps) => steps.length > 0)
  }

  function listDue(): DuePage[] {
    const due: DuePage[] = []
    for (const responder of responders) {
      const ids = new Set([
        ...down.filter((one) => isDue(one, responder)).map(({ channel }) => channel.channelId),
        // Whom a page mentions that wasn't sent yet is looked up again.
        ...drafts
          .listPages()
          .flatMap(({ page, attempted, shownVersion }) =>
            page?.steps.includes(responderId(responder)) && !attempted && shownVersion === 0
              ? [page.originId]
              : [],
          ),
      ])
      for (const channelId of ids)
        due.push({ channelId, responder, ownerIds: listOwners(channels.get(channelId), responder) })
    }
    return due
  }

  /** The later times at which a responder still has an open step. A group has one while any of its members has. */
  function listNextTimes(one: WaitingLine, responder: Responder): number[] {
    return listOpenSteps(one, responder, findMembers(responder)).flatMap((steps) =>
      steps.flatMap(({ atMs }) => (atMs > now.clockMs ? [atMs] : [])),
    )
  }

  /** When anybody is paged next, and whom each card's incidents page next. A page names what would page the same responder later. */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: every step of every incident
  function showNextPages(): void {
    for (const { watches, sinceMs } of down)
      for (const { escalation = [] } of watches)
        for (const step of escalation) wakeIn(getStepTime(step, sinceMs) - now.clockMs)
    const next = new Map<string, { atMs: number; names: string }>()
    for (const responder of responders) {
      const timed = down.map((one) => ({ one, times: listNextTimes(one, responder) }))
      const open = timed.filter(({ times }) => times.length > 0)
      for (const together of Map.groupBy(open, ({ one }) => one.channel.channelId).values()) {
        const atMs = together.reduce((min, { times }) => Math.min(min, ...times), Number.POSITIVE_INFINITY)
        for (const cardId of new Set(together.flatMap(({ one }) => one.line.cardId ?? []))) {
          const known = next.get(cardId)
          if (!known || atMs < known.atMs) next.set(cardId, { atMs, names: responder.name })
          else if (atMs === known.atMs) next.set(cardId, { atMs, names: `${known.names} ${responder.name}` })
        }
      }
    }
    for (const channel of state.channels)
      for (const { cardId } of drafts.listLines(channel.channelId)) {
        const card = cardId === undefined ? undefined : drafts.findMessage(cardId)
        const nextPage = cardId === undefined ? undefined : next.get(cardId)
        if (card && JSON.stringify(card.nextPage) !== JSON.stringify(nextPage))
          drafts.setMessage({ ...card, nextPage })
      }
    for (const card of drafts.listCardsWithNextPage())
      if (!next.has(card.id)) drafts.setMessage({ ...card, nextPage: undefined })
  }

  /** A page that wasn't sent yet follows the truth: who should still be paged, about what still needs someone. */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one page at a time, with its own count left out
  function revisePending(): void {
    const byId = new Map(responders.map((responder) => [responderId(responder), responder]))
    for (const message of drafts.listPages()) {
      const { page } = message
      if (!page || message.attempted || message.shownVersion > 0) continue
      pending = page
      const steps = page.steps.flatMap((id) => byId.get(id) ?? [])
      const kept = down.filter(
        ({ line }) =>
          line.channelId === page.originId &&
          page.incidentIds.includes(line.incidentId) &&
          steps.length === page.steps.length,
      )
      const named = kept.filter((one) => steps.every((step) => isNamed(one, step)))
      const isStillDue = named.some((one) => steps.some((step) => isDue(one, step)))
      pending = undefined
      const isKept = isStillDue && (!reach || isStillHeard(reach, message))
      const keptIds = new Set(isKept ? named.map(({ incident }) => incident.id) : [])
      for (const id of page.incidentIds) if (!keptIds.has(id)) countPage(id, page.counted, -1)
      if (!isKept) drafts.deleteMessage(message.id)
      else if (keptIds.size < page.incidentIds.length)
        drafts.setMessage({
          ...message,
          page: {
            ...page,
            incidentIds: page.incidentIds.filter((id) => keptIds.has(id)),
            // Whoever waited longest may be what has left.
            waitedMs: Math.max(...named.map(({ sinceMs }) => now.clockMs - sinceMs)),
          },
        })
    }
  }

  function isStillHeard({ hears, admins }: Reach, { channelId, page }: IncidentMessage): boolean {
    if (!page) return false
    const hasReached = (id: string): boolean | undefined => hears.get(reachKey(page.originId, id))
    const isMentioned = (id: string): boolean => page.mentions.some((mention) => mention.id === id)
    // Someone who wasn't looked up stays as they were.
    return (
      page.steps.every((id) => hasReached(id) !== true || isMentioned(id)) &&
      page.mentions.every(({ id }) =>
        channelId === page.originId
          ? hasReached(id) !== false
          : admins.some((admin) => admin.userId === id && admin.channelId === channelId),
      )
    )
  }

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one responder at a time, with the counts so far
  function createPages({ hears, admins }: Reach): readonly DuePage[] {
    const unknown: DuePage[] = []
    const drafted: {
      channelId: string
      originId: string
      mention: Mention
      step: string
      counted: readonly string[]
      incidentIds: string[]
      waitedMs: number
    }[] = []
    for (const responder of responders) {
      const id = responderId(responder)
      const due = down.filter((one) => isDue(one, responder))
      const handled = new Set<string>()
      const originIds = [...new Set(due.map(({ channel }) => channel.channelId))]
      const ownersIn = (originId: string) => listOwners(channels.get(originId), responder)
      const isUnknown = (originId: string): boolean =>
        !hears.has(reachKey(originId, id)) ||
        (hears.get(reachKey(originId, id)) === false &&
          ownersIn(originId).some((owner) => !hears.has(reachKey(originId, owner))))
      const lookedUp = originIds.filter((originId) => !isUnknown(originId))
      for (const channelId of originIds.filter(isUnknown))
        unknown.push({ channelId, responder, ownerIds: ownersIn(channelId) })
      // The channel where they can be notified goes first, then one whose owner can, and at last an admin's direct messages.
      const reached = lookedUp
        .flatMap((originId) => findRecipient(originId) ?? [])
        .sort((left, right) => left.rank - right.rank || (left.originId < right.originId ? -1 : 1))
      for (const { originId, channelId, mention } of reached) {
        if (!due.some((one) => one.channel.channelId === originId && !handled.has(one.incident.id))) continue
        const named = down.filter(
          (one) =>
            one.channel.channelId === originId && !handled.has(one.incident.id) && isNamed(one, responder),
        )
        const counted = listPeople(responder)
        for (const { incident } of named) handled.add(incident.id)
        const waitedMs = Math.max(...named.map(({ sinceMs }) => now.clockMs - sinceMs))
        const incidentIds = named.map(({ incident }) => incident.id)
        for (const incidentId of incidentIds) countPage(incidentId, counted, 1)
        drafted.push({ channelId, originId, mention, step: id, counted, incidentIds, waitedMs })
      }

      function findRecipient(originId: string) {
        const { name, isGroup } = responder
        if (hears.get(reachKey(originId, id)))
          return { rank: 0, originId, channelId: originId, mention: { id, name, isGroup } satisfies Mention }
        const owner = ownersIn(originId).find((one) => hears.get(reachKey(originId, one)))
        if (owner !== undefined)
          return {
            rank: 1,
            originId,
            channelId: originId,
            mention: { id: owner, name: 'the owner of the watch', insteadOf: name },
          }
        const [admin] = admins
        return (
          admin && {
            rank: 2,
            originId,
            channelId: admin.channelId,
            mention: { id: admin.userId, name: 'an admin', insteadOf: name },
          }
        )
      }
    }
    // Nobody could be reached: looks again later.
    if (responders.some((responder) => down.some((one) => isDue(one, responder)))) wakeIn(LOOK_AGAIN_MS)
    // One message for everyone who is paged about the same incidents in the same place.
    const groupKey = ({ channelId, originId, incidentIds }: (typeof drafted)[number]): string =>
      `${channelId} ${originId} ${incidentIds.join(' ')}`
    for (const together of Map.groupBy(drafted, groupKey).values()) {
      const [first] = together
      if (!first) continue
      const mentions = mergeMentions(together.map(({ mention }) => mention))
      const { id: cardId } = drafts.createMessage('page', first.channelId, {
        page: {
          originId: first.originId,
          mentions,
          steps: together.map(({ step }) => step),
          counted: together.flatMap(({ counted }) => counted),
          incidentIds: first.incidentIds,
          waitedMs: first.waitedMs,
        },
      })
      const names = mentions
        .map(({ name, insteadOf }) => (insteadOf ? `${name} instead of ${insteadOf}` : name))
        .join(', ')
      for (const incidentId of first.incidentIds)
        context.log({ kind: 'paged', names, incidentId, channelId: first.originId, cardId })
    }
    return unknown
  }

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the count and the lines that don't count some of it
  function countPage(incidentId: string, people: readonly string[], by: number): void {
    const incident = drafts.findIncident(incidentId)
    if (!incident) return
    const paged = { ...incident.paged }
    for (const person of people) {
      const count = (paged[person] ?? 0) + by
      if (count > 0) paged[person] = count
      else delete paged[person]
    }
    drafts.setIncident({ ...incident, paged })
    if (by > 0) return
    for (const { channelId } of state.channels) {
      const line = drafts.findLine(channelId, incidentId)
      if (!line || !people.some((person) => (line.pagedBefore[person] ?? 0) > (paged[person] ?? 0))) continue
      const pagedBefore = { ...line.pagedBefore }
      for (const person of people)
        pagedBefore[person] = Math.min(pagedBefore[person] ?? 0, paged[person] ?? 0)
      drafts.setLine({ ...line, pagedBefore })
    }
  }
}

/** Mentions each person once, and names everyone whom they stand in for. */
const mergeMentions = (mentions: readonly Mention[]): Mention[] =>
  [...Map.groupBy(mentions, ({ id }) => id).values()].flatMap((same) => {
    const own = same.find(({ insteadOf }) => insteadOf === undefined) ?? same[0]
    const insteadOf = same.flatMap((mention) => mention.insteadOf ?? []).join(', ')
    return own ? [{ ...own, insteadOf: insteadOf || undefined }] : []
  })

/** When a step is due, on the watch clock. A step that would have passed before it was saved counts from then. */
function getStepTime(
  { afterMs, savedMs = 0 }: Pick<EscalationStep, 'afterMs' | 'savedMs'>,
  sinceMs: number,
): number {
  return (sinceMs + afterMs >= savedMs ? sinceMs : savedMs) + afterMs
}

const listOwners = (channel: ChannelState | undefined, responder: Responder): string[] => {
  const owners = (channel?.watches ?? []).flatMap(({ watch: { escalation = [], ownerId } }) =>
    escalation.some(({ responders }) => responders.some((one) => responderId(one) === responderId(responder)))
      ? [ownerId]
      : [],
  )
  return [...new Set(owners)]
}
