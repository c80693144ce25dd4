import type { Store } from '../../../../src/app/store.ts'
import type { EscalationStep } from '../../../../src/features/watching/escalation/rules.ts'
import type { Called } from './counterparts.ts'
import type { Reference } from './reference.ts'

const MINUTE_MS = 60_000

/** A user group, and later a person. */
export const STEPS: readonly EscalationStep[] = [
  { afterMs: 5 * MINUTE_MS, call: [{ name: '@oncall', id: 'S1', isGroup: true }] },
  { afterMs: 10 * MINUTE_MS, call: [{ name: '@ann', id: 'U1' }] },
]
export const WHO = ['<!subteam^S1>', '<@U1>'] as const
/** Polls after which both were called, whatever comes between. */
export const CALLED_AFTER = 14

/** Who was called about what, and when nobody may be. */
export function createCalls(parts: {
  cards: Store['watching']['cards']
  reference: Reference
  names: ReadonlyMap<string, string>
  /** Whether checks have not been seen for so long that channels were told. */
  isBlind: () => boolean
  onFault: (fault: unknown) => void
}) {
  const { cards, reference, names, isBlind, onFault } = parts
  /** `channel who` → the outages about which they were called. */
  const about = new Map<string, Set<string>>()
  /** `card who`: a card calls once for all that it tells. */
  const onCards = new Set<string>()
  /** `channel outage` of what somebody is on. */
  const taken = new Set<string>()

  async function downOn(cardId: string): Promise<string[]> {
    const found = await cards.find('T1', cardId)
    return (found?.outages ?? []).filter(({ endedAt }) => !endedAt).map(({ id }) => names.get(id) ?? '?')
  }

  return {
    about: (channel: string, who: string): ReadonlySet<string> => about.get(`${channel} ${who}`) ?? new Set(),
    isCalledOn: (cardId: string, who: string): boolean => onCards.has(`${cardId} ${who}`),
    isTaken: (channel: string, outage: string): boolean => taken.has(`${channel} ${outage}`),
    /** Somebody says that they are on it. */
    async acknowledge(channel: string, cardId: string, now: Date): Promise<void> {
      const down = await downOn(cardId)
      const came = await cards.acknowledge('T1', cardId, { userId: 'U1', name: 'Ann', now })
      if (came === 'acknowledged') for (const outage of down) taken.add(`${channel} ${outage}`)
    },
    /** Somebody was called in the thread of a card. */
    async called({ channelId, cardId, who }: Called): Promise<void> {
      const down = await downOn(cardId)
      const fault = (what: string): void =>
        onFault(`${who} is called in ${channelId} about ${down}: ${what}.`)
      const before = about.get(`${channelId} ${who}`) ?? new Set<string>()
      if (down.length === 0) fault('it is up')
      if (down.every((name) => before.has(name))) fault('a second time')
      if (down.every((name) => taken.has(`${channelId} ${name}`))) fault('somebody is on it')
      if (down.every((name) => reference.isMuted(channelId, name.split(' ')[0] ?? '')))
        fault('it is silenced')
      if (isBlind()) fault('it cannot be seen')
      onCards.add(`${cardId} ${who}`)
      about.set(`${channelId} ${who}`, new Set([...before, ...down]))
    },
  }
}
