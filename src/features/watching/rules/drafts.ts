import { isDeepStrictEqual } from 'node:util'
import type { EnvironmentState, Surroundings } from './environment-state.ts'
import type { Incident, IncidentMessage, Line, PageContent, PostReason } from './incident.ts'
import { formatContent } from './message-content.ts'
import { eachInSlices, type Slices } from './slices.ts'
import type { Moment } from './watch-clock.ts'

/** The rows that a decision changes. */
export interface DecisionChanges {
  /** Incidents whose pages were counted. Nothing else of them changes. */
  readonly incidents: readonly Incident[]
  readonly lines: readonly Line[]
  readonly deletedLines: readonly Line[]
  readonly messages: readonly (IncidentMessage & { readonly isNew: boolean })[]
  /** Messages that were never sent and say nothing anymore. */
  readonly deletedMessageIds: readonly string[]
}

export type Drafts = ReturnType<typeof createDrafts>

/** What `settleChannel` and `decidePages` share. */
export interface DecisionContext extends Surroundings {
  readonly drafts: Drafts
}

const lineKey = ({ channelId, incidentId }: Pick<Line, 'channelId' | 'incidentId'>): string =>
  `${channelId} ${incidentId}`

/** The rows of an environment while `decide` changes them. */
export function createDrafts(state: EnvironmentState, now: Moment, newId: () => string) {
  const incidents = new Map(state.incidents.map((incident) => [incident.id, incident]))
  const messages = new Map(state.messages.map((message) => [message.id, message]))
  const lines = new Map(state.lines.map((line) => [lineKey(line), line]))
  const keysByChannel = new Map<string, Set<string>>()
  const keysByCard = new Map<string, Set<string>>()
  const deletedLines = new Map<string, Line>()
  const addTo = (index: Map<string, Set<string>>, id: string | undefined, key: string): void => {
    if (id !== undefined) index.set(id, (index.get(id) ?? new Set()).add(key))
  }
  for (const [key, { channelId, cardId }] of lines) {
    addTo(keysByChannel, channelId, key)
    addTo(keysByCard, cardId, key)
  }
  const before = { incidents: new Map(incidents), messages: new Map(messages), lines: new Map(lines) }
  const latestCards = new Map(
    state.messages.flatMap(({ kind, channelId, id }) => (kind === 'card' ? [[channelId, id] as const] : [])),
  )
  const getLines = (keys: ReadonlySet<string> | undefined): Line[] =>
    [...(keys ?? [])].flatMap((key) => lines.get(key) ?? [])
  const findLatestCard = (channelId: string): IncidentMessage | undefined => {
    const id = latestCards.get(channelId)
    return id === undefined ? undefined : messages.get(id)
  }
  /** Sets what a message should say. A changed content is a new version. */
  const setContent = (
    message: IncidentMessage,
    content: string,
    listed: readonly Incident[],
  ): IncidentMessage => {
    const isOver = listed.every(({ closed }) => closed !== undefined)
    const closedAt = isOver ? (message.closedAt ?? now.at) : undefined
    const isChanged = content !== message.content
    if (!isChanged && closedAt?.getTime() === message.closedAt?.getTime()) return message
    const written = { ...message, content, closedAt, version: message.version + (isChanged ? 1 : 0) }
    messages.set(message.id, written)
    return written
  }
  return {
    findIncident: (id: string): Incident | undefined => incidents.get(id),
    setIncident: (incident: Incident): void => void incidents.set(incident.id, incident),
    findLine: (channelId: string, incidentId: string): Line | undefined =>
      lines.get(lineKey({ channelId, incidentId })),
    listLines: (channelId: string): Line[] => getLines(keysByChannel.get(channelId)),
    listAllLines: (): Line[] => [...lines.values()],
    setLine(line: Line): void {
      const key = lineKey(line)
      const previous = lines.get(key)
      if (previous?.cardId !== line.cardId) {
        if (previous?.cardId !== undefined) keysByCard.get(previous.cardId)?.delete(key)
        addTo(keysByCard, line.cardId, key)
      }
      if (!previous) addTo(keysByChannel, line.channelId, key)
      lines.set(key, line)
      deletedLines.delete(key)
    },
    deleteLine(line: Line): void {
      const key = lineKey(line)
      lines.delete(key)
      keysByChannel.get(line.channelId)?.delete(key)
      if (line.cardId !== undefined) keysByCard.get(line.cardId)?.delete(key)
      if (before.lines.has(key)) deletedLines.set(key, line)
    },
    findMessage: (id: string): IncidentMessage | undefined => messages.get(id),
    listPages: (): IncidentMessage[] => [...messages.values()].filter(({ kind }) => kind === 'page'),
    listCardsWithNextPage: (): IncidentMessage[] => [...messages.values()].filter(({ nextPage }) => nextPage),
    findLatestCard,
    setMessage: (message: IncidentMessage): void => void messages.set(message.id, message),
    deleteMessage: (id: string): void => void messages.delete(id),
    createMessage(
      kind: IncidentMessage['kind'],
      channelId: string,
      { reason, page }: { reason?: PostReason; page?: PageContent },
    ): IncidentMessage {
      const message: IncidentMessage = {
        id: newId(),
        channelId,
        kind,
        reason,
        page,
        ...now,
        version: 0,
        shownVersion: 0,
        content: '',
        moved: {},
        unwatchedCount: 0,
      }
      messages.set(message.id, message)
      if (kind === 'card') latestCards.set(channelId, message.id)
      return message
    },
    /** Gives every message whose content has changed a new version, and lines the first version that lists them. */
    *writeContents(context: Surroundings): Slices<void> {
      const channels = new Map(state.channels.map((channel) => [channel.channelId, channel]))
      for (const message of [...messages.values()]) {
        const cardLines = message.kind === 'card' ? getLines(keysByCard.get(message.id)) : []
        const isUnsent = !message.attempted && message.shownVersion === 0
        if (message.kind === 'card' && isUnsent && cardLines.length === 0) {
          messages.delete(message.id)
          continue
        }
        const ids = message.page?.incidentIds ?? cardLines.map(({ incidentId }) => incidentId)
        // In the same order each time: rows are read in another order than they were decided in.
        const listed = ids.toSorted().flatMap((id) => incidents.get(id) ?? [])
        const channel = channels.get(message.page?.originId ?? message.channelId)
        const isSilenced = (incident: Incident): boolean =>
          channel ? context.isSilenced(channel, incident) : false
        const content = yield* formatContent(message, listed, isSilenced, context.unseen)
        const written = setContent(message, content, listed)
        yield* eachInSlices(cardLines, (line) => {
          if (line.cardVersion === undefined)
            lines.set(lineKey(line), { ...line, cardVersion: written.version })
        })
      }
    },
    listChanges: (): DecisionChanges => ({
      incidents: [...incidents.values()].filter(
        (incident) => !isSame(incident.paged, before.incidents.get(incident.id)?.paged),
      ),
      lines: [...lines].flatMap(([key, line]) => (isSame(line, before.lines.get(key)) ? [] : [line])),
      deletedLines: [...deletedLines.values()],
      messages: [...messages.values()].flatMap((message) =>
        isSame(message, before.messages.get(message.id))
          ? []
          : [{ ...message, isNew: !before.messages.has(message.id) }],
      ),
      deletedMessageIds: [...before.messages.keys()].filter((id) => !messages.has(id)),
    }),
  }
}

/** A row may have been changed and changed back. */
const isSame = (value: object, before: object | undefined): boolean =>
  value === before || (before !== undefined && isDeepStrictEqual(value, before))
