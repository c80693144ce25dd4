import { DONE, type LeasedWork, repeatAfter, type WorkEnd } from '@signalman/durable'
import { HOUR_MS } from '@signalman/runtime'
import { type Message, mrkdwnSection, type Workspace } from '@signalman/slack'
import type { Reachability } from '../access/reachable.ts'
import { type MessageToPost, type PostDeps, postOrEdit } from './post-or-edit.ts'

export interface OwnerNoticeDeps extends PostDeps {
  readonly reachability: Pick<Reachability, 'explainPerson' | 'findAdmin'>
}

/** A DM that somebody has to get: the owner, or else an admin. */
interface OwnerNotice extends Pick<MessageToPost, 'key' | 'target' | 'version' | 'content' | 'ownWords'> {
  /** Whom it is about. Undefined if nobody owns it, or they were erased: then an admin gets it. */
  readonly ownerId: string | undefined
  /** Called once someone got it. */
  readonly record: () => Promise<unknown>
}

/** How many admins are tried in one run. */
const MAX_ADMINS = 5

/**
 * Sends a DM to an owner once. If they have left, can't use Signalman anymore, or Slack refuses the message, sends it to an admin
 * instead. Until someone got it, the returned end retries the work, every hour if there is nobody to notify. Throws LeaseLost.
 */
export async function notifyOwner(
  deps: OwnerNoticeDeps,
  leased: Pick<LeasedWork, 'work' | 'owner' | 'signal'>,
  { ownerId, key, content, ownWords, ...notice }: OwnerNotice,
): Promise<WorkEnd> {
  const { workspaceId, enterpriseId } = notice.target
  const workspace = { workspaceId, enterpriseId }
  const logFields = { workspace: workspaceId, message: key }
  const reason = ownerId === undefined ? undefined : await deps.reachability.explainPerson(workspace, ownerId)
  const isOwnerReachable = ownerId !== undefined && reason === undefined
  for await (const to of listRecipients(deps.reachability, workspace, { ownerId, isOwnerReachable })) {
    const isOwner = to === ownerId
    const outcome = await postOrEdit(deps, leased, {
      ...notice,
      to,
      key: isOwner ? key : `${key} to ${to}`,
      content: isOwner ? content : forAdmin(content, ownerId, reason),
      ownWords: () => (isOwner ? ownWords() : forAdmin(ownWords(), ownerId, reason)),
    })
    if (outcome.kind === 'shown') return DONE
    if (outcome.kind === 'pending' || outcome.kind === 'later') return outcome.end
    deps.reportError(outcome.error, "A person can't be notified. Trying an admin instead.", logFields)
  }
  deps.reportError(
    undefined,
    'Neither the owner nor an admin can be notified. Signalman will retry.',
    logFields,
  )
  return repeatAfter(HOUR_MS)
}

/** Yields the owner if they can be notified, and then the admins who can be. */
async function* listRecipients(
  { findAdmin }: OwnerNoticeDeps['reachability'],
  workspace: Workspace,
  { ownerId, isOwnerReachable }: { ownerId: string | undefined; isOwnerReachable: boolean },
): AsyncGenerator<string, void> {
  const tried = ownerId === undefined ? [] : [ownerId]
  if (ownerId !== undefined && isOwnerReachable) yield ownerId
  for (let count = 0; count < MAX_ADMINS; count += 1) {
    const admin = await findAdmin(workspace, tried)
    if (admin === undefined) return
    tried.push(admin)
    yield admin
  }
}

/** Says first why an admin gets a message that was meant for the owner. */
export function forAdmin(content: Message, ownerId: string | undefined, reason: string | undefined): Message {
  const because =
    ownerId === undefined
      ? 'Nobody owns this anymore'
      : `<@${ownerId}>, who owns this, ${reason ?? 'can’t get direct messages from Signalman'}`
  const note = `${because}, so an admin gets this message.`
  return { ...content, text: `${content.text} ${note}`, blocks: [mrkdwnSection(note), ...content.blocks] }
}
