import { cameAs, type ThreatEvent } from '../../../service/threat-event.ts'

/** Every name and e-mail address that an event gives for the owner of the domain. */
export interface Owner {
  names: readonly string[]
  addresses: readonly string[]
}

const MOST = 20
const ADDRESS_IN_PROSE = /(?<![^\s<>()[\]"',;:])[^\s<>()[\]"',;:]+[@\uff20\ufe6b][^\s<>()[\]"',;:]+/g
const PERSON = '(?:owner|registrant|holder|person|contact|name|admin|tech)'
/** The text after a label such as `Registrant Name:` or `Contact:`, or between two tags, when the record came as one text. */
const LABELLED = new RegExp(
  `(?<!(?:domain|server|host|registrar|file|user|nick)[ _-]?)${PERSON}[^:\\n"<>]{0,60}"?\\s{0,9}:\\s{0,9}"?((?:[^"\\n\\\\]|\\\\.)+)`,
  'gi',
)
const TAGGED = new RegExp(`<[\\w:-]{0,30}${PERSON}[\\w:-]{0,30}[^<>]{0,100}>([^<>]{1,300})<`, 'gi')
/** Keys whose texts name a place, a company or a machine, and no person. */
const NO_PERSON =
  /registrar|organi[sz]ation|company|city|country|state|province|street|address|postal|zip|phone|fax|server|date|created|updated|expir|domain|url|dnssec|lang/i
/** Two to six words of letters, as a person's name is written. */
const NAME_LIKE = /^[\p{L}\p{M}'’.-]{1,40}(?:[\s,]{1,3}[\p{L}\p{M}'’.-]{1,40}){1,5}$/u
/** What Slack reads as a mention. Nobody has it for a name, and a record may hold it so that other texts are kept back too. */
const MENTION = /<?[!@#](?:channel|here|everyone|subteam\^\w+|[CDGUW][A-Z0-9]{6,12})\b[|>]?/g
/** Paths of the record and of its parents: in an unexpected form, the owner may be anywhere in them. */
const RECORDS = ['observed_data', 'observed_data.whois']

/** Everybody whom the WHOIS record names, also when its fields, or all of it, have an unexpected form. */
export function ownerOf(event: Pick<ThreatEvent, 'asItCame' | 'observedData'>): Owner {
  const { ownerName, ownerEmail } = event.observedData?.whois ?? {}
  const mailed = leavesOf(ownerEmail)
  const names = [...leavesOf(ownerName), ...mailed.flatMap(nameBeside)]
  const together = names.length > 1 ? [names.join(' '), names.toReversed().join(' ')] : []
  const records = RECORDS.flatMap((path) => cameAs(event, path) ?? [])
  const others = event.observedData?.whois?.others ?? []
  const texts = [...records, ...others.map(({ text }) => text)]
  const labelled = texts.flatMap((text) =>
    [LABELLED, TAGGED].flatMap((pattern) => [...text.matchAll(pattern)].map(([, value = '']) => value)),
  )
  const listed = [
    ...records.flatMap(leavesOf),
    ...others.filter(({ key }) => !NO_PERSON.test(key)).map(({ text }) => text),
  ].filter((text) => NAME_LIKE.test(text.trim()))
  const beside = [...texts, ...labelled].flatMap(namesBeside)
  return {
    names: [...together, ...names, ...listed, ...beside, ...labelled]
      .map((name) => name.replace(MENTION, ' '))
      .filter((name) => !isStandIn(name))
      .slice(0, MOST),
    addresses: [
      ...mailed.flatMap((text) => [text, ...(/\s/.test(text.trim()) ? addressesIn(text) : [])]),
      ...texts.flatMap(addressesIn),
    ].slice(0, MOST),
  }
}

/** Whether the owner's name cannot be told from the rest of the record. */
export const isRecordOdd = (event: Pick<ThreatEvent, 'asItCame' | 'observedData'>): boolean =>
  RECORDS.some((path) => cameAs(event, path) !== undefined) ||
  (event.observedData?.whois?.others ?? []).some(({ key }) => !NO_PERSON.test(key))

/** Paths whose text is, or may be, the owner's. */
export const isOwnersPlace = (path: string): boolean =>
  RECORDS.includes(path) || /^observed_data\.whois\.owner_(?:name|email)$/.test(path)

/** `Jane Roe <jane@mail.test>` contains a name too. */
const nameBeside = (text: string): string[] => {
  const name = text
    .replace(ADDRESS_IN_PROSE, ' ')
    .replace(/[<>()"]/g, ' ')
    .trim()
  return name === '' || name === text.trim() ? [] : [name]
}

/** The words in front of each `<address>` of a longer text. */
const namesBeside = (text: string): string[] =>
  [...text.matchAll(/([^<>\n;|"]{3,80})<[^<>\s]{3,320}[@\uff20\ufe6b]/g)].map(([, name = '']) =>
    name.replace(/^.*:/, '').trim(),
  )

const addressesIn = (text: string): string[] => text.match(ADDRESS_IN_PROSE) ?? []

/** The texts in a value that is JSON instead of a text; a plain text is its own only one. */
function leavesOf(text: string | undefined): string[] {
  if (!text) return []
  if (!/^[[{]/.test(text)) return [text]
  try {
    return textsIn(JSON.parse(text))
  } catch {
    return [text]
  }
}

function textsIn(part: unknown): string[] {
  if (typeof part === 'string') return [part]
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(textsIn) : []
}

/** Words that registrars write instead of a person. A name made only of these names nobody, and may be shown. */
export const STAND_IN = new Set(
  (
    'redacted for privacy private person registration registrant service services protect protected protection proxy ' +
    'domains domain by whois whoisguard guard withheld not disclosed undisclosed available data masked hidden statutory ' +
    'masking enabled gdpr owner contact inc llc ltd ehf limited customer id of the provided identity anonymous name na'
  ).split(' '),
)

export function isStandIn(name: string | undefined): boolean {
  let isWord = false
  for (const [word] of (name ?? '').toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    if (!STAND_IN.has(word)) return false
    isWord = true
  }
  return isWord
}
