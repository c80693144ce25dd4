/** Whatever its shape, so much JSON is parsed within 15 ms. */
const LIGHT_BYTES = 1024 * 1024
/** Of more, only what is mostly text: 4 MiB of nothing but brackets take 170 ms. */
const MOST_MARKS = 30_000
const MARKS = [',', '[', '{']

/**
 * Whether parsing the JSON would hold the event loop for longer than others should wait. Nothing that the interface shows
 * comes near it: a page of 500 checks has 160 KB.
 */
export function isHeavy(bytes: Buffer): boolean {
  if (bytes.length <= LIGHT_BYTES) return false
  let found = 0
  for (const mark of MARKS) {
    for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1)) {
      found += 1
      if (found > MOST_MARKS) return true
    }
  }
  return false
}
