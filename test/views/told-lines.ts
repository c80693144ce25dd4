import { readTypedLine } from '../bot/grammar/real-verbs.ts'
import { SAMPLE_ADDRESS, SAMPLE_CERTIFICATE, SAMPLE_THREATS } from './sample-data.ts'
import { asFields, type ShownView } from './shown-views.ts'

/** What people type for each placeholder. */
const FILLED: Readonly<Record<string, string>> = {
  'ALERT-ID': '1',
  NAME: 'shop',
  ID: SAMPLE_THREATS[0],
  UUID: SAMPLE_THREATS[0],
  CERT_ID: SAMPLE_CERTIFICATE,
  ADDRESS: SAMPLE_ADDRESS,
  TIME: '18:00',
  N: '1',
}
const PLACEHOLDER = /\b(?:ALERT-ID|NAME|ID|UUID|CERT_ID|ADDRESS|TIME|N)\b/g

/** Slack sends a chosen person as an ID. A posted text has a word joiner behind the @, so that it mentions nobody. */
const asTyped = (line: string): string =>
  line
    .replaceAll('\u2060', '')
    .replaceAll(/(?<![\w.])@[a-z][\w-]*/gi, '<@U0SAMPLE02>')
    .replaceAll(PLACEHOLDER, (name) => FILLED[name] ?? name)

const COMMAND = String.raw`\/(?:hc|threat|cert-order)(?![\w/-])`
const IN_CODE = new RegExp(`\`(${COMMAND}[^\`\n]*)\``, 'g')
/** Ends with the sentence, or before a quotation or the next line of examples. */
const IN_PROSE = new RegExp(
  String.raw`(?<![\w\`/])${COMMAND}(?:(?! {2}| [·–—(]|[.:,;!?)](?:\s|$))[^\n“\`])*`,
  'g',
)

/** The texts of a payload, with those in code in backticks. */
function collectTexts(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(collectTexts)
  const fields = asFields(part)
  const isCode = asFields(fields.style).code === true
  return Object.entries(fields).flatMap(([key, value]) => {
    if (typeof value === 'object') return collectTexts(value)
    return key === 'text' && typeof value === 'string' ? [isCode ? `\`${value}\`` : value] : []
  })
}

const isRead = async (line: string): Promise<boolean> =>
  (await readTypedLine(asTyped(line))).reading !== undefined

/** Reads a line in a sentence, whose last words may belong to the sentence. */
async function isReadInProse(told: string): Promise<boolean> {
  const words = told.trim().split(' ')
  do if (await isRead(words.join(' '))) return true
  while (/^[a-z’]+$/.test(words.pop() ?? ''))
  return false
}

/** The lines that a view tells people to type, and that the strict reader doesn't read. */
export async function findUnreadTold({ payload }: ShownView): Promise<string[]> {
  const unread: string[] = []
  for (const text of collectTexts(payload)) {
    for (const [, line = ''] of text.matchAll(IN_CODE)) if (!(await isRead(line))) unread.push(line)
    for (const [told] of text.replaceAll(IN_CODE, '').matchAll(IN_PROSE))
      if (!(await isReadInProse(told))) unread.push(told)
  }
  return unread
}
