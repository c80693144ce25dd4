import type { Reach } from '../environment-state.ts'
import type { IncidentMessage, PageContent } from '../incident.ts'
import { uncountPage } from './count-page.ts'
import type { Paging } from './paging.ts'
import { reachKey, responderId } from './responders.ts'
import { findLongestWait, type WaitingLine } from './waiting-lines.ts'

/** A page that wasn't sent yet follows the truth: who should still be paged, about what still needs someone. */
export function revisePendingPages(paging: Paging): void {
  for (const message of paging.context.drafts.listPages()) {
    const { page, attempted, shownVersion } = message
    if (page && !attempted && shownVersion === 0) revisePage(paging, message, page)
  }
}

function revisePage(paging: Paging, message: IncidentMessage, page: PageContent): void {
  const { drafts, state } = paging.context
  const isHeard = !state.reach || isStillHeard(state.reach, message.channelId, page)
  const due = isHeard ? listStillDue(paging, page) : []
  const dueIds = new Set(due.map(({ incident }) => incident.id))
  for (const id of page.incidentIds) if (!dueIds.has(id)) uncountPage(paging.context, id, page.counted)
  if (due.length === 0) drafts.deleteMessage(message.id)
  else if (dueIds.size < page.incidentIds.length)
    drafts.setMessage({
      ...message,
      page: {
        ...page,
        incidentIds: page.incidentIds.filter((id) => dueIds.has(id)),
        // Whoever waited longest may be what has left.
        since: findLongestWait(due),
      },
    })
}

/** What the page would still be about. Empty if nobody would be paged now. */
function listStillDue({ down, responders, steps }: Paging, page: PageContent): readonly WaitingLine[] {
  const paged = responders.filter((responder) => page.steps.includes(responderId(responder)))
  if (paged.length < page.steps.length) return []
  const named = down.filter(
    (waiting) =>
      waiting.line.channelId === page.originId &&
      page.incidentIds.includes(waiting.line.incidentId) &&
      paged.every((responder) => steps.isNamed(waiting, responder, page)),
  )
  const isDue = named.some((waiting) => paged.some((responder) => steps.isDue(waiting, responder, page)))
  return isDue ? named : []
}

/** Whether those whom the page mentions can still be notified. Someone who wasn't looked up stays as they were. */
function isStillHeard(
  { hears, admins }: Reach,
  channelId: string,
  { originId, steps, mentions }: PageContent,
): boolean {
  const hasReached = (id: string): boolean | undefined => hears.get(reachKey(originId, id))
  const isMentioned = (id: string): boolean => mentions.some((mention) => mention.id === id)
  return (
    steps.every((id) => hasReached(id) !== true || isMentioned(id)) &&
    mentions.every(({ id }) =>
      channelId === originId
        ? hasReached(id) !== false
        : admins.some((admin) => admin.userId === id && admin.channelId === channelId),
    )
  )
}
