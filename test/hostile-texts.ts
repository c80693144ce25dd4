import { runs } from './long.ts'
import { seeded } from './random.ts'

/** Beginnings without an end, nesting, near misses, and characters that several rules could match: what slows parsers down. */
const FRAGMENTS: Readonly<Record<string, string>> = {
  'nested DER as base64': Buffer.from('3082ffff'.repeat(3), 'hex').toString('base64'),
  'nested DER as hexadecimal': '3082ffff',
  'sequences as base64': 'MIIM',
  'beginnings as base64': 'M',
  'integers as base64': Buffer.from('028201'.repeat(4), 'hex').toString('base64'),
  'long integers as hexadecimal': `0230${'00'.repeat(48)}`,
  'lines that begin a key': '-BEGIN ',
  'words that begin a key': ' BEGIN a b c d PRIVATE ',
  'members of a JSON Web Key': '"d" : "',
  'numbers of a printed key': 'priv:    ',
  'base64 with quotation marks': 'QUJD" "',
  'hexadecimal too short to be a key': `${'a1'.repeat(15)}z`,
  'half an id': '3f2504e0-4f89-41d3-9a0c-',
  ids: '3f2504e0-4f89-41d3-9a0c-0305e82c3301 ',
  'parts of ids': 'a-b ',
  spaces: ' ',
  'no-break spaces': '\u00a0',
  'invisible signs': '\u200b',
  'line ends': '\r\n',
  'quoting of mails': '> ',
  'quotation marks': '"',
  'quotation marks and spaces': '" ',
  'apostrophes and words': "'a ",
  backslashes: '\\',
  'escapes in quotes': '"\\',
  'numbered signs': '\\u{1}',
  'angle brackets': '<',
  'beginnings of links': '<mailto:a|',
  mentions: '<@U0MEMBER01> ',
  'entities of mark-up': '&lt;',
  'back-ticks': '`',
  dashes: '-',
  flags: '--status=x ',
  'unknown flags': '--a ',
  'long dashes': '\u2014',
  brackets: '[',
  'brackets and commas': '[,',
  braces: '{',
  commas: ',',
  semicolons: ';',
  colons: ': ',
  'commas of the full width': '\uff0c',
  'closing brackets': ']',
  'labels of a host': 'a.',
  'letters of many labels': 'xn--a.',
  'letters beyond ASCII': '\u00e9',
  'letters of two parts': 'e\u0301',
  'marks upon marks': '\u0301',
  'signs of two halves': '\u{1f600}',
  'halves of signs': '\ud83d',
  'from right to left': '\u202e',
  ligatures: '\ufdfa',
  addresses: 'a@b.example ',
  'signs of an address': '@',
  'addresses in brackets': 'a <b@c.example> , ',
  'percent signs': '%2D',
  NUL: '\0',
  formulas: '=1+',
  'apostrophes of a table': "''\t",
  'comments of YAML': '#\n',
  'entries of YAML': '- ',
  'entries on lines of their own': '-\n',
  'keys of YAML': '? ',
  'anchors of YAML': '&a ',
  'aliases of YAML': '*a ',
  'tags of YAML': '!a ',
  'ends of documents': '---\n',
  'rows of a table': 'a,b\n',
  'quotes over lines': '"\n',
  digits: '1',
  durations: '1h ',
  patterns: '*a',
}

export interface HostileText {
  what: string
  text: string
}

/** A run uses one fragment in this many, and the same share of the mixtures. */
const EVERY = runs('FRAGMENTS', { quick: 3, long: 1 })

/** Texts of this length that try to take more than linear time: each fragment alone, and mixtures by the seed. */
export function hostileTexts(size: number, seed: number, mixtures = 20): HostileText[] {
  const random = seeded(seed)
  const names = Object.keys(FRAGMENTS)
  const mixture = (nth: number): HostileText => {
    const parts = Array.from({ length: 2 + random.below(3) }, () => FRAGMENTS[random.oneOf(names)] ?? '')
    const before = FRAGMENTS[random.oneOf(names)] ?? ''
    const block = parts.map((part) => part.repeat(1 + random.below(40))).join('')
    return { what: `mixture ${nth} of seed ${seed}`, text: filled(before + block, size) }
  }
  return [
    ...names
      .filter((_, nth) => nth % EVERY === seed % EVERY)
      .map((what) => ({ what, text: filled(FRAGMENTS[what] ?? '', size) })),
    ...Array.from({ length: Math.ceil(mixtures / EVERY) }, (_, nth) => mixture(nth)),
  ]
}

const filled = (fragment: string, size: number): string =>
  fragment.repeat(Math.ceil(size / fragment.length)).slice(0, size)

const TRIES = 4
const TIMES = 8
/** Between 8, which is linear, and 64, which is quadratic. */
const MOST_TIMES_AS_LONG = 24
/** Less than this is too short to measure, and 24 times of it wouldn't block anyone. */
const LEAST_MS = 2

/** The texts for which `work` takes more than linear time: much more than eight times the work for eight times the text. */
export async function superlinear(
  size: number,
  seed: number,
  work: (text: string) => unknown,
): Promise<string[]> {
  const long = hostileTexts(size * TIMES, seed)
  const found: string[] = []
  for (const [nth, { what, text }] of hostileTexts(size, seed).entries()) {
    const whole = long[nth]?.text ?? ''
    const once = Math.max(LEAST_MS, await leastMs(() => work(text)))
    let times = Number.POSITIVE_INFINITY
    for (let nth = 0; nth < TRIES && times > MOST_TIMES_AS_LONG; nth += 1)
      times = Math.min(times, (await leastMs(() => work(whole), 1)) / once)
    if (times > MOST_TIMES_AS_LONG) found.push(`${what}: ${Math.round(times)} times the work`)
  }
  return found
}

/** The CPU time of this thread, so that other load makes no difference. */
const workedMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The minimum of several runs, because the first ones also compile. */
async function leastMs(work: () => unknown, tries = TRIES): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let nth = 0; nth < tries; nth += 1) {
    const started = workedMs()
    try {
      await work()
    } catch {
      // Parsing a text until it is rejected counts too.
    }
    least = Math.min(least, workedMs() - started)
  }
  return least
}

/**
 * The longest turn of the event loop during this work, in milliseconds of this thread's CPU time: the minimum of a few runs,
 * until one is below `enoughMs`, because runs may include compilation or garbage collection.
 */
export async function longestTurnMs(work: () => unknown, enoughMs = 0): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let nth = 0; nth < (enoughMs > 0 ? TRIES : 1) && least >= enoughMs; nth += 1)
    least = Math.min(least, await longestTurnOf(work))
  return least
}

async function longestTurnOf(work: () => unknown): Promise<number> {
  let longest = 0
  let isOver = false
  let since = workedMs()
  const turn = (): void => {
    const now = workedMs()
    longest = Math.max(longest, now - since)
    since = now
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  try {
    await work()
  } catch {
    // Parsing a text until it is rejected counts too.
  }
  isOver = true
  await new Promise((resolve) => setImmediate(resolve))
  return longest
}
