/** What a service says of its checks: a status by uuid; one that is missing was deleted. */
export type Statuses = ReadonlyMap<string, string>

const uuidOf = (key: string): string => key.split(' ')[0] ?? ''
const statusOf = (key: string): string => key.split(' ')[1] ?? ''

interface Tracked {
  /** The outage that goes on, by its number among those of the check. */
  outage: number
  isBaseline: boolean
  isBad: boolean
  /** The polls of the present row: bad ones, or good ones. */
  row: number[]
  /** Bad again after a good poll that was alone. */
  isBack: boolean
}

export interface ReferenceWatch {
  channel: string
  fits: (uuid: string) => boolean
  /** Those that it tells of. */
  statuses: readonly string[]
  after: number
  baselinePoll: number
}

/** The rules of watching, told again in the plainest way: what must have been told by now, and how each check stands. */
export function createReference() {
  let polls = 0
  /** By `uuid status`: a check may be told of for each of two statuses. */
  const tracked = new Map<string, Tracked>()
  let looked: readonly string[] = []
  const numbers = new Map<string, number>()
  const watches = new Map<string, ReferenceWatch>()
  const mutes = new Map<string, { channel: string; uuid: string | undefined }>()
  /** Channel → `uuid status number` of each outage that it must have been told of. */
  const told = new Map<string, Set<string>>()
  /** The same, of what it may be told by an edit alone, because that is muted. */
  const silenced = new Map<string, Set<string>>()

  function begin(key: string, isBaseline: boolean): void {
    const outage = (numbers.get(key) ?? 0) + 1
    numbers.set(key, outage)
    tracked.set(key, { outage, isBaseline, isBad: true, row: [polls], isBack: false })
  }

  /** What is being installed is not down any more, and what is down is installed; of nothing else anything is known. */
  function tells(status: string, said: string): 'bad' | 'good' | undefined {
    if (said === status) return 'bad'
    return ['HEALTHY', 'UNHEALTHY', 'INSTALLING'].includes(said) ? 'good' : undefined
  }

  /** Bad for a moment between good polls. */
  const isMoment = ({ isBack, row }: Tracked): boolean => isBack && row.length <= 2

  /** That moment was another outage than the one before. */
  function another(key: string, known: Tracked): void {
    begin(key, false)
    tracked.set(key, { ...(tracked.get(key) ?? known), isBad: false, row: [polls] })
  }

  function step(key: string, said: string | undefined): void {
    const known = tracked.get(key)
    if (!known) return
    if (said === undefined) return void tracked.delete(key)
    const told = tells(statusOf(key), said)
    if (told) turn(key, known, told === 'bad')
  }

  function turn(key: string, known: Tracked, isBad: boolean): void {
    const isTurn = known.isBad !== isBad
    if (isTurn && !isBad && isMoment(known)) {
      another(key, known)
      return
    }
    known.row = isTurn ? [polls] : [...known.row, polls]
    if (isTurn) known.isBack = isBad
    known.isBad = isBad
    if (!isBad && known.row.length === 2) tracked.delete(key)
  }

  const isMuted = (channel: string, uuid: string): boolean =>
    [...mutes.values()].some((mute) => mute.channel === channel && (mute.uuid ?? uuid) === uuid)

  /** Whether a watch of the channel wants to hear of it by now: `since` a poll, or since each began. */
  function isDue(channel: string, key: string, { isBad, isBaseline, row }: Tracked, since?: number): boolean {
    if (!isBad || isBaseline) return false
    return [...watches.values()].some(
      (watch) =>
        watch.channel === channel &&
        watch.fits(uuidOf(key)) &&
        watch.statuses.includes(statusOf(key)) &&
        (row[watch.after - 1] ?? 0) > (since ?? watch.baselinePoll),
    )
  }

  function tell(channel: string, only: (uuid: string) => boolean = () => true, since?: number): void {
    for (const [key, state] of tracked)
      if (only(uuidOf(key)) && isDue(channel, key, state, since)) {
        const sets = isMuted(channel, uuidOf(key)) ? silenced : told
        sets.set(channel, (sets.get(channel) ?? new Set()).add(`${key} ${state.outage}`))
      }
  }

  const asked = (): string[] => ['UNHEALTHY', ...[...watches.values()].flatMap(({ statuses }) => statuses)]

  /** What no watch asks for any more is forgotten. */
  function settle(): void {
    looked = looked.filter((status) => asked().includes(status))
    for (const key of [...tracked.keys()]) if (!asked().includes(statusOf(key))) tracked.delete(key)
  }

  const channels = (): Set<string> => new Set([...watches.values()].map(({ channel }) => channel))

  return {
    channels,
    polls: () => polls,
    told: (channel: string): ReadonlySet<string> => told.get(channel) ?? new Set(),
    silenced: (channel: string): ReadonlySet<string> => silenced.get(channel) ?? new Set(),
    /** Whether this very outage goes on. */
    isOpen: (key: string, outage: number): boolean => tracked.get(key)?.outage === outage,
    poll(statuses: Statuses): void {
      polls += 1
      const before = looked
      looked = asked()
      for (const key of [...tracked.keys()]) step(key, statuses.get(uuidOf(key)))
      // What has a status that was not looked at before may have had it for long.
      for (const [uuid, status] of statuses)
        if (looked.includes(status) && !tracked.has(`${uuid} ${status}`))
          begin(`${uuid} ${status}`, !before.includes(status))
      for (const channel of channels()) tell(channel)
    },
    watch(id: string, watch: Omit<ReferenceWatch, 'baselinePoll'>, isAnother = true): void {
      const baselinePoll = isAnother ? polls : (watches.get(id)?.baselinePoll ?? polls)
      watches.set(id, { ...watch, baselinePoll })
      settle()
    },
    unwatch(id: string): void {
      watches.delete(id)
      settle()
      if (watches.size > 0) return
      polls = 0
      looked = []
      tracked.clear()
    },
    mute(id: string, channel: string, uuid: string | undefined): void {
      for (const [other, mute] of mutes)
        if (mute.channel === channel && mute.uuid === uuid) mutes.delete(other)
      mutes.set(id, { channel, uuid })
    },
    muteEnded(id: string): void {
      const mute = mutes.get(id)
      mutes.delete(id)
      if (mute) tell(mute.channel, (uuid) => (mute.uuid ?? uuid) === uuid, 0)
    },
  }
}
