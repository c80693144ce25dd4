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
  after: number
  /** Calls people about what nobody is on. */
  calls?: boolean
  baselinePoll: number
}

/** A mute, or maintenance: of one channel, or of all. */
export interface Silence {
  channel: string | undefined
  covers: (uuid: string) => boolean
  /** Whether it has begun: of one that has, that stays so. */
  hasBegun: () => boolean
}

/** The rules of watching, told again in the plainest way: what must have been told by now, and how each check stands. */
export function createReference(uuids: readonly string[]) {
  let polls = 0
  /** By `uuid status`: a check may be told of for each of two statuses. */
  const tracked = new Map<string, Tracked>()
  let looked: readonly string[] = []
  const numbers = new Map<string, number>()
  const watches = new Map<string, ReferenceWatch>()
  const silences = new Map<string, Silence>()
  /** Channel → `uuid status number` of each outage that it must have been told of. */
  const told = new Map<string, Set<string>>()
  /** The same, of what it may be told by an edit alone, because that is muted. */
  const silenced = new Map<string, Set<string>>()
  /** Channel → outage → how often the end of a silence has told of it. */
  const unsilenced = new Map<string, Map<string, number>>()
  /** `channel outage` → the poll by which it was to be told. */
  const toldBy = new Map<string, number>()

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
    [...silences.values()].some(
      (one) => (one.channel ?? channel) === channel && one.covers(uuid) && one.hasBegun(),
    )

  /** Whether a watch of the channel wants to hear of it by now: `since` a poll, or since each began. */
  function isDue(channel: string, key: string, { isBad, isBaseline, row }: Tracked, since?: number): boolean {
    if (!isBad || isBaseline) return false
    return [...watches.values()].some(
      (watch) =>
        watch.channel === channel &&
        watch.fits(uuidOf(key)) &&
        (row[watch.after - 1] ?? 0) > (since ?? watch.baselinePoll),
    )
  }

  function tell(channel: string, only: (uuid: string) => boolean = () => true, since?: number): void {
    for (const [key, state] of tracked)
      if (only(uuidOf(key)) && isDue(channel, key, state, since))
        tellOf(channel, key, `${key} ${state.outage}`, since === 0)
  }

  function tellOf(channel: string, key: string, name: string, isAtEnd: boolean): void {
    const isSilent = isMuted(channel, uuidOf(key))
    const sets = isSilent ? silenced : told
    sets.set(channel, (sets.get(channel) ?? new Set()).add(name))
    if (isSilent) return
    if (!toldBy.has(`${channel} ${name}`)) toldBy.set(`${channel} ${name}`, polls)
    if (isAtEnd) count(channel, name)
  }

  function count(channel: string, name: string): void {
    const own = unsilenced.get(channel) ?? new Map<string, number>()
    unsilenced.set(channel, own.set(name, (own.get(name) ?? 0) + 1))
  }

  /** What was silenced until now and is so no more. */
  function tellUnsilenced(one: Silence): void {
    for (const channel of channels()) if ((one.channel ?? channel) === channel) tell(channel, one.covers, 0)
  }

  const asked = (): string[] => ['UNHEALTHY']

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
    isMuted,
    /** How often the ends of silences have told a channel of an outage. */
    unsilenced: (channel: string, name: string): number => unsilenced.get(channel)?.get(name) ?? 0,
    /** Whether a channel watches anything that fits. */
    watches: (channel: string, fits: (uuid: string) => boolean): boolean =>
      [...watches.values()].some(
        (one) => one.channel === channel && uuids.some((uuid) => fits(uuid) && one.fits(uuid)),
      ),
    /** Outages that go on, which the channel was told of at least so many polls ago, and about which it calls people. */
    *calling(channel: string, least: number): Generator<string> {
      for (const [key, { outage, isBad }] of tracked) {
        const name = `${key} ${outage}`
        const isCalled = [...watches.values()].some(
          (one) => one.channel === channel && one.calls && one.fits(uuidOf(key)) && true,
        )
        const since = toldBy.get(`${channel} ${name}`)
        if (isBad && isCalled && since !== undefined && polls - since >= least) yield name
      }
    },
    /** A mute or maintenance. */
    silence(id: string, silence: Silence): void {
      silences.set(id, silence)
    },
    silenceChanged(id: string, silence: Silence): void {
      const before = silences.get(id)
      silences.set(id, silence)
      if (before?.hasBegun())
        tellUnsilenced({ ...before, covers: (uuid) => before.covers(uuid) && !silence.covers(uuid) })
    },
    silenceEnded(id: string): void {
      const before = silences.get(id)
      const hadBegun = before?.hasBegun()
      silences.delete(id)
      if (before && hadBegun) tellUnsilenced(before)
    },
  }
}

export type Reference = ReturnType<typeof createReference>
