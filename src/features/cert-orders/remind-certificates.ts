import {
  DONE,
  isDecrypted,
  type LeasedWork,
  type Settings,
  type WorkEnd,
  type WorkKind,
} from '@signalman/durable'
import { commandButton, type Message } from '@signalman/slack'
import type { FindHolders } from '../../bot/access/holders.ts'
import { type MessageOutcome, ownWords, type PostDeps, postOrEdit } from '../../bot/posts/post-or-edit.ts'
import type { FindRequester } from './judge-order.ts'
import { CERTIFICATE_WORK, type Certificates } from './rows/certificates.ts'
import type { StoredOrders } from './rows/orders.ts'
import { type Certificate, toReminded } from './rules/certificate/certificate.ts'
import { mayBeIssuedFor } from './rules/certificate/match.ts'
import { findDueReminder, findNextReminder } from './rules/certificate/reminders.ts'
import { listCertificateNames } from './rules/host-names.ts'
import type { Order } from './rules/order.ts'
import { RECEIVED_OR_OPEN_STATES } from './rules/order-states.ts'
import { ORDER_POLICY } from './rules/policy.ts'
import { reminderView } from './views/certificates.ts'

export interface ReminderDeps {
  posting: PostDeps
  orders: StoredOrders
  certificates: Certificates
  settings: Pick<Settings, 'get'>
  findHolders: FindHolders
  findRequester: FindRequester
}

const MAX_DIRECT_MESSAGES = 20
const MAX_PAUSE_MS = 86_400_000

/**
 * Reminds people before a certificate ends: its owner first, from the second reminder on also the approvers. If Slack refuses the
 * owner's message, the approvers get the first one too. Each reminder once.
 */
export function createReminderWork(deps: ReminderDeps): WorkKind {
  const { certificates, orders } = deps

  async function run(leased: LeasedWork): Promise<WorkEnd> {
    const certificate = await certificates.get(leased.work.key ?? '')
    if (!certificate) return DONE
    const now = await orders.readTime()
    const due = findDueReminder(toReminded(certificate), now)
    if (!due) return waitForNext(certificate, now)
    const message = reminderView(certificate, await findRenewal(deps, certificate))
    const end = await sendReminder(deps, leased, certificate, due, message)
    if (end) return end
    // Read again, because each recipient was stored.
    const latest = (await certificates.get(certificate.id)) ?? certificate
    const content = { ...latest.content, reminded: due.days, sentTo: [] }
    if (!(await certificates.update({ ...latest, content }))) return { state: 'waiting', dueInMs: 0 }
    return waitForNext({ ...latest, content }, now)
  }

  return { kind: CERTIFICATE_WORK, lane: 'send', maxAttempts: Number.MAX_SAFE_INTEGER, run }
}

function waitForNext(certificate: Certificate, now: Date): WorkEnd {
  const next = findNextReminder(toReminded(certificate))
  // One that is overdue for too long isn't sent anymore.
  if (!next || next <= now) return DONE
  return { state: 'waiting', dueInMs: Math.min(next.getTime() - now.getTime(), MAX_PAUSE_MS) }
}

/** Sends a reminder to everyone who hasn't got it yet. Returns when to try again if Slack didn't accept all of them. */
async function sendReminder(
  deps: ReminderDeps,
  leased: LeasedWork,
  certificate: Certificate,
  { days, isFirst }: { days: number; isFirst: boolean },
  message: Message,
): Promise<WorkEnd | undefined> {
  const { workspaceId, enterpriseId, environment, ownerId, id } = certificate
  const where = { workspaceId, enterpriseId }
  const { hasLeft } = await deps.findRequester(where, ownerId)
  let sentTo = certificate.content.sentTo ?? []
  const send = async (recipient: string): Promise<MessageOutcome | undefined> => {
    if (sentTo.includes(recipient)) return undefined
    const isChannel = recipient.startsWith(CHANNEL)
    return postOrEdit(deps.posting, leased, {
      key: `certificate ${id} ${days} to ${recipient}`,
      target: { ...where, environment, channelId: isChannel ? recipient.slice(CHANNEL.length) : '' },
      to: isChannel ? undefined : recipient,
      version: days,
      content: message,
      ownWords: ownWords(
        'A certificate ends soon. Slack refused the message that names it.',
        commandButton('Certificates by expiry', `/cert-order list --expiring --env ${environment}`),
      ),
      record: async () => {
        sentTo = [...sentTo, recipient]
        const latest = await deps.certificates.get(id)
        if (latest) await deps.certificates.update({ ...latest, content: { ...latest.content, sentTo } })
      },
    })
  }
  const outcome = hasLeft ? undefined : await send(ownerId)
  if (outcome && isRetried(outcome)) return outcome.end
  // Without an outcome, the owner got it before this was interrupted.
  const isReached = !hasLeft && (outcome === undefined || outcome.kind === 'shown')
  return isFirst && isReached ? undefined : remindApprovers(deps, certificate, ownerId, send)
}

/** In a recipient's name, marks a channel. */
const CHANNEL = 'channel '

/** Reminds in the approvals channel, or each approver if there is none or Slack refuses it. */
async function remindApprovers(
  { settings, findHolders }: ReminderDeps,
  { workspaceId, enterpriseId }: Certificate,
  ownerId: string,
  send: (recipient: string) => Promise<MessageOutcome | undefined>,
): Promise<WorkEnd | undefined> {
  const { channelId } = await settings.get(workspaceId, ORDER_POLICY)
  if (channelId !== undefined) {
    const outcome = await send(CHANNEL + channelId)
    if (!outcome || outcome.kind === 'shown') return undefined
    if (isRetried(outcome)) return outcome.end
  }
  const holders = await findHolders({ workspaceId, enterpriseId }, 'approver')
  for (const holder of holders.filter((userId) => userId !== ownerId).slice(0, MAX_DIRECT_MESSAGES)) {
    const outcome = await send(holder)
    if (outcome && isRetried(outcome)) return outcome.end
  }
  return undefined
}

const isRetried = (outcome: MessageOutcome): outcome is Extract<MessageOutcome, { end: WorkEnd }> =>
  outcome.kind === 'pending' || (outcome.kind === 'later' && outcome.reason !== 'uninstalled')

const MAX_SEARCHED = 20

/** `renewal`: the order found. `mayBeOther`: whether orders that weren't read may be one, so that none found means nothing. */
export interface FoundRenewal {
  renewal: Order | undefined
  mayBeOther: boolean
}

export interface RenewalDeps {
  orders: Pick<StoredOrders, 'findTouched' | 'listWithUndecryptable'>
  certificates: Pick<Certificates, 'listForOrders'>
}

/**
 * The newest open or received order for all of the certificate's names that was requested after it was issued, and whose own
 * certificate isn't recorded yet. The order that it may itself be for isn't its renewal.
 */
export async function findRenewal(
  { orders, certificates }: RenewalDeps,
  certificate: Certificate,
): Promise<FoundRenewal> {
  const { workspaceId, environment, orderId, content } = certificate
  const touched = await orders.findTouched(workspaceId, environment, content.names)
  const ids = [...touched].filter((id) => id !== orderId)
  if (ids.length === 0) return { renewal: undefined, mayBeOther: false }
  const where = { workspaceId, environment, states: RECEIVED_OR_OPEN_STATES, limit: MAX_SEARCHED }
  const found = (await orders.listWithUndecryptable({ ...where, ids })).filter(
    ({ createdAt }) => createdAt.toISOString() > content.notBefore,
  )
  const readable = found.filter(isDecrypted)
  const recorded = await certificates.listForOrders(readable.map(({ id }) => id))
  const finished = new Set(recorded.map((other) => other.orderId))
  const renewal = readable.find((order) => {
    const names = listCertificateNames(order.content.csr).map(({ text }) => text)
    const isWaiting = !finished.has(order.id) && !mayBeOwnOrder(certificate, order)
    return isWaiting && content.names.every((name) => names.includes(name))
  })
  return { renewal, mayBeOther: readable.length < found.length || found.length === MAX_SEARCHED }
}

/** Whether an unattached certificate may have been issued for this order. */
const mayBeOwnOrder = ({ orderId, keyHash, content }: Certificate, order: Order): boolean => {
  const { submission } = order.content
  const isForKey = orderId === undefined && keyHash === order.keyHash
  return isForKey && submission !== undefined && mayBeIssuedFor(content.notBefore, new Date(submission.at))
}
