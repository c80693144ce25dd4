/** JSON.parse takes the longer for each bracket the deeper they are: up to a second for a few megabytes. */
const MAX_DEPTH = 150_000

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [...'"\\[]{}'].map((character) =>
  character.charCodeAt(0),
)

/** Parses JSON that comes from outside. Throws a SyntaxError also if it's nested too deeply. */
export function parseJson(text: string, reviver?: Parameters<typeof JSON.parse>[1]): unknown {
  if (hasManyBrackets(text) && isTooDeep(text)) throw new SyntaxError('Nested too deeply')
  return JSON.parse(text, reviver)
}

/** No text is deeper than it has brackets. Counting them takes a fraction of the time of reading it. */
function hasManyBrackets(text: string): boolean {
  let count = 0
  for (const bracket of '[{')
    for (let at = text.indexOf(bracket); at >= 0 && count <= MAX_DEPTH; at = text.indexOf(bracket, at + 1))
      count += 1
  return count > MAX_DEPTH
}

function isTooDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = findEndOfString(text, at)
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1
    if (depth > MAX_DEPTH) return true
  }
  return false
}

/** Where the string ends that begins at an index. What isn't a string to its end isn't JSON. */
function findEndOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at
}
