import { DONE, repeatAfter, type WorkEnd } from '@signalman/durable'
import { HOUR_MS } from '@signalman/runtime'
import { type Message, mrkdwnSection } from '@signalman/slack'
import type { Reachability } from '../access/reachable.ts'
import type { Lease, PostDeps } from './post-once.ts'
import { type MessageToPost, postOrEdit } from './post-or-edit.ts'

export interface OwnerNoticeDeps extends PostDeps {
  readonly reachability: Pick<Reachability, 'explainPerson' | 'listReachable'>
}

/** A DM that somebody has to get: the owner, or else an admin. */
interface OwnerNotice extends Pick<MessageToPost, 'key' | 'target' | 'version' | 'content'> {
  /** Whom it is about. Undefined if nobody owns it, or they were erased: then an admin gets it. */
  readonly ownerId: string | undefined
  /** Called once someone got it. */
  readonly record: () => Promise<unknown>
}

/**
 * Sends a DM to an owner once. If they have left, can't use Signalman anymore, or Slack refuses the message, sends it to an admin
 * instead. Until someone got it, the returned end retries the work, every hour if there is nobody to notify. Throws LeaseLost.
 */
export async function notifyOwner(
  deps: OwnerNoticeDeps,
  leased: Lease,
  { ownerId, key, content, ...notice }: OwnerNotice,
): Promise<WorkEnd> {
  const { workspaceId } = notice.target
  const workspace = { workspaceId }
  const logFields = { workspace: workspaceId, message: key }
  const reason = ownerId === undefined ? undefined : await deps.reachability.explainPerson(workspace, ownerId)
  async function* listRecipients() {
    if (ownerId !== undefined && reason === undefined) yield ownerId
    for await (const admins of deps.reachability.listReachable(workspace, 'admin'))
      yield* admins.filter((userId) => userId !== ownerId)
  }
  for await (const to of listRecipients()) {
    const isOwner = to === ownerId
    const outcome = await postOrEdit(deps, leased, {
      ...notice,
      to,
      key: isOwner ? key : `${key} to ${to}`,
      content: isOwner ? content : forAdmin(content, ownerId, reason),
    })
    if (outcome.kind === 'shown') return DONE
    if (outcome.kind === 'pending' || outcome.kind === 'later') return outcome.end
    deps.log.warn(
      { ...logFields, err: outcome.error },
      "A person can't be notified. Trying an admin instead.",
    )
  }
  deps.log.warn(logFields, 'Neither the owner nor an admin can be notified. Signalman will retry.')
  return repeatAfter(HOUR_MS)
}

/** Says first why an admin gets a message that was meant for the owner. */
function forAdmin(content: Message, ownerId: string | undefined, reason: string | undefined): Message {
  const because =
    ownerId === undefined
      ? 'Nobody owns this anymore'
      : `<@${ownerId}>, who owns this, ${reason ?? 'can’t get direct messages from Signalman'}`
  const note = `${because}, so an admin gets this message.`
  return { ...content, text: `${content.text} ${note}`, blocks: [mrkdwnSection(note), ...content.blocks] }
}
