import type { Message } from '../../blocks/message.ts'
import type { Messenger } from '../../slack/answers/messenger.ts'
import type { FindHolders } from '../../slack/rights/holders.ts'
import type { Settings } from '../../store/settings.ts'
import { type NameOf, namesIn } from './names-in.ts'
import type { Ledger, Order } from './order.ts'
import { ORDER_POLICY, type OrderPolicy } from './policy.ts'
import { alertView, cardView, noticeView } from './views/messages.ts'

/** Tells people of an order's steps. Never rejects: what could not be told is told later, by any process. */
export interface Herald {
  tell(order: Pick<Order, 'id'>): Promise<void>
  /** The same without waiting: whoever took the step sees what came of it first. */
  soon(order: Pick<Order, 'id'>): void
  /** Waits for what was begun. */
  drained(): Promise<void>
}

export interface HeraldParts {
  ledger: Ledger
  settings: Pick<Settings, 'get'>
  messenger: Messenger
  findHolders: FindHolders
  nameOf: NameOf
  now: () => Date
  /** Told of what went wrong, for the log. */
  report: (error: unknown, words: string) => void
}

/** Longer than all messages about one step take. */
const TELLS_WITHIN_MS = 60_000
const FIRST_PAUSE_MS = 10_000
const LONGEST_PAUSE_MS = 3_600_000
/** Some two days, then it is left at what App Home and the list show. */
const MOST_ATTEMPTS = 50
const MOST_ROUNDS = 10

/** What Slack answers when a message or a conversation is not there to be written to: trying again mends nothing. */
const GONE =
  /not_in_channel|channel_not_found|is_archived|message_not_found|cant_update_message|user_not_found|cannot_dm_bot|restricted_action|user_disabled/

const isGone = (error: unknown): boolean => error instanceof Error && GONE.test(error.message)

export function createHerald(parts: HeraldParts): Herald {
  const { ledger, settings, messenger, findHolders, nameOf, now, report } = parts

  /** One process tells at a time; of steps that come meanwhile, it tells too. */
  async function tell(order: Pick<Order, 'id'>): Promise<void> {
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const at = now()
      const claimed = await ledger.claimTelling(order, at, new Date(at.getTime() + TELLS_WITHIN_MS))
      if (!claimed) return
      try {
        await announce(claimed)
      } catch (error) {
        report(error, 'People could not be told of an order; it is tried again.')
        return putOff(claimed)
      }
      if (!(await ledger.told(claimed))) return
    }
  }

  async function putOff(order: Order): Promise<void> {
    const failures = await ledger.tellLater(order, (failures) => {
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS)
      return new Date(now().getTime() + pauseMs)
    })
    if (failures >= MOST_ATTEMPTS) await ledger.told(order)
  }

  async function announce(order: Order): Promise<void> {
    const policy = await settings.get(order.workspaceId, ORDER_POLICY)
    const kind = (await ledger.events(order)).at(-1)?.kind ?? ''
    const people = await namesIn(order, nameOf)
    const isOpen = order.state === 'awaiting' || order.state === 'unknown'
    const approvers = isOpen ? await approversOf(order, policy) : []
    const card = cardView(order, { policy, people })
    const isNew = order.cards.length === 0 && (isOpen || policy.channelId !== undefined)
    if (isNew) await ledger.keepCards(order, await spread(order, policy, approvers, card))
    else await redraw(order, card)
    const isAlert = kind === 'remind' || order.state === 'unknown'
    if (isAlert && !isNew) await spread(order, policy, approvers, alertView(order))
    if (order.state === 'submitting' || kind === 'remind') return
    const notice = noticeView(order, { policy, people, isLonely: isOpen && approvers.length === 0 })
    await messenger.direct(order, order.environment, order.requesterId, notice).catch(passGone)
  }

  function passGone(error: unknown): void {
    if (!isGone(error)) throw error
    report(error, 'Somebody could not be told of an order, and will not be.')
  }

  async function approversOf(order: Order, { direct }: OrderPolicy): Promise<string[]> {
    const holders = await findHolders(order, 'approver').catch((error: unknown) => {
      report(error, 'Slack cannot be asked who approves orders.')
      return []
    })
    return holders.filter((id) => direct || id !== order.requesterId)
  }

  /** Into the approvals channel; where there is none or it is closed to the app, to each who can approve. */
  async function spread(
    order: Order,
    { channelId }: OrderPolicy,
    approvers: readonly string[],
    message: Message,
  ): Promise<Order['cards']> {
    if (channelId !== undefined) {
      try {
        return [await messenger.post(order, order.environment, channelId, message)]
      } catch (error) {
        if (!isGone(error)) throw error
        report(error, 'The approvals channel is closed to the app; writing to the approvers directly.')
      }
    }
    const posted: Order['cards'][number][] = []
    for (const userId of approvers) {
      const card = await messenger.direct(order, order.environment, userId, message).catch(passGone)
      if (card) posted.push(card)
    }
    return posted
  }

  async function redraw(order: Order, card: Message): Promise<void> {
    for (const at of order.cards) {
      await messenger.edit(order, order.environment, at, card).catch(passGone)
    }
  }

  const running = new Set<Promise<void>>()
  const safely = (order: Pick<Order, 'id'>): Promise<void> =>
    tell(order).catch((error: unknown) => report(error, 'Telling of an order failed; it is tried again.'))

  return {
    tell: safely,
    soon(order) {
      const telling = safely(order).finally(() => running.delete(telling))
      running.add(telling)
    },
    async drained() {
      await Promise.all(running)
    },
  }
}
