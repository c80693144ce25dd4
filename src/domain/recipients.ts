import { domainToASCII } from 'node:url'
import { DOUBLE_QUOTES, INVISIBLE, SINGLE_QUOTES } from '@signalman/runtime'

/** The recipients in a text, each once and in the order typed. */
export interface Recipients {
  addresses: string[]
  /** Invalid addresses and the reasons. */
  bad: { typed: string; reason: string }[]
}

// Slack writes an address as `<mailto:a@b|a@b>`; mail programs write `Name <a@b>` and `"Last, First" <a@b>`.
const MAILTO = /<mailto:([^<>|]*)(?:\|[^<>]*)?>/gi
const QUOTED_NAME = /"[^"\n]*"(?=\s*<)/g
const INVISIBLES = new RegExp(`[${INVISIBLE}]`, 'gu')
const ENTRIES = /[\n\r;\uff1b]+/
const IN_BRACKETS = /<([^<>]*)>/
const COMMAS = /[,\uff0c\u3001]+/
const DOMAIN_LIKE = /^[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*\.\p{L}{2,}$/u
const BETWEEN_WORDS = /[\s,\uff0c\u3001]+/
const OPENING = new RegExp(`["'\`(<[${DOUBLE_QUOTES}${SINGLE_QUOTES}]`, 'u')
const CLOSING = new RegExp(`["'\`)>\\]${DOUBLE_QUOTES}${SINGLE_QUOTES}.:!?]`, 'u')

/** The recipients of an alert, and how much of them can't be read. */
export interface Mailing {
  readonly type?: string
  readonly recipients: readonly string[]
  readonly unreadable?: number | undefined
}

/** Whether Signalman can read all recipients. The service may have some that it can't. */
export const isReadable = (alerts: readonly Mailing[]): boolean =>
  alerts.every(({ unreadable = 0 }) => unreadable === 0)

/** How many bytes the alerts of a check may have as JSON, in a cell that leaves room for the others of its record. */
const MAX_ALERTS_BYTES = 150_000

/** Why the alerts of a check aren't changed: the file of what was before couldn't bring them back. Undefined if it could. */
export function findAlertsFault(alerts: readonly Mailing[]): string | undefined {
  if (!isReadable(alerts)) return 'Signalman can’t read some of its recipients, and would lose them.'
  const cell = JSON.stringify(alerts.map(({ type, recipients }) => ({ type, recipients })))
  if (Buffer.byteLength(cell) <= MAX_ALERTS_BYTES) return undefined
  return 'It has more recipients than a file can hold, which couldn’t bring them back. Change it in the service instead.'
}

/** Parses recipients from any pasted text: separated by commas, semicolons, spaces, or lines, with names or without. */
export function parseRecipients(text: string): Recipients {
  const plain = text.replace(INVISIBLES, '').replace(MAILTO, '<$1>').replace(QUOTED_NAME, ' ')
  const found: Recipients = { addresses: [], bad: [] }
  const seenKeys = new Set<string>()
  for (const typed of plain.split(ENTRIES).flatMap(splitEntry)) {
    const reason = findAddressFault(typed)
    const key = reason ? typed : recipientKey(typed)
    if (seenKeys.has(key)) continue
    seenKeys.add(key)
    if (reason) found.bad.push({ typed, reason })
    else found.addresses.push(toSendable(typed))
  }
  return found
}

/** The words of an entry that are probably addresses. Text before a bracket may be a person's name. */
function splitEntry(entry: string): string[] {
  const pieces = entry.split(IN_BRACKETS)
  return pieces.flatMap((piece, index) => {
    const isBeforeBracket = index % 2 === 0 && index < pieces.length - 1
    return isBeforeBracket ? findAddressesBesideName(piece) : splitWords(piece)
  })
}

const splitWords = (text: string): string[] => text.split(BETWEEN_WORDS).map(stripPunctuation).filter(Boolean)

/**
 * The words before a bracket that aren't part of a name. `Ann Lee` and `Lee, Ann` are names; a word with an `@`, or one that
 * looks like a domain, is probably an address.
 */
function findAddressesBesideName(piece: string): string[] {
  const parts = piece.split(COMMAS).map(splitWords)
  return parts.flatMap((words, index) => {
    // A name has at most two parts, as in `Lee, Ann`.
    const couldBeName = index >= parts.length - 2
    return couldBeName ? words.filter((word) => word.includes('@') || DOMAIN_LIKE.test(word)) : words
  })
}

/** Removes the punctuation around a word, and `mailto:`. */
function stripPunctuation(word: string): string {
  let start = 0
  let end = word.length
  while (start < end && OPENING.test(word.charAt(start))) start += 1
  while (start < end && CLOSING.test(word.charAt(end - 1))) end -= 1
  const inner = word.slice(start, end)
  return /^mailto:/i.test(inner) ? (inner.slice('mailto:'.length).split('?')[0] ?? '') : inner
}

const LOCAL = /^[^\s@"(),:;<>[\]\\]{1,64}$/u
const DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** What is wrong with an address, as the end of a sentence; undefined if it is valid. */
function findAddressFault(typed: string): string | undefined {
  const { local, domain } = splitAddress(typed)
  if (!typed.includes('@')) return 'has no @'
  if (!local) return 'has nothing before the @'
  if (!domain) return 'has nothing after the @'
  if (local.includes('@')) return 'has more than one @'
  if (!LOCAL.test(local) || /^\.|\.\.|\.$/.test(local)) return 'has an invalid part before the @'
  const labels = toAsciiDomain(domain).split('.')
  if (labels.length < 2) return 'has no dot in its domain'
  const isName = DOMAIN.test(domain) && labels.every((label) => LABEL.test(label))
  if (!isName || /^\d+$/.test(labels.at(-1) ?? '')) return 'has an invalid domain after the @'
  return toSendable(typed).length > 254 ? 'is too long for an email address' : undefined
}

function splitAddress(address: string): { local: string; domain: string } {
  const at = address.lastIndexOf('@')
  return { local: address.slice(0, Math.max(0, at)), domain: address.slice(at + 1) }
}

const isAscii = (text: string): boolean => /^[!-~]*$/.test(text)

/** A domain in the form used to route mail: lowercase, and an international domain in its `xn--` form. */
const toAsciiDomain = (domain: string): string =>
  isAscii(domain) ? domain.toLowerCase() : domainToASCII(domain)

/** The address as typed, but with an international domain in its `xn--` form. */
function toSendable(typed: string): string {
  const { local, domain } = splitAddress(typed)
  return isAscii(domain) ? typed : `${local}@${toAsciiDomain(domain)}`
}

/** Two spellings of one mailbox have the same key: no mail system in use distinguishes case. */
export function recipientKey(address: string): string {
  const { local, domain } = splitAddress(address)
  return `${local.toLowerCase()}@${toAsciiDomain(domain)}`
}

/** The addresses in `wanted` that aren't in `recipients`, each once. */
export function listMissing(recipients: readonly string[], wanted: readonly string[]): string[] {
  const missing = new Map<string, string>()
  for (const address of wanted) {
    const key = recipientKey(address)
    if (!missing.has(key)) missing.set(key, address)
  }
  for (const address of recipients) missing.delete(recipientKey(address))
  return [...missing.values()]
}
