import type { Reachability } from '../../../bot/access/reachable.ts'
import { explainResponder } from '../reachable.ts'
import type { PendingPost } from '../rows/outbox.ts'
import { formatResponders } from '../rules/decide-channel.ts'
import type { FoundMention } from '../rules/shown-post.ts'
import type { Responder } from '../rules/watch.ts'

/** Whom a page mentions: the responders whom Slack can notify in the channel, or else the owners of the watches, or else an admin. */
export async function findMentions(
  reachability: Reachability,
  { target, post: { responders = [] }, watches }: PendingPost,
): Promise<FoundMention[]> {
  if (responders.length === 0) return []
  const canNotify = async (responder: Responder): Promise<boolean> =>
    (await explainResponder(reachability, target, responder)) === undefined
  const heard: FoundMention[] = []
  for (const responder of responders) if (await canNotify(responder)) heard.push({ mention: responder })
  if (heard.length > 0) return heard
  const insteadOf = formatResponders(responders)
  const owners = new Set(watches.flatMap(({ page, ownerId }) => (page ? [ownerId] : [])))
  for (const id of owners)
    if (await canNotify({ id, name: id })) return [{ mention: { id, name: id }, insteadOf }]
  const id = await reachability.findAdmin(target)
  return id === undefined ? [] : [{ mention: { id, name: id }, insteadOf, adminId: id }]
}
