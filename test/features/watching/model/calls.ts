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
/** Who says to be on what is down. */
export const PEOPLE = [
  { userId: 'U1', name: 'Ann' },
  { userId: 'U2', name: 'Bea' },
  { userId: 'U3', name: 'Cid' },
] as const
const nameOf = (id: string | undefined): string | undefined =>
  PEOPLE.find(({ userId }) => userId === id)?.name

/** Somebody has said to be on it, or has taken it over. */
interface Taking {
  channel: string
  cardId: string
  by: string
  /** The person from whom it is taken over. */
  over: string | undefined
  /** What was down then. */
  outages: readonly string[]
  /** As cards, threads and reports have it. */
  said: { name: string; at: string; from: string | undefined }
}

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
  /** First to last. */
  const takings: Taking[] = []
  const isTaken = (channel: string, outage: string): boolean =>
    takings.some((one) => one.channel === channel && one.outages.includes(outage))

  async function downOn(cardId: string): Promise<string[]> {
    const found = await cards.find('T1', cardId)
    return (found?.outages ?? []).filter(({ endedAt }) => !endedAt).map(({ id }) => names.get(id) ?? '?')
  }

  /** Whoever it was taken over from is on none of it any more, on whichever card of the channel. */
  async function expectLeft(taking: Taking | undefined, onLeft: (what: string) => void): Promise<void> {
    if (taking?.over === undefined) return
    for (const { id, channelId } of await cards.open('T1', { limit: 100 })) {
      const down = channelId === taking.channel ? await downOn(id) : []
      const isAll = down.length > 0 && down.every((name) => taking.outages.includes(name))
      const found = await cards.find('T1', id)
      if (isAll && found?.card.acknowledged?.by === taking.over) onLeft(`${taking.over} is still on ${id}`)
    }
  }

  return {
    about: (channel: string, who: string): ReadonlySet<string> => about.get(`${channel} ${who}`) ?? new Set(),
    isCalledOn: (cardId: string, who: string): boolean => onCards.has(`${cardId} ${who}`),
    isTaken,
    takings: (channel: string): readonly Taking[] => takings.filter((one) => one.channel === channel),
    /** Somebody says that they are on it, by a button that takes it from nobody, or from the one that it names. */
    async acknowledge(
      cardId: string,
      { who = 0, over }: { who?: number; over?: string | undefined },
      now: Date,
    ) {
      const outages = await downOn(cardId)
      const before = (await cards.find('T1', cardId))?.card
      const { userId, name } = PEOPLE[who] ?? PEOPLE[0]
      const had = before?.acknowledged?.by
      const isWanted = !before?.closedAt && (had === undefined || (had === over && had !== userId))
      const came = await cards.acknowledge('T1', cardId, { userId, name, now, over })
      const fault = (what: string): void => onFault(`${name} on ${outages}, pressed over ${over}: ${what}.`)
      if ((came === 'acknowledged') !== isWanted) fault(`${JSON.stringify(came)}, where ${had} was on it`)
      if (came !== 'acknowledged') return
      const said = { name, at: now.toISOString(), from: nameOf(had) }
      takings.push({ channel: before?.channelId ?? '', cardId, by: userId, over: had, outages, said })
      const { acknowledged } = (await cards.find('T1', cardId))?.card ?? {}
      if (acknowledged?.by !== userId || acknowledged.from !== said.from)
        fault(`the card says ${JSON.stringify(acknowledged)}`)
      await expectLeft(takings.at(-1), fault)
    },
    /** Somebody was called in the thread of a card. */
    async called({ channelId, cardId, who }: Called): Promise<void> {
      const down = await downOn(cardId)
      const fault = (what: string): void =>
        onFault(`${who} is called in ${channelId} about ${down}: ${what}.`)
      const before = about.get(`${channelId} ${who}`) ?? new Set<string>()
      if (down.length === 0) fault('it is up')
      if (down.every((name) => before.has(name))) fault('a second time')
      if (down.every((name) => isTaken(channelId, name))) fault('somebody is on it')
      if (down.every((name) => reference.isMuted(channelId, name.split(' ')[0] ?? '')))
        fault('it is silenced')
      if (isBlind()) fault('it cannot be seen')
      onCards.add(`${cardId} ${who}`)
      about.set(`${channelId} ${who}`, new Set([...before, ...down]))
    },
  }
}
