/** What a service says of its checks: a status by uuid; one that is missing was deleted. */
export type Statuses = ReadonlyMap<string, string>

interface Tracked {
  /** The outage that goes on, by its number among those of the check. */
  outage: number
  isBaseline: boolean
  isBad: boolean
  /** The polls of the present row: bad ones, or good ones. */
  row: number[]
}

export interface ReferenceWatch {
  channel: string
  fits: (uuid: string) => boolean
  after: number
  baselinePoll: number
}

/** The rules of watching, told again in the plainest way: what must have been told by now, and how each check stands. */
export function createReference() {
  let polls = 0
  const tracked = new Map<string, Tracked>()
  const numbers = new Map<string, number>()
  const watches = new Map<string, ReferenceWatch>()
  const mutes = new Map<string, { channel: string; uuid: string | undefined }>()
  /** Channel → `uuid number` of each outage that it must have been told of. */
  const told = new Map<string, Set<string>>()

  function begin(uuid: string): void {
    const outage = (numbers.get(uuid) ?? 0) + 1
    numbers.set(uuid, outage)
    tracked.set(uuid, { outage, isBaseline: polls === 1, isBad: true, row: [polls] })
  }

  function step(uuid: string, status: string | undefined): void {
    const known = tracked.get(uuid)
    if (!known) {
      if (status === 'UNHEALTHY') begin(uuid)
      return
    }
    if (status === undefined) return void tracked.delete(uuid)
    // Nothing is learnt from a status that is neither.
    if (status !== 'UNHEALTHY' && status !== 'HEALTHY') return
    const isBad = status === 'UNHEALTHY'
    known.row = known.isBad === isBad ? [...known.row, polls] : [polls]
    known.isBad = isBad
    if (!isBad && known.row.length === 2) tracked.delete(uuid)
  }

  const isMuted = (channel: string, uuid: string): boolean =>
    [...mutes.values()].some((mute) => mute.channel === channel && (mute.uuid ?? uuid) === uuid)

  /** Whether a watch of the channel wants to hear of it by now. */
  function isDue(channel: string, uuid: string, { isBad, isBaseline, row }: Tracked): boolean {
    if (!isBad || isBaseline) return false
    return [...watches.values()].some(
      (watch) =>
        watch.channel === channel && watch.fits(uuid) && (row[watch.after - 1] ?? 0) > watch.baselinePoll,
    )
  }

  function tell(channel: string, only: (uuid: string) => boolean = () => true): void {
    for (const [uuid, state] of tracked)
      if (only(uuid) && isDue(channel, uuid, state) && !isMuted(channel, uuid)) {
        const set = told.get(channel) ?? new Set()
        told.set(channel, set.add(`${uuid} ${state.outage}`))
      }
  }

  const channels = (): Set<string> => new Set([...watches.values()].map(({ channel }) => channel))

  return {
    polls: () => polls,
    told: (channel: string): ReadonlySet<string> => told.get(channel) ?? new Set(),
    /** Whether this very outage goes on. */
    isOpen: (uuid: string, outage: number): boolean => tracked.get(uuid)?.outage === outage,
    poll(statuses: Statuses): void {
      polls += 1
      for (const uuid of new Set([...statuses.keys(), ...tracked.keys()])) step(uuid, statuses.get(uuid))
      for (const channel of channels()) tell(channel)
    },
    watch(id: string, watch: Omit<ReferenceWatch, 'baselinePoll'>, isAnother = true): void {
      const baselinePoll = isAnother ? polls : (watches.get(id)?.baselinePoll ?? polls)
      watches.set(id, { ...watch, baselinePoll })
    },
    unwatch(id: string): void {
      watches.delete(id)
      if (watches.size > 0) return
      polls = 0
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
      if (mute) tell(mute.channel, (uuid) => (mute.uuid ?? uuid) === uuid)
    },
  }
}
