/** Something to be read in full: `Name`, and each of them. */
export interface Entry {
  label: string
  values: readonly string[]
}

/** What a page may hold. The last two are Slack's limits, with room for what stands around the text. */
interface PageSize {
  /** Characters that people read before they turn a page. */
  characters: number
  sections: number
  /** Of JSON; escaped text can take six bytes a character. */
  bytes: number
}

export const WINDOW_PAGE: PageSize = { characters: 12_000, sections: 90, bytes: 150_000 }
export const MESSAGE_PAGE: PageSize = { characters: 9000, sections: 40, bytes: 100_000 }

const SECTION = 3000
/** What a value that doesn't fit into one section is cut into. */
const PIECES = /(?:⟨U\+[0-9A-F]{4,6}⟩|[\s\S]){1,1400}/gu
const SMALL_PIECES = /(?:⟨U\+[0-9A-F]{4,6}⟩|[\s\S]){1,280}/gu

/**
 * What a value looks like on a screen: control and format characters, bidirectional marks, and spaces other than the plain one as
 * ⟨U+202E⟩; spaces that clients would swallow as ␠.
 */
export const visibleText = (value: string): string =>
  value
    .toWellFormed()
    .replace(/ (?= )|^ | $/g, '␠')
    .replace(
      /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Variation_Selector}|\u034f|[\u115f\u1160\u2800\u3164\uffa0]|(?! )\p{Zs}/gu,
      (sign) => `⟨U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
    )

/** The texts of the sections that show these values. Joined, the parts of a long value are the value. */
export function* sections(entries: readonly Entry[]): Generator<string> {
  let open = ''
  for (const [name, value] of entries.flatMap(namedValues)) {
    const text = visibleText(value) || '(empty)'
    const whole = `${name}: ${text}`
    if (open !== '' && open.length + whole.length + 1 > SECTION) {
      yield open
      open = ''
    }
    if (whole.length <= SECTION) open += (open ? '\n' : '') + whole
    else yield* parts(name, text)
  }
  if (open !== '') yield open
}

/** `Name 7 of 9`, where there are several. */
export const namedValues = ({ label, values }: Entry): (readonly [name: string, value: string])[] =>
  values.map((value, at) => [values.length > 1 ? `${label} ${at + 1} of ${values.length}` : label, value])

/** A value in parts, cut between characters and never inside of a ⟨U+202E⟩. */
function* parts(name: string, text: string): Generator<string> {
  const pieces = (text.match(PIECES) ?? []).flatMap(halves)
  for (const [at, piece] of pieces.entries()) yield `${name}, part ${at + 1} of ${pieces.length}: ${piece}`
}

/** A piece of written-out characters may be longer than a section. */
function halves(piece: string): string[] {
  if (piece.length <= SECTION - 200) return [piece]
  return piece.match(SMALL_PIECES) ?? []
}

const countBytes = (text: string): number =>
  Buffer.byteLength(JSON.stringify(text).replace(/[\u0080-\uffff]/g, '\\u0000'))

/** The sections of each page. */
export function splitIntoPages(entries: readonly Entry[], most: PageSize): string[][] {
  const pages: string[][] = [[]]
  let bytes = 0
  let characters = 0
  for (const section of sections(entries)) {
    const page = pages.at(-1) ?? []
    const size = countBytes(section)
    const isFull =
      page.length >= most.sections ||
      bytes + size > most.bytes ||
      characters + section.length > most.characters
    if (isFull && page.length > 0) {
      pages.push([section])
      bytes = size
      characters = section.length
      continue
    }
    page.push(section)
    bytes += size
    characters += section.length
  }
  return pages
}
