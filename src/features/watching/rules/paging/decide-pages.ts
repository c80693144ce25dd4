import type { DecisionContext } from '../drafts.ts'
import type { Slices } from '../slices.ts'
import { createPages } from './new-pages.ts'
import { showNextPages } from './next-pages.ts'
import { PageSteps } from './page-steps.ts'
import type { Paging } from './paging.ts'
import { revisePendingPages } from './pending-pages.ts'
import { type DuePage, listOwners, listResponders, responderId } from './responders.ts'
import { listWaiting } from './waiting-lines.ts'

/** Decides who is paged, once for all channels of the environment. Returns whom to look up first. */
export function* decidePages(context: DecisionContext): Slices<readonly DuePage[]> {
  const { reach, channels } = context.state
  const waiting = listWaiting(context)
  yield
  const paging: Paging = {
    context,
    channels: new Map(channels.map((channel) => [channel.channelId, channel])),
    responders: listResponders(channels),
    down: waiting.filter(({ incident }) => incident.isDown),
    steps: new PageSteps(context),
  }
  revisePendingPages(paging)
  showNextPages(paging)
  return reach ? createPages(paging, reach) : listDue(paging)
}

/** Who may be due a page. Whom a page mentions that wasn't sent yet is looked up again. */
function listDue({ context, channels, responders, down, steps }: Paging): DuePage[] {
  const unsent = context.drafts
    .listPages()
    .flatMap(({ page, attempted, shownVersion }) => (page && !attempted && shownVersion === 0 ? [page] : []))
  return responders.flatMap((responder) => {
    const due = down.filter((waiting) => steps.isDue(waiting, responder))
    const mentioning = unsent.filter((page) => page.steps.includes(responderId(responder)))
    const channelIds = [
      ...due.map(({ channel }) => channel.channelId),
      ...mentioning.map(({ originId }) => originId),
    ]
    return [...new Set(channelIds)].map((channelId) => ({
      channelId,
      responder,
      ownerIds: listOwners(channels.get(channelId), responder),
    }))
  })
}
