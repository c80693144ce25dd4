import { MINUTE_MS } from '@signalman/runtime'
import type { Reach } from '../environment-state.ts'
import type { Responder } from '../escalation-steps.ts'
import type { Mention, PageContent } from '../incident.ts'
import { countPage } from './count-page.ts'
import type { Paging } from './paging.ts'
import { type DuePage, listOwners, reachKey, responderId } from './responders.ts'
import { findLongestWait, type WaitingLine } from './waiting-lines.ts'

/** If nobody can be reached, when to look again. */
const LOOK_AGAIN_MS = 5 * MINUTE_MS

/** Whom a page mentions, and in which channel. */
interface Recipient {
  /** How good a recipient is: the responder, the owner of the watch, and at last an admin. */
  readonly rank: number
  readonly originId: string
  readonly channelId: string
  readonly mention: Mention
}

/** A page for one responder, before those about the same incidents become one message. */
interface DraftedPage
  extends Pick<Recipient, 'channelId' | 'originId' | 'mention'>,
    Pick<PageContent, 'counted' | 'incidentIds' | 'since'> {
  readonly step: string
}

/** Writes the pages that are due. Returns whom to look up first. */
export function createPages(paging: Paging, reach: Reach): readonly DuePage[] {
  const { context, down, responders, steps } = paging
  const unknown: DuePage[] = []
  const drafted: DraftedPage[] = []
  for (const responder of responders) {
    const due = down.filter((waiting) => steps.isDue(waiting, responder))
    const origins = new Set(due.map(({ channel }) => channel.channelId))
    const found = [...origins].flatMap((originId) => findRecipient(paging, reach, originId, responder) ?? [])
    unknown.push(...found.filter((one) => 'responder' in one))
    const recipients = found.filter((one) => 'mention' in one)
    drafted.push(...draftPages(paging, responder, due, recipients))
  }
  // Nobody could be reached: looks again later.
  if (responders.some((responder) => down.some((waiting) => steps.isDue(waiting, responder))))
    context.wakeIn(LOOK_AGAIN_MS)
  // One message for everyone who is paged about the same incidents in the same place.
  const groupKey = ({ channelId, originId, incidentIds }: DraftedPage): string =>
    `${channelId} ${originId} ${incidentIds.join(' ')}`
  for (const together of Map.groupBy(drafted, groupKey).values()) postPage(paging, together)
  return unknown
}

/** Whom a page in this channel can mention. Undefined if nobody, and whom to look up first if that isn't known. */
function findRecipient(
  { channels }: Paging,
  { hears, admins }: Reach,
  originId: string,
  responder: Responder,
): Recipient | DuePage | undefined {
  const { name, isGroup } = responder
  const id = responderId(responder)
  const ownerIds = listOwners(channels.get(originId), responder)
  const hasReached = (someone: string): boolean | undefined => hears.get(reachKey(originId, someone))
  if (hasReached(id)) return { rank: 0, originId, channelId: originId, mention: { id, name, isGroup } }
  if ([id, ...ownerIds].some((someone) => hasReached(someone) === undefined))
    return { channelId: originId, responder, ownerIds }
  const owner = ownerIds.find(hasReached)
  if (owner !== undefined) {
    const mention = { id: owner, name: 'the owner of the watch', insteadOf: name }
    return { rank: 1, originId, channelId: originId, mention }
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

/** Drafts a responder's pages, one for each channel with an incident that no better recipient is paged about. */
function draftPages(
  { context, down, steps }: Paging,
  responder: Responder,
  due: readonly WaitingLine[],
  recipients: readonly Recipient[],
): DraftedPage[] {
  const handled = new Set<string>()
  const isHere = ({ channel, incident }: WaitingLine, { originId }: Recipient): boolean =>
    channel.channelId === originId && !handled.has(incident.id)
  return recipients
    .toSorted((left, right) => left.rank - right.rank || (left.originId < right.originId ? -1 : 1))
    .flatMap((recipient) => {
      if (!due.some((waiting) => isHere(waiting, recipient))) return []
      const named = down.filter((waiting) => isHere(waiting, recipient) && steps.isNamed(waiting, responder))
      const incidentIds = named.map(({ incident }) => incident.id)
      const counted = steps.members.listPeople(responder)
      for (const incidentId of incidentIds) {
        handled.add(incidentId)
        countPage(context, incidentId, counted)
      }
      const { channelId, originId, mention } = recipient
      const since = findLongestWait(named)
      return [{ channelId, originId, mention, step: responderId(responder), counted, incidentIds, since }]
    })
}

function postPage({ context }: Paging, together: readonly DraftedPage[]): void {
  const [first] = together
  if (!first) return
  const { channelId, originId, incidentIds, since } = first
  const mentions = mergeMentions(together.map(({ mention }) => mention))
  context.drafts.createMessage('page', channelId, {
    page: {
      originId,
      mentions,
      steps: together.map(({ step }) => step),
      counted: together.flatMap(({ counted }) => counted),
      incidentIds,
      since,
    },
  })
}

/** Mentions each person once, and names everyone whom they stand in for. */
const mergeMentions = (mentions: readonly Mention[]): Mention[] =>
  [...Map.groupBy(mentions, ({ id }) => id).values()].flatMap((same) => {
    const own = same.find(({ insteadOf }) => insteadOf === undefined) ?? same[0]
    const insteadOf = same.flatMap((mention) => mention.insteadOf ?? []).join(', ')
    return own ? [{ ...own, insteadOf: insteadOf || undefined }] : []
  })
