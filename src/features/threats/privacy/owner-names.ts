import { cameAs, type ThreatEvent } from '../../../api/threat-event.ts'
import { isStandIn } from './stand-ins.ts'

/** Every name and e-mail address that an event gives for the owner of the domain. */
export interface Owner {
  names: readonly string[]
  addresses: readonly string[]
}

const MOST = 20
const ADDRESS_IN_PROSE = /(?<![^\s<>()[\]"',;:])[^\s<>()[\]"',;:]+[@\uff20\ufe6b][^\s<>()[\]"',;:]+/g
/** The text after a label such as `Registrant Name:`, when the record came as one text. */
const LABELLED = /(?:owner|registrant|holder|person)[^:\n"]{0,60}"?\s{0,9}:\s{0,9}"?((?:[^"\n\\]|\\.)+)/gi
/** Paths of the record and of its parents: in an unexpected form, the owner may be anywhere in them. */
const RECORDS = ['observed_data', 'observed_data.whois']

/** Everybody whom the WHOIS record names, also when its fields, or all of it, have an unexpected form. */
export function ownerOf(event: Pick<ThreatEvent, 'asItCame' | 'observedData'>): Owner {
  const { ownerName, ownerEmail } = event.observedData?.whois ?? {}
  const mailed = leavesOf(ownerEmail)
  const names = [...leavesOf(ownerName), ...mailed.flatMap(nameBeside)]
  const together = names.length > 1 ? [names.join(' '), names.toReversed().join(' ')] : []
  const records = RECORDS.flatMap((path) => cameAs(event, path) ?? [])
  const labelled = records.flatMap((text) => [...text.matchAll(LABELLED)].map(([, value = '']) => value))
  return {
    names: [...together, ...names, ...labelled].filter((name) => !isStandIn(name)).slice(0, MOST),
    addresses: [
      ...mailed.flatMap((text) => [text, ...(/\s/.test(text.trim()) ? addressesIn(text) : [])]),
      ...records.flatMap(addressesIn),
    ].slice(0, MOST),
  }
}

/** Whether the owner's name cannot be told from the rest of the record. */
export const isRecordOdd = (event: Pick<ThreatEvent, 'asItCame'>): boolean =>
  RECORDS.some((path) => cameAs(event, path) !== undefined)

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
