import fc from 'fast-check'
import { expect, it } from 'vitest'
import { quickOrLong } from '../../../long.ts'
import { History, MINUTE_MS, START } from './history.ts'

// When watches page, computed by hand from the definition in docs/use-watching.md, minute by minute.

const RUNS = quickOrLong('MINUTES_DOWN', { quick: 300, long: 10_000 })
/** Polls further apart leave a gap. */
const MAX_GAP = 3
/** After this long up, whoever was on it isn't anymore if it falls, and the outage is over. */
const RELEASED_AFTER = 10
const OVER_AFTER = 30

/** Minutes, and who is paged. The last step repeats. */
type Steps = readonly (readonly [minutes: number, who: string])[]
interface Watched {
  readonly steps: Steps
  /** Bad polls before it's reported. */
  readonly after: number
}

type What = 'down' | 'up' | 'fail' | 'stop'
type Act = 'nothing' | 'take' | 'leave' | 'mute' | 'unmute' | 'watch'
interface Phase {
  readonly minutes: number
  readonly what: What
  /** At its beginning. */
  readonly act: Act
}
const ACTS: Readonly<Record<Act, readonly string[]>> = {
  nothing: [],
  take: ['Bea takes a'],
  leave: ['Bea leaves a'],
  mute: ['mute a'],
  unmute: ['unmute a'],
  watch: ['watch all 8m @w'],
}
const SECOND: Watched = { steps: [[8, '@w']], after: 1 }
/** What ends a phase in which nobody looked. */
const BACK = { fail: ['seen'], stop: ['start'], down: [], up: [] } as const

/** For how many minutes a check has been down in an outage, while nobody was on it and nothing silenced it. */
class MinutesDown {
  isDown = false
  isOpen = false
  isTaken = false
  isMuted = false
  badPolls = 0
  /** Up to the last poll, and since. */
  minutes = 0
  unpolled = 0
  lastPoll = 0
  roseAt = 0
  quietSince = 0
  takenAt = 0
  /** How often it began. */
  begun = 0

  get total(): number {
    return this.minutes + this.unpolled
  }

  get isRunning(): boolean {
    return this.isDown && !this.isTaken && !this.isMuted
  }

  begin(): void {
    this.minutes = 0
    this.unpolled = 0
    this.begun += 1
  }

  pass(): void {
    if (this.isRunning) this.unpolled += 1
  }

  act(act: Act, minute: number): void {
    if (act === 'take') Object.assign(this, { isTaken: true, takenAt: minute })
    if (act === 'leave') this.isTaken = false
    if (act === 'mute' || act === 'unmute') this.isMuted = act === 'mute'
    if (this.isTaken) this.begin()
  }

  poll(minute: number, isDown: boolean): void {
    const isGap = minute - this.lastPoll > MAX_GAP
    // A gap counts if it's down at both ends.
    if (isDown || !isGap) this.minutes += this.unpolled
    this.unpolled = 0
    if (isDown && !this.isDown) this.fall(minute)
    if (isDown) this.badPolls += 1
    if (!isDown && this.isDown) this.roseAt = minute
    if (isGap || (!isDown && this.isDown)) this.quietSince = minute
    if (!isDown && minute - this.quietSince >= OVER_AFTER) this.isOpen = false
    Object.assign(this, { isDown, lastPoll: minute })
  }

  fall(minute: number): void {
    if (minute - Math.max(this.roseAt, this.takenAt) >= RELEASED_AFTER) this.isTaken = false
    if (this.isOpen) return
    Object.assign(this, { isOpen: true, isTaken: false, badPolls: 0 })
    this.begin()
  }
}

/** The pages of a watch. */
class Pages {
  readonly sent: string[] = []
  /** When the next one comes if nothing changes. */
  next: number | undefined
  readonly #watched: Watched
  readonly #down: MinutesDown
  /** The check was down before the watch. */
  #isOld: boolean
  #count = 0
  #countsFrom: number
  #begun: number

  constructor(watched: Watched, down: MinutesDown) {
    this.#watched = watched
    this.#down = down
    this.#isOld = down.isDown
    this.#countsFrom = down.total
    this.#begun = down.begun
  }

  get isReported(): boolean {
    return this.#down.isDown && this.#down.badPolls >= this.#watched.after
  }

  decide(minute: number): void {
    const { begun, isDown, total, isRunning } = this.#down
    if (begun !== this.#begun) this.#countFrom(0, 0)
    if (this.#isOld && !isDown) this.#countFrom(total, 0)
    if (!isDown) this.#isOld = false
    const isWaiting = isRunning && this.isReported && !this.#isOld
    if (isWaiting && total >= this.#countsFrom + this.#getWait()) {
      const { steps } = this.#watched
      this.sent.push(`${minute} page ${steps[Math.min(this.#count, steps.length - 1)]?.[1]}: a`)
      this.#countFrom(total, this.#count + 1)
      Object.assign(this.#down, { minutes: total, unpolled: 0 })
    }
    this.next = isWaiting ? minute + this.#countsFrom + this.#getWait() - total : undefined
  }

  #countFrom(minutes: number, count: number): void {
    this.#countsFrom = minutes
    this.#count = count
    this.#begun = this.#down.begun
  }

  /** The times of the steps count from the same moment; what follows a late page counts from it. */
  #getWait(): number {
    const times = [0, ...this.#watched.steps.map(([minutes]) => minutes)]
    const last = times.at(-1) ?? 0
    for (let time = 2 * last; times.length < this.#count + 2; time += last) times.push(time)
    const [before = 0, due = 0] = times.slice(this.#count, this.#count + 2)
    return due - before
  }
}

/** A history, and what the definition says of it. */
class Compared {
  readonly world: History
  readonly down = new MinutesDown()
  readonly watches: Pages[]
  readonly after: number
  minute = 0

  constructor(watched: Watched) {
    const escalate = watched.steps.map(([minutes, who]) => `${minutes}m ${who}`).join(', ')
    this.after = watched.after
    this.world = new History([{ escalate, after: watched.after }])
    this.watches = [new Pages(watched, this.down)]
    this.world.passMinute([], 0)
  }

  pass({ minutes, what, act }: Phase, before: What = 'up'): void {
    const isUnseen = what === 'fail' || what === 'stop'
    const done = this.isPossible(what, act) ? act : 'nothing'
    this.passMinute([...BACK[before], ...ACTS[done], isUnseen ? what : `${what} a`], what, done)
    for (let passed = 1; passed < minutes; passed += 1) this.passMinute([], what)
  }

  /** Nobody presses anything while Signalman is stopped, or takes what no card says is down. Watches change while the checks are seen. */
  isPossible(what: What, act: Act): boolean {
    if (what === 'stop') return false
    if (act === 'take') return this.watches.some(({ isReported }) => isReported)
    if (act === 'watch' && this.watches.length > 1) return false
    const isMute = act === 'mute' || act === 'unmute'
    return act === 'leave' || isMute || (what !== 'fail' && this.after === 1)
  }

  passMinute(events: readonly string[], what: What, act: Act = 'nothing'): void {
    this.minute += 1
    this.world.passMinute(events)
    this.down.pass()
    this.down.act(act, this.minute)
    if (what === 'down' || what === 'up') this.down.poll(this.minute, what === 'down')
    if (act === 'watch') this.watches.push(new Pages(SECOND, this.down))
    if (what === 'stop' || this.minute - this.down.lastPoll > MAX_GAP) return
    for (const watch of this.watches) watch.decide(this.minute)
    this.checkCard()
  }

  /** The card says when the next page comes if nothing changes. */
  checkCard(): void {
    const line = this.world.known.get(`C1 ${this.world.find('a')?.id}`)
    const at = this.world.posts.get(line?.cardId ?? '')?.nextPage?.at
    const [next] = this.watches.flatMap((watch) => watch.next ?? []).toSorted((left, right) => left - right)
    expect(at && (at.getTime() - START) / MINUTE_MS, `the card at ${this.minute}`).toBe(next)
  }
}

const LAST: Phase = { minutes: 45, what: 'down', act: 'nothing' }
const anySteps = fc.constantFrom<Steps>(
  [[5, '@a']],
  [[12, '@a']],
  [
    [10, '@a'],
    [30, '@b'],
  ],
  [
    [5, '@a'],
    [7, '@b'],
    [21, '@c'],
  ],
)
const anyWatch = fc.record({ steps: anySteps, after: fc.constantFrom(1, 1, 2, 3) })
const anyPhase = fc
  .record({
    minutes: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 40 })),
    what: fc.constantFrom<What>('down', 'down', 'up', 'up', 'fail', 'stop'),
    act: fc.constantFrom<Act>(
      ...(['nothing', 'nothing', 'nothing', 'take', 'leave', 'mute', 'unmute', 'watch'] as const),
    ),
  })
  // A shorter stop leaves no gap.
  .map((one) => (one.what === 'stop' ? { ...one, minutes: one.minutes + MAX_GAP } : one))

it('pages, and says on the card when, by the minutes in which a check was down while nobody was on it', () => {
  fc.assert(
    fc.property(anyWatch, fc.array(anyPhase, { maxLength: 20 }), (watched, phases) => {
      const compared = new Compared(watched)
      for (const [index, one] of [...phases, LAST].entries()) compared.pass(one, phases[index - 1]?.what)
      const reads = compared.world.log.flatMap(({ text, post }) => (post.responders ? text : []))
      expect(reads.toSorted()).toEqual(compared.watches.flatMap(({ sent }) => sent).toSorted())
    }),
    { numRuns: RUNS },
  )
})
