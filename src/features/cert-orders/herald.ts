import type { Message } from '../../blocks/message.ts'
import type { FindHolders } from '../../slack/rights/holders.ts'
import type { Settings } from '../../store/settings.ts'
import { type NameOf, namesIn } from './names-in.ts'
import type { Order } from './order.ts'
import { ORDER_POLICY, type OrderPolicy } from './policy.ts'
import { isCard, LeaseLost, type Round, type RoundParts, startRound, TELLS_WITHIN_MS } from './round.ts'
import { alertView, cardView, noticeView } from './views/messages.ts'

/** Tells people of an order's steps. Never rejects: what could not be told is told later, by any process. */
export interface Herald {
  tell(order: Pick<Order, 'id'>): Promise<void>
  /** The same without waiting: whoever took the step sees what came of it first. */
  soon(order: Pick<Order, 'id'>): void
  /** Waits for what was begun. */
  drained(): Promise<void>
}

export interface HeraldParts extends RoundParts {
  settings: Pick<Settings, 'get'>
  findHolders: FindHolders
  nameOf: NameOf
}

const FIRST_PAUSE_MS = 10_000
const LONGEST_PAUSE_MS = 3_600_000
/** Some two days, then it is left at what App Home and the list show. */
const MOST_ATTEMPTS = 50
const MOST_ROUNDS = 10

export function createHerald(parts: HeraldParts): Herald {
  const { ledger, settings, findHolders, nameOf, now, report } = parts

  /** One process tells at a time; of steps that come meanwhile, it tells too. */
  async function tell(order: Pick<Order, 'id'>): Promise<void> {
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const at = now()
      const until = new Date(at.getTime() + TELLS_WITHIN_MS)
      const claimed = await ledger.claimTelling(order, at, until)
      if (!claimed) return
      const round = startRound(parts, claimed, until)
      try {
        await announce(claimed, round)
        round.finish()
      } catch (error) {
        if (error instanceof LeaseLost) return
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

  async function announce(order: Order, round: Round): Promise<void> {
    const policy = await settings.get(order.workspaceId, ORDER_POLICY)
    const kind = (await ledger.events(order)).at(-1)?.kind ?? ''
    const people = await namesIn(order, nameOf)
    const isOpen = order.state === 'awaiting' || order.state === 'unknown'
    const approvers = isOpen ? await approversOf(order, policy) : []
    const card = cardView(order, { policy, people })
    await redraw(round, card)
    const due = dueOf(order, policy, kind)
    if (due.card) await spread(round, policy, approvers, card)
    if (due.alert) await spread(round, policy, approvers, alertView(order), `alert ${order.version}`)
    if (order.state === 'submitting' || kind === 'remind') return
    const notice = noticeView(order, { policy, people, isLonely: isOpen && approvers.length === 0 })
    await round.reach({ to: order.requesterId, about: `notice ${order.version}` }, notice)
  }

  async function approversOf(order: Order, { direct }: OrderPolicy): Promise<string[]> {
    const holders = await findHolders(order, 'approver').catch((error: unknown) => {
      report(error, 'Slack cannot be asked who approves orders.')
      return []
    })
    return holders.filter((id) => direct || id !== order.requesterId)
  }

  /** Into the approvals channel; where there is none or it is closed to the app or open to others, to each who can approve. */
  async function spread(
    round: Round,
    { channelId }: OrderPolicy,
    approvers: readonly string[],
    message: Message,
    about?: string,
  ): Promise<void> {
    if (round.cards().some((one) => one.about === about && one.to === undefined)) return
    const isBegun = round.cards().some((one) => one.about === about)
    if (channelId !== undefined && !isBegun) {
      const isIn = await round.reach({ channelId, about }, message)
      // What is passing is tried again there, and not said to everyone instead.
      if (isIn !== 'refused') return
    }
    for (const to of approvers) await round.reach({ to, about }, message)
  }

  async function redraw(round: Round, card: Message): Promise<void> {
    for (const at of round.cards().filter(isCard)) await round.edit(at, card)
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

/** What those who decide get beside the edited card: the card itself, where they have none; a word where they have one. */
function dueOf(
  { cards, state }: Order,
  { channelId }: OrderPolicy,
  kind: string,
): { card: boolean; alert: boolean } {
  const hasCard = cards.some(isCard)
  // One who was not reached before is, when it is tried again.
  const card = state === 'awaiting' || (!hasCard && (state === 'unknown' || channelId !== undefined))
  return { card, alert: hasCard && (kind === 'remind' || state === 'unknown') }
}
