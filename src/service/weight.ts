/** Whatever its shape, so much JSON is parsed within 8 ms. */
const LIGHT_BYTES = 256 * 1024
/** Larger answers are parsed only when their keys are like the interface's, some 60 in all: 65,000 different keys take 30 ms. */
const MOST_KEYS = 10_000
/** Keys are looked at one in so many. */
const SAMPLE = 50
/** Even larger ones only when they are mostly text: 4 MiB of nothing but brackets take 170 ms. */
const LARGE_BYTES = 1024 * 1024
const MOST_MARKS = 30_000

const KEY_END = Buffer.from('":')
const MARKS = [',', '[', '{'].map((mark) => Buffer.from(mark))

/**
 * Whether parsing the JSON would hold the event loop for longer than others should wait. Nothing that the interface shows
 * comes near it: a page of 500 checks has 160 KB.
 */
export const isHeavy = (bytes: Buffer): boolean =>
  bytes.length > LIGHT_BYTES && (hasManyKeys(bytes) || (bytes.length > LARGE_BYTES && hasManyMarks(bytes)))

function hasManyKeys(bytes: Buffer): boolean {
  const seen = new Set<string>()
  let count = 0
  for (const at of placesOf(KEY_END, bytes)) {
    if (count % SAMPLE === 0) seen.add(bytes.toString('latin1', bytes.lastIndexOf('"', at - 1) + 1, at))
    if (seen.size > MOST_KEYS / SAMPLE) return true
    count += 1
  }
  return false
}

function hasManyMarks(bytes: Buffer): boolean {
  let found = 0
  for (const mark of MARKS) {
    for (const _ of placesOf(mark, bytes)) {
      found += 1
      if (found > MOST_MARKS) return true
    }
  }
  return false
}

function* placesOf(needle: Buffer, bytes: Buffer): Generator<number> {
  for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + 1)) yield at
}
