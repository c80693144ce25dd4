import { DONE, type LeasedWork, LeaseLost, type WorkEnd, type WorkKind } from '@signalman/durable'
import type { Message } from '@signalman/slack'
import type { FindHolders } from '../../bot/access/holders.ts'
import { ownWords, type PostDeps, postOrEdit } from '../../bot/posts/post-or-edit.ts'
import { cmd } from '../../domain/command-names.ts'
import { type DetailDeps, readOrderDetails } from './read-details.ts'
import { ORDER_WORK } from './rows/order-writer.ts'
import type { StoredOrders } from './rows/orders.ts'
import type { Order, OrderCards } from './rules/order.ts'
import { ORDER_SETTINGS } from './rules/settings.ts'
import { alertView, cardView, noticeView, stepView } from './views/messages.ts'

export interface NotifierDeps extends DetailDeps {
  posting: PostDeps
  orders: StoredOrders
  findHolders: FindHolders
  /** Redraws App Home for everyone in the workspace who has it open. Never rejects. */
  redrawHomes: (workspaceId: string) => Promise<void>
}

/** The most approvers who get direct messages if the channel can't be used. */
const MAX_DIRECT_MESSAGES = 20

/** Notifies people about an order's newest step. A step taken during the run is handled by the next run. */
export function createOrderNotifier(deps: NotifierDeps): WorkKind {
  const { orders, settings, findHolders, posting, redrawHomes } = deps

  async function run(leased: LeasedWork): Promise<WorkEnd> {
    const order = await orders.get(leased.work.key ?? '')
    if (!order) return DONE
    const { state, version, requesterId, workspaceId, content } = order
    const details = await readOrderDetails(deps, order)
    const outbox = createOutbox(deps, leased, order)
    const { channelId } = await settings.get(workspaceId, ORDER_SETTINGS)
    const isUndecided = state === 'awaiting' || state === 'unknown'
    const approvers = isUndecided ? await findHolders(order, 'approver') : []
    const recipients = { channelId, approvers: approvers.filter((id) => id !== requesterId) }

    const card = cardView(order, details)
    const known = outbox.listKeys('card ')
    for (const key of [...known, ...(await outbox.listPending('card '))]) await outbox.show(key, card)
    if (isUndecided && !known.some((key) => key.startsWith('card in ')))
      await tellApprovers(outbox, 'card', card, recipients)
    const kinds = (await orders.listEvents(order)).slice(0, version).map(({ kind }) => kind)
    const isCorrected = content.outcome?.kind !== 'unknown' && content.outcome?.corrects !== undefined
    if (known.length > 0 && (kinds.at(-1) === 'remind' || state === 'unknown' || isCorrected))
      await tellApprovers(outbox, `alert ${version}`, alertView(order, details), recipients)

    // While the order is being sent, the requester isn't notified, because the outcome follows.
    if (state !== 'submitting') {
      const step = kinds.findLastIndex((kind) => kind !== 'remind') + 1
      const shown = await outbox.show('mine', noticeView(order, details), requesterId)
      if (typeof shown === 'object' && (shown.version ?? 0) < step)
        await outbox.show(`step ${step}`, stepView(order, details), shown)
    }
    // Not awaited, because a failure here must not send the messages again.
    void redrawHomes(workspaceId)
    return outbox.finish()
  }

  // Retries even if Slack is unavailable for a day.
  return { kind: ORDER_WORK.notice, lane: 'send', maxAttempts: Number.MAX_SAFE_INTEGER, run }

  /** The messages about one order. Each is stored before the next is sent, so that a retry sends only the missing ones. */
  function createOutbox({ orders: { storeCards } }: NotifierDeps, leased: LeasedWork, order: Order) {
    const { id, number, version, workspaceId, enterpriseId, environment } = order
    const lease = { workId: leased.work.id, owner: leased.owner }
    const prefix = `order ${id} `
    const retries: WorkEnd[] = []
    let cards: OrderCards = order.cards
    const refusedText = ownWords(
      `Certificate order ${number} has news. Slack refused the message about it. To see it, use ${cmd('/cert-order show')} ${number}.`,
    )
    async function store(changed: OrderCards): Promise<void> {
      if (!(await storeCards(order, changed, lease))) throw new LeaseLost()
      cards = changed
    }

    /**
     * Posts the message, or edits it if it was posted before; one about a step, such as an alert, isn't edited. `where`: a person, or the
     * message in whose thread it is posted; by default, what the key says: `card in C1`, `card to U1`.
     */
    async function show(
      key: string,
      content: Message,
      where: string | { channelId: string; ts: string } = key.split(' ').at(-1) ?? '',
    ): Promise<OrderCards[number] | 'refused' | 'failed'> {
      const existing = cards.find((card) => card.key === key)
      const isEdited = key === 'mine' || key.startsWith('card ')
      if (existing && !isEdited) return existing
      const isChannel = key.includes(' in ')
      const target = { workspaceId, enterpriseId, environment }
      const outcome = await postOrEdit(posting, leased, {
        key: prefix + key,
        target:
          typeof where === 'object'
            ? { ...target, channelId: where.channelId, threadTs: where.ts }
            : { ...target, channelId: existing?.channelId ?? (isChannel ? where : '') },
        to: typeof where === 'string' && !isChannel ? where : undefined,
        // Slack may not give details of a direct message's channel, so its thread is tried without checking.
        triesClosedChannel: typeof where === 'object',
        existing,
        version,
        content,
        ownWords: refusedText,
        record: ({ channelId, ts }, shownVersion) =>
          store([...cards.filter((card) => card.key !== key), { key, channelId, ts, version: shownVersion }]),
        ...(isEdited && { onEdited: async () => undefined }),
      })
      if (outcome.kind === 'shown') return cards.find((card) => card.key === key) ?? 'failed'
      if (outcome.kind === 'pending' || (outcome.kind === 'later' && outcome.reason !== 'uninstalled')) {
        retries.push(outcome.end)
        return 'failed'
      }
      if (outcome.kind === 'gone' && existing) {
        await store(cards.filter((card) => card !== existing))
        return show(key, content, where)
      }
      if (outcome.error) posting.reportError(outcome.error, 'Could not notify someone about an order.')
      return 'refused'
    }

    return {
      show,
      listKeys: (start: string): string[] =>
        cards.map(({ key }) => key).filter((key) => key.startsWith(start)),
      /** The keys of messages whose posting was never confirmed. */
      listPending: async (start: string): Promise<string[]> =>
        (await posting.posts.listPending(workspaceId, prefix + start)).map((key) => key.slice(prefix.length)),
      finish: (): WorkEnd => retries[0] ?? DONE,
    }
  }
}

/** Posts in the approvals channel. If there is none, or Slack refuses it, sends each approver a direct message. */
async function tellApprovers(
  { show }: { show: (key: string, content: Message) => Promise<unknown> },
  key: string,
  message: Message,
  { channelId, approvers }: { channelId: string | undefined; approvers: readonly string[] },
): Promise<void> {
  // A temporary failure is retried there, instead of messaging everyone.
  if (channelId !== undefined && (await show(`${key} in ${channelId}`, message)) !== 'refused') return
  for (const to of approvers.slice(0, MAX_DIRECT_MESSAGES)) await show(`${key} to ${to}`, message)
}
