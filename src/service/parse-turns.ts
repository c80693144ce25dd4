/** Eight pages of 500; one of the largest answers takes as long alone. */
const ROUND_MS = 5

/** Runs a piece of synchronous work, such as parsing, when its turn comes. */
export type Turn = <T>(work: () => T) => Promise<T>

/**
 * Spreads heavy synchronous work (parsing a page of the service, and the rendering that follows at once) over the event
 * loop: at most `perRound` pieces, and of large ones fewer, before incoming requests are looked at again, so that
 * acknowledgements never queue behind a crowd of replies. Pieces run in the order they came.
 */
export function createParseTurns(perRound = 4): Turn {
  const waiting: (() => void)[] = []
  let isScheduled = false

  function round(): void {
    const startedAt = performance.now()
    for (let ran = 0; ran < perRound && performance.now() - startedAt < ROUND_MS; ran += 1)
      waiting.shift()?.()
    isScheduled = waiting.length > 0
    if (isScheduled) setImmediate(round)
  }

  return (work) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof work>>()
    waiting.push(() => {
      try {
        resolve(work())
      } catch (error) {
        reject(error)
      }
    })
    if (!isScheduled) {
      isScheduled = true
      setImmediate(round)
    }
    return promise
  }
}

/** This much JSON parses within 8 ms, whatever its shape. */
const LIGHT_BYTES = 256 * 1024
/** Larger answers are parsed only when their keys are like the interface's, some 60 in all: 65,000 different keys take 30 ms. */
const MOST_KEYS = 10_000
/** One in this many keys is checked. */
const SAMPLE = 50
/** Even larger ones only when they are mostly text: 4 MiB of nothing but brackets take 170 ms. */
const LARGE_BYTES = 1024 * 1024
const MOST_MARKS = 30_000

const KEY_END = Buffer.from('":')
const MARKS = [',', '[', '{'].map((mark) => Buffer.from(mark))

/**
 * Whether parsing the JSON would block the event loop for too long. Normal answers are far below that: a page of 500 checks
 * has 160 KB.
 */
export const isHeavy = (bytes: Buffer): boolean =>
  bytes.length > LIGHT_BYTES && (hasManyKeys(bytes) || (bytes.length > LARGE_BYTES && hasManyMarks(bytes)))

function hasManyKeys(bytes: Buffer): boolean {
  const seen = new Set<string>()
  let count = 0
  for (const at of findPlaces(KEY_END, bytes)) {
    if (count % SAMPLE === 0) seen.add(bytes.toString('latin1', bytes.lastIndexOf('"', at - 1) + 1, at))
    if (seen.size > MOST_KEYS / SAMPLE) return true
    count += 1
  }
  return false
}

function hasManyMarks(bytes: Buffer): boolean {
  let found = 0
  for (const mark of MARKS) {
    for (const _ of findPlaces(mark, bytes)) {
      found += 1
      if (found > MOST_MARKS) return true
    }
  }
  return false
}

function* findPlaces(needle: Buffer, bytes: Buffer): Generator<number> {
  for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + 1)) yield at
}
