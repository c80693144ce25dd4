/** A leaf of the service's JSON answer: its path and exact text. */
export interface AnswerLeaf {
  path: string
  value: string
}

const MAX_LEAVES = 5000
const MAX_DEPTH = 60

/** A number exactly as written in the JSON. `JSON.parse` would round long ones. */
export class ExactNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

function reviveExactNumber(_key: string, value: unknown, { source }: { source?: string } = {}): unknown {
  return typeof value === 'number' && source !== undefined ? new ExactNumber(source) : value
}

/** The leaves of the answer in order, up to the limits above; undefined if it isn't a JSON object or array. */
export function listLeaves(answer: string): AnswerLeaf[] | undefined {
  const body = parseAnswer(answer)
  if (typeof body !== 'object' || body === null) return undefined
  const leaves: AnswerLeaf[] = []
  collectLeaves(body, '', leaves, 0)
  return leaves
}

/** The answer as JSON, with each number as `ExactNumber`; undefined if it isn't JSON. */
export function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''), reviveExactNumber)
  } catch {
    return undefined
  }
}

function collectLeaves(value: unknown, path: string, leaves: AnswerLeaf[], depth: number): void {
  if (leaves.length >= MAX_LEAVES || depth > MAX_DEPTH) return
  const parts = listMembers(value, path)
  for (const [partPath, part] of parts) collectLeaves(part, partPath, leaves, depth + 1)
  if (parts.length === 0) leaves.push({ path, value: formatValue(value) })
}

/** The members of an object or array, each with its path. */
function listMembers(value: unknown, path: string): (readonly [path: string, part: unknown])[] {
  if (Array.isArray(value)) return value.map((part, index) => [`${path}[${index}]`, part])
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return []
  return Object.entries(value).map(([key, part]) => [path === '' ? key : `${path}.${key}`, part])
}

function formatValue(value: unknown): string {
  if (value instanceof ExactNumber) return value.text
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The answer as lines of limited length. JSON is indented without changing any literal; other text keeps its line breaks. */
export function formatAnswer(answer: string): string[] {
  return (parseAnswer(answer) === undefined ? answer : indentJson(answer)).split(/\r?\n/).flatMap(wrapLine)
}

const MAX_LINE_LENGTH = 1000
const wrapLine = (line: string): string[] => line.match(new RegExp(`.{1,${MAX_LINE_LENGTH}}`, 'gsu')) ?? ['']

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs
/** Levels below this depth aren't indented any further. */
const MAX_INDENTED_DEPTH = 20

/** Indents JSON. Changes only whitespace. */
function indentJson(json: string): string {
  let depth = 0
  let previous = ''
  let text = ''
  const breakLine = (): string => `\n${'  '.repeat(Math.min(depth, MAX_INDENTED_DEPTH))}`
  for (const [token] of json.matchAll(TOKEN)) {
    const isClosing = token === '}' || token === ']'
    const isAfterOpening = previous === '{' || previous === '['
    if (isClosing) depth -= 1
    // Breaks the line after an opening bracket and before a closing one, but not inside an empty object or array.
    if (isAfterOpening !== isClosing || previous === ',') text += breakLine()
    text += token === ':' ? ': ' : token
    if (token === '{' || token === '[') depth += 1
    previous = token
  }
  return text
}
