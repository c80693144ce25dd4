import { watchTurns } from '../../bench/parts/event-loop.ts'
import type { HostileShape } from '../hostile-texts.ts'

/** Work whose time and memory may grow with what others send, or with the rows that people make. */
export interface Work {
  /** What is read, or gone over. */
  readonly name: string
  /** The largest size that the app takes, and what is counted: `characters`, `names`, `rows`. */
  readonly limit: number
  readonly unit: string
  /** What it may be given, by name. */
  readonly shapes: readonly Shape[]
  /** Ends what the shapes have started. */
  close?(): Promise<void>
}

/** Prepares an input of a size, which isn't measured, and returns what reads it once. */
export interface Shape {
  readonly name: string
  prepare(size: number): Run | Promise<Run>
}
type Run = () => unknown

/** Work on one input. `shapes` write it, and `run` reads it. A refusal is an answer, too. */
export const work = <Input>(
  { name, limit, unit = 'characters' }: { name: string; limit: number; unit?: string },
  shapes: Readonly<Record<string, (size: number) => Input>>,
  run: (input: Input) => unknown,
): Work => ({
  ...{ name, limit, unit },
  shapes: Object.entries(shapes).map(([shape, write]) => ({
    name: shape,
    prepare(size) {
      const input = write(size)
      return () => run(input)
    },
  })),
})

/** Hostile texts as the shapes of a work. `wrap` puts them where the work reads them. */
export const texts = (
  shapes: readonly HostileShape[],
  wrap: (text: string) => string = (text) => text,
): Record<string, (size: number) => string> =>
  Object.fromEntries(shapes.map(({ name, write }) => [name, (size: number) => wrap(write(size))]))

export interface Growth {
  readonly work: string
  readonly shape: string
  /** The last one is smaller than the limit if a run takes too long. */
  readonly sizes: readonly number[]
  /** The least CPU time of one run at each size, in ms. */
  readonly cpuMs: readonly number[]
  /** The longest turn of the event loop at each size, in ms of CPU time; the shortest of all runs. Only with `turns`. */
  readonly turnMs: readonly number[]
  /** How the time grows with each of the last two doublings: 1 is linear, 2 the square. Undefined if it's too short for the clock. */
  readonly exponent: number | undefined
}

/** Below this time at the largest size, a quarter of it is too short for the clock, and too short to matter. */
const FLOOR_MS = 4
/** `n log n` is about 1.1 here, and the square 2. */
const MAX_EXPONENT = 1.35
const MIN_ROUNDS = 3
const MAX_ROUNDS = 12
/** A round that found nothing shorter, by more than this, is the last one. */
const SETTLED = 0.05

/** How much CPU time a measurement may take, in ms: what takes so long shows how it grows. */
export interface Effort {
  /** After a run that takes longer, no larger size is tried. */
  readonly runMs: number
  /** After this time, there are no more rounds. */
  readonly allMs: number
  /** Whether each size is run again to watch its turns. */
  readonly turns?: true
}
export const WHOLE: Effort = { runMs: 1000, allMs: 4000 }
export const QUICK: Effort = { runMs: 60, allMs: 400 }

/** Each size is twice the one before, and the last one is the largest that the app takes. */
const PARTS = [64, 32, 16, 8, 4, 2, 1]

/** One size, and the least that a run of it took. */
interface Sized {
  readonly size: number
  /** Once a round has come to it. */
  readonly run: Run | undefined
  readonly cpuMs: number
  readonly turnMs: number
}

export const isTooFast = ({ exponent }: Pick<Growth, 'exponent'>): boolean =>
  exponent !== undefined && exponent > MAX_EXPONENT

/** What others wait for at most while this process works on something. */
const MAX_TURN_MS = 30
/** A turn that grows less than this with a doubling isn't about the input. */
const GROWING = 1.4

/** Whether the work on the largest input is one piece that keeps the process from everything else. */
export function isOnePiece({ turnMs }: Pick<Growth, 'turnMs'>): boolean {
  const [half = 0, whole = 0] = turnMs.slice(-2)
  return whole > MAX_TURN_MS && whole > half * GROWING
}

const MEASURES = 3

/** Measures how the time of a work grows. A bad result counts only if it's as bad each time: other processes can cause one. */
export async function judgeGrowth(work: Work, shape: Shape, effort: Effort): Promise<Growth> {
  let best = await measureGrowth(work, shape, effort)
  for (let measures = 1; measures < MEASURES && isTooFast(best); measures += 1) {
    const again = await measureGrowth(work, shape, effort)
    if ((again.exponent ?? 0) < (best.exponent ?? 0)) best = again
  }
  return best
}

/** Measures how the time of a work grows with its size. A result that isn't as it should be is measured for longer. */
async function measureGrowth({ name, limit }: Work, shape: Shape, effort: Effort): Promise<Growth> {
  let sized = PARTS.map((part): Sized => {
    const size = Math.ceil(limit / part)
    return { size, run: undefined, cpuMs: Number.POSITIVE_INFINITY, turnMs: Number.POSITIVE_INFINITY }
  })
  const start = process.cpuUsage()
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const before = sumCpu(sized)
    sized = await measureRound(sized, shape, effort)
    const isSettled = round >= MIN_ROUNDS && sumCpu(sized) > before * (1 - SETTLED)
    const isGood = !isTooFast({ exponent: findExponent(sized) })
    const spent = toMs(process.cpuUsage(start))
    if ((isSettled && isGood) || spent > effort.allMs * (isGood ? 1 : 2)) break
  }
  return {
    ...{ work: name, shape: shape.name, exponent: findExponent(sized) },
    sizes: sized.map(({ size }) => size),
    cpuMs: sized.map((one) => one.cpuMs),
    turnMs: sized.map((one) => one.turnMs),
  }
}

/** Runs each size once. Leaves out the ones after a size that takes too long: three show how it grows. */
async function measureRound(
  sized: readonly Sized[],
  shape: Shape,
  { runMs, turns }: Effort,
): Promise<Sized[]> {
  const measured: Sized[] = []
  for (const { size, ...one } of sized) {
    const last = measured.at(-1)
    if (last && last.cpuMs > runMs && measured.length >= 3) break
    const run = one.run ?? (await shape.prepare(size))
    const cpu = await measureOnce(run)
    const turn = turns && cpu > SHORT_MS ? await measureTurn(run) : cpu
    measured.push({ size, run, cpuMs: Math.min(one.cpuMs, cpu), turnMs: Math.min(one.turnMs, turn) })
  }
  return measured
}

const sumCpu = (sized: readonly Sized[]): number => sized.reduce((sum, { cpuMs }) => sum + cpuMs, 0)

/**
 * The lesser exponent of the last two doublings, because a step, such as from where an input is refused, and one bad time are in one of
 * them. Without what a run takes whatever its size, such as a request over HTTP, as far as that can be told apart.
 */
function findExponent(sized: readonly Sized[]): number | undefined {
  const [quarter, half, whole] = sized.slice(-3)
  const [least] = sized
  if (!quarter || !half || !whole || !least || whole.cpuMs < FLOOR_MS) return undefined
  const fixedMs = quarter.cpuMs - least.cpuMs < APART_MS ? 0 : least.cpuMs
  const [first, second, last] = [quarter, half, whole].map(({ cpuMs }) =>
    Math.log2(Math.max(cpuMs - fixedMs, SHORTEST_MS)),
  ) as [number, number, number]
  return Math.min(second - first, last - second)
}

const APART_MS = 2
const SHORTEST_MS = 0.01

const toMs = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000

/** Measures the CPU time of a run alone: watching the turns keeps the process busy while the run waits. */
async function measureOnce(run: Run): Promise<number> {
  const before = process.cpuUsage()
  await runToEnd(run)
  return toMs(process.cpuUsage(before))
}

/** What is shorter can't hold anybody up, in however many turns it is. */
const SHORT_MS = 10

async function measureTurn(run: Run): Promise<number> {
  const turns = watchTurns()
  await nextTurn()
  await runToEnd(run)
  await nextTurn()
  return turns.stop()
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** The time until an input is refused counts, too. */
export async function runToEnd(run: Run): Promise<unknown> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) throw error
    return error
  }
}

/** The shapes that take longest at a quarter of the largest size. What grows too fast is among them. */
export async function findSlowest({ limit, shapes }: Work, count: number): Promise<readonly Shape[]> {
  if (shapes.length <= count) return shapes
  const timed: { shape: Shape; cpu: number }[] = []
  for (const shape of shapes) {
    const run = await shape.prepare(Math.ceil(limit / 4))
    const first = await measureOnce(run)
    const second = first > 200 ? first : await measureOnce(run)
    timed.push({ shape, cpu: Math.min(first, second) })
  }
  return timed
    .toSorted((one, other) => other.cpu - one.cpu)
    .slice(0, count)
    .map(({ shape }) => shape)
}
