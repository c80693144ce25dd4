/** A round starts no more work after this time. Enough for eight pages of 500 checks, or for one of the largest responses. */
const ROUND_MS = 5

/** Runs synchronous work, such as parsing, when its turn in the queue comes. */
export type RunInTurn = <T>(work: () => T) => Promise<T>

/**
 * Spreads heavy synchronous work (parsing and rendering a page from the service) over several turns of the event loop. Each round
 * runs at most `perRound` pieces of work, or fewer if they are large. Incoming requests are handled between rounds, so
 * acknowledgements never wait for many responses to be parsed. Runs work in the order in which it was added.
 */
export function createParseQueue(perRound = 4): RunInTurn {
  const waiting: (() => void)[] = []
  let isScheduled = false

  function runRound(): void {
    const startedAt = performance.now()
    for (let runCount = 0; runCount < perRound && performance.now() - startedAt < ROUND_MS; runCount += 1)
      waiting.shift()?.()
    isScheduled = waiting.length > 0
    if (isScheduled) setImmediate(runRound)
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
      setImmediate(runRound)
    }
    return promise
  }
}

/** JSON up to this size always parses within 8 ms. */
const LIGHT_BYTES = 256 * 1024
/** Larger JSON is parsed only if it has few different keys: the service uses about 60, and 65,000 would take 30 ms. */
const MAX_KEYS = 10_000
/** Every 50th key is checked. */
const SAMPLE_EVERY = 50
/** Even larger JSON is parsed only if it is mostly text: 4 MiB of brackets take 170 ms. */
const LARGE_BYTES = 1024 * 1024
const MAX_DELIMITERS = 30_000

const KEY_END = Buffer.from('":')
const DELIMITERS = [',', '[', '{'].map((mark) => Buffer.from(mark))

/**
 * Whether parsing the JSON would block the event loop for too long. Normal responses are far smaller: a page of 500 checks has
 * 160 KB.
 */
export const isExpensiveToParse = (bytes: Buffer): boolean =>
  bytes.length > LIGHT_BYTES &&
  (hasManyKeys(bytes) || (bytes.length > LARGE_BYTES && hasManyDelimiters(bytes)))

function hasManyKeys(bytes: Buffer): boolean {
  const sampledKeys = new Set<string>()
  let count = 0
  for (const at of findAll(KEY_END, bytes)) {
    if (count % SAMPLE_EVERY === 0)
      sampledKeys.add(bytes.toString('latin1', bytes.lastIndexOf('"', at - 1) + 1, at))
    if (sampledKeys.size > MAX_KEYS / SAMPLE_EVERY) return true
    count += 1
  }
  return false
}

function hasManyDelimiters(bytes: Buffer): boolean {
  let count = 0
  for (const mark of DELIMITERS) {
    for (const _ of findAll(mark, bytes)) {
      count += 1
      if (count > MAX_DELIMITERS) return true
    }
  }
  return false
}

function* findAll(needle: Buffer, bytes: Buffer): Generator<number> {
  for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + 1)) yield at
}
