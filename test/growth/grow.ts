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
  /** The longest turn of the event loop at each size, in ms of CPU time; the shortest of all runs. */
  readonly turnMs: readonly number[]
  /** How the time grows over the last two doublings: 1 is linear, 2 the square. Undefined if it's too short for the clock. */
  readonly exponent: number | undefined
}

/** Below this time at the largest size, a quarter of it is too short for the clock, and too short to matter. */
const FLOOR_MS = 4
/** `n log n` is about 1.1 here, and the square 2. */
export const MAX_EXPONENT = 1.35
const MIN_ROUNDS = 3
const MAX_ROUNDS = 12
/** A round that found nothing shorter, by more than this, is the last one. */
const SETTLED = 0.05
/** CPU time in ms after which there are no more rounds: what takes so long shows how it grows. */
const BUDGET_MS = 4000

/** Each size is twice the one before, and the last one is the largest that the app takes. */
const PARTS = [64, 32, 16, 8, 4, 2, 1]

/** One size, and the least that a run of it took. */
interface Sized {
  readonly size: number
  readonly run: Run
  cpuMs: number
  turnMs: number
}

/** Measures how the time of a work grows with its size. A result that isn't as it should be is measured for longer. */
export async function measureGrowth({ name, limit }: Work, shape: Shape): Promise<Growth> {
  const all = await Promise.all(
    PARTS.map(async (part): Promise<Sized> => {
      const size = Math.ceil(limit / part)
      return {
        size,
        run: await shape.prepare(size),
        cpuMs: Number.POSITIVE_INFINITY,
        turnMs: Number.POSITIVE_INFINITY,
      }
    }),
  )
  const start = process.cpuUsage()
  let sized = all
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const before = sumCpu(sized)
    sized = await measureRound(sized)
    const isSettled = round >= MIN_ROUNDS && sumCpu(sized) > before * (1 - SETTLED)
    const isGood = (findExponent(sized) ?? 0) <= MAX_EXPONENT
    const spent = toMs(process.cpuUsage(start))
    if ((isSettled && isGood) || spent > BUDGET_MS * (isGood ? 1 : 2)) break
  }
  return {
    ...{ work: name, shape: shape.name, exponent: findExponent(sized) },
    sizes: sized.map(({ size }) => size),
    cpuMs: sized.map((one) => one.cpuMs),
    turnMs: sized.map((one) => one.turnMs),
  }
}

/** Runs each size once. Leaves out the ones after a size that takes too long: three show how it grows. */
async function measureRound(sized: readonly Sized[]): Promise<Sized[]> {
  const measured: Sized[] = []
  for (const one of sized) {
    const last = measured.at(-1)
    if (last && last.cpuMs > TOO_LONG_MS && measured.length >= 3) break
    const { cpu, turn } = await measureOnce(one.run)
    measured.push({ ...one, cpuMs: Math.min(one.cpuMs, cpu), turnMs: Math.min(one.turnMs, turn) })
  }
  return measured
}

const TOO_LONG_MS = 1000

const sumCpu = (sized: readonly Sized[]): number => sized.reduce((sum, { cpuMs }) => sum + cpuMs, 0)

/** Without what a run takes whatever its size, such as a request over HTTP, as far as that can be told apart. */
function findExponent(sized: readonly Sized[]): number | undefined {
  const [quarter, , whole] = sized.slice(-3)
  const [least] = sized
  if (!quarter || !whole || !least || whole.cpuMs < FLOOR_MS) return undefined
  const fixedMs = quarter.cpuMs - least.cpuMs < APART_MS ? 0 : least.cpuMs
  return Math.log2((whole.cpuMs - fixedMs) / (quarter.cpuMs - fixedMs)) / 2
}

const APART_MS = 2

const toMs = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000

/** Measures the CPU time of a run alone: watching the turns keeps the process busy while the run waits. */
async function measureOnce(run: Run): Promise<{ cpu: number; turn: number }> {
  const before = process.cpuUsage()
  await runToEnd(run)
  const cpu = toMs(process.cpuUsage(before))
  return { cpu, turn: cpu > SHORT_MS ? await measureTurn(run) : cpu }
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
    const second = first.cpu > 200 ? first : await measureOnce(run)
    timed.push({ shape, cpu: Math.min(first.cpu, second.cpu) })
  }
  return timed
    .toSorted((one, other) => other.cpu - one.cpu)
    .slice(0, count)
    .map(({ shape }) => shape)
}
