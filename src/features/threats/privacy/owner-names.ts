import { cameAs, type ThreatEvent } from '../../../api/threat-event.ts'
import { isStandIn } from './stand-ins.ts'

/** Every name and every e-mail address that an event gives for the owner of the domain. */
export interface Owner {
  names: readonly string[]
  addresses: readonly string[]
}

const MOST = 20
const ADDRESS_IN_PROSE = /(?<![^\s<>()[\]"',;:])[^\s<>()[\]"',;:]+[@\uff20\ufe6b][^\s<>()[\]"',;:]+/g
/** What stands behind a label such as `Registrant Name:`, in a record that came as one text. */
const LABELLED = /(?:owner|registrant|holder|person)[^:\n"]{0,60}"?\s{0,9}:\s{0,9}"?((?:[^"\n\\]|\\.)+)/gi
/** Places at and above the record: in another form than expected, they hold the owner wherever they like. */
const RECORDS = ['observed_data', 'observed_data.whois']

/** Whoever the WHOIS record names, also where its fields, or all of it, came in another form than expected. */
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

/** Whether the record came so that nobody can tell the owner's name from the rest of it. */
export const isRecordOdd = (event: Pick<ThreatEvent, 'asItCame'>): boolean =>
  RECORDS.some((path) => cameAs(event, path) !== undefined)

/** Places whose text is the owner's, or may be. */
export const isOwnersPlace = (path: string): boolean =>
  RECORDS.includes(path) || /^observed_data\.whois\.owner_(?:name|email)$/.test(path)

/** `Jane Roe <jane@mail.test>` holds a name, too. */
const nameBeside = (text: string): string[] => {
  const name = text
    .replace(ADDRESS_IN_PROSE, ' ')
    .replace(/[<>()"]/g, ' ')
    .trim()
  return name === '' || name === text.trim() ? [] : [name]
}

const addressesIn = (text: string): string[] => text.match(ADDRESS_IN_PROSE) ?? []

/** The texts in a value that came as JSON in place of a text; a text is its own. */
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
