import { quickOrLong } from './long.ts'
import { createRandom } from './random.ts'

/** Fragments that may slow parsers down when repeated: unclosed brackets, nesting, near misses, and characters that match several rules. */
const FRAGMENTS: Readonly<Record<string, string>> = {
  'nested DER as base64': Buffer.from('3082ffff'.repeat(3), 'hex').toString('base64'),
  'nested DER as hexadecimal': '3082ffff',
  'sequences as base64': 'MIIM',
  'first character of DER as base64': 'M',
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
  'zero-width spaces': '\u200b',
  'line ends': '\r\n',
  'quoted email lines': '> ',
  'quotation marks': '"',
  'quotation marks and spaces': '" ',
  'apostrophes and words': "'a ",
  backslashes: '\\',
  'escapes in quotes': '"\\',
  'Unicode escapes': '\\u{1}',
  'angle brackets': '<',
  'beginnings of links': '<mailto:a|',
  mentions: '<@U0MEMBER01> ',
  'HTML entities': '&lt;',
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
  'full-width commas': '\uff0c',
  'closing brackets': ']',
  'host labels': 'a.',
  'Punycode labels': 'xn--a.',
  'letters beyond ASCII': '\u00e9',
  'letters with combining accents': 'e\u0301',
  'accents on accents': '\u0301',
  'surrogate pairs': '\u{1f600}',
  'lone surrogates': '\ud83d',
  'right-to-left overrides': '\u202e',
  ligatures: '\ufdfa',
  addresses: 'a@b.example ',
  'at signs': '@',
  'addresses in brackets': 'a <b@c.example> , ',
  'percent signs': '%2D',
  NUL: '\0',
  formulas: '=1+',
  'apostrophes and tabs': "''\t",
  'rows of a table': 'a,b\n',
  'quotes over lines': '"\n',
  digits: '1',
  durations: '1h ',
  patterns: '*a',
}

export interface HostileText {
  /** What the text consists of, for failure messages. */
  name: string
  text: string
}

/** A text of any length that repeats itself. */
export interface HostileShape {
  name: string
  write(size: number): string
}

/** A quick run uses every third fragment and a third of the mixtures. A long run uses all of them. */
const EVERY_NTH = quickOrLong('FRAGMENTS', { quick: 3, long: 1 })

/** Creates texts of this length that may take more than linear time to parse: each fragment alone, and random mixtures. */
export const createHostileTexts = (size: number, seed: number, mixtures = 20): HostileText[] =>
  createHostileShapes(seed, mixtures).map(({ name, write }) => ({ name, text: write(size) }))

/** The same, as shapes of any length: what a shape writes begins with what it writes at a smaller size. */
export function createHostileShapes(seed: number, mixtures = 20, everyNth = EVERY_NTH): HostileShape[] {
  const random = createRandom(seed)
  const names = Object.keys(FRAGMENTS)
  const createMixture = (nth: number): HostileShape => {
    const parts = Array.from({ length: 2 + random.below(3) }, () => FRAGMENTS[random.oneOf(names)] ?? '')
    const beginning = FRAGMENTS[random.oneOf(names)] ?? ''
    const block = parts.map((part) => part.repeat(1 + random.below(40))).join('')
    return { name: `mixture ${nth} of seed ${seed}`, write: (size) => repeatToSize(beginning + block, size) }
  }
  return [
    ...names
      .filter((_, nth) => nth % everyNth === seed % everyNth)
      .map((name) => ({ name, write: (size: number) => repeatToSize(FRAGMENTS[name] ?? '', size) })),
    ...Array.from({ length: Math.ceil(mixtures / everyNth) }, (_, nth) => createMixture(nth)),
  ]
}

const repeatToSize = (fragment: string, size: number): string =>
  fragment.repeat(Math.ceil(size / fragment.length)).slice(0, size)
