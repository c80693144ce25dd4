/** A label and its values, shown in full. */
export interface Entry {
  /** `⚠️`, for a warning, comes before each value without a colon or a number. */
  label: string
  values: readonly string[]
}

export const WARNING = '⚠️'

/** What fits in one window, with room for the surrounding text. A view may have 100 blocks and 250 KB of JSON. */
const WINDOW = { sections: 80, bytes: 200_000 }

const MAX_SECTION_LENGTH = 3000
/** The most of a long value in one section, with room for its label. */
const MAX_PIECE_LENGTH = 2800

/**
 * Makes a value's invisible characters visible. Control and format characters, bidirectional marks, and unusual spaces become
 * escapes such as ⟨U+202E⟩. Spaces that Slack clients would drop become ␠.
 */
export const makeVisible = (value: string): string =>
  value
    .toWellFormed()
    .replace(/ (?= )|^ | $/g, '␠')
    .replace(
      /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Variation_Selector}|\u034f|[\u115f\u1160\u2800\u3164\uffa0]|(?! )\p{Zs}/gu,
      (character) => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
    )

/** The texts of the sections that show these entries. Long values are split into parts, so that nothing is cut off. */
export function* formatSections(entries: readonly Entry[]): Generator<string> {
  let section = ''
  for (const [name, value] of entries.flatMap(labelValues)) {
    const text = makeVisible(value) || '(empty)'
    const line = labelText(name, text)
    if (section !== '' && section.length + line.length + 1 > MAX_SECTION_LENGTH) {
      yield section
      section = ''
    }
    if (line.length <= MAX_SECTION_LENGTH) section += (section ? '\n' : '') + line
    else yield* splitValue(name, text)
  }
  if (section !== '') yield section
}

/** Labels each value of an entry: `Name`, or `Name 7 of 9` if there are several. */
export const labelValues = ({ label, values }: Entry): (readonly [name: string, value: string])[] =>
  values.map((value, index) => [
    values.length > 1 && label !== WARNING ? `${label} ${index + 1} of ${values.length}` : label,
    value,
  ])

/** `Duration: 1 year`, or `⚠️ It has no subject.`. */
export const labelText = (label: string, text: string): string =>
  `${label}${label === WARNING ? '' : ':'} ${text}`

/** Splits a value between characters, never inside an escape such as ⟨U+202E⟩. */
function* splitValue(name: string, text: string): Generator<string> {
  const pieces = ['']
  for (const [unit] of text.matchAll(/⟨U\+[0-9A-F]{4,6}⟩|[\s\S]/gu)) {
    if ((pieces.at(-1) ?? '').length + unit.length > MAX_PIECE_LENGTH) pieces.push('')
    pieces[pieces.length - 1] += unit
  }
  for (const [index, piece] of pieces.entries())
    yield `${name}, part ${index + 1} of ${pieces.length}: ${piece}`
}

/** The size of a text in Slack's JSON, counting every non-ASCII character as escaped. */
const countBytes = (text: string): number =>
  Buffer.byteLength(JSON.stringify(text).replace(/[\u0080-\uffff]/g, '\\u0000'))

/** The sections that show these entries; undefined if they don't fit in one window. */
export function fitInWindow(entries: readonly Entry[]): string[] | undefined {
  const sections: string[] = []
  let bytes = 0
  for (const section of formatSections(entries)) {
    bytes += countBytes(section)
    if (sections.length === WINDOW.sections || bytes > WINDOW.bytes) return undefined
    sections.push(section)
  }
  return sections
}
