import { eachInTurns, yieldWhenDue } from '@signalman/runtime'
import type { ThreatEvent, Website, Whois } from '../../../service/threat-event.ts'
import { type FindOwner, ownerFinder } from './find-owner.ts'
import { isOwnersPlace, isRecordOdd, isStandIn, ownerOf } from './owner-names.ts'

/** Replaces the owner's name and e-mail address. */
export const KEPT_BACK = '(kept back: personal)'

/** Nothing shows more of one text. The rest of a longer one is neither searched nor kept. */
const LONGEST = 6000

/** An event without the personal data of the domain's owner. */
export interface RedactedEvent {
  event: ThreatEvent
  /** What the WHOIS record says of the owner: `name and e-mail address`; undefined when it says nothing personal. */
  owner: string | undefined
  /** How many other texts of the event name the owner. */
  elsewhere: number
  /** Whether the record hides its owner's name, or has none. */
  isOwnerHidden: boolean
}

/** Starts at the beginning of a word only: started at each character, it would take quadratic time. */
const ADDRESS =
  /(?<![^\s<>()[\]"',;:/?&=])[^\s<>()[\]"',;:/?&=]+(?:[@\uff20\ufe6b]|%40)[^\s<>()[\]"',;:/?&=]+/gi
const SPELT_AT = /[[({<]\s?at\s?[\])}>]/i
const SPELT_ADDRESS =
  /[\w.+-]{1,64}\s?[[({<]\s?at\s?[\])}>]\s?[\w-]+(?:(?:\.|\s?[[({<]\s?dot\s?[\])}>]\s?)[\w-]+)+/gi

/**
 * Removes the owner's name and e-mail address from every text of the event, and every e-mail address from the WHOIS record.
 * Lets other work run in between: an event may have 100,000 texts.
 */
export async function redactEvent(event: ThreatEvent): Promise<RedactedEvent> {
  const whois = event.observedData?.whois
  const find = ownerFinder(ownerOf(event))
  let elsewhere = 0
  const clean = (text: string): string => {
    const cut = text.length > LONGEST ? text.slice(0, LONGEST) : text
    const said = without(cut, find)
    if (said !== cut) elsewhere += 1
    return said
  }
  const named = [
    whois?.ownerName && !isStandIn(whois.ownerName) && 'name',
    whois?.ownerEmail && 'e-mail address',
    isRecordOdd(event) && 'WHOIS record in an odd form',
  ].filter(Boolean)
  const rest = {
    ...event,
    observedData: event.observedData && {
      ...event.observedData,
      // Whom such a record names is a guess: whatever the page says freely may be that name.
      ...(isRecordOdd(event) && { website: withoutFreeText(event.observedData.website) }),
      whois: whois && (await withoutOwner(whois)),
    },
    asItCame: await eachInTurns(event.asItCame, ({ path, text }) => ({
      path,
      text: isOwnersPlace(path) ? KEPT_BACK : path.startsWith('observed_data.whois.') ? bare(text) : text,
    })),
  }
  return {
    // Each text is replaced by a text, so the shape stays.
    event: (await cleaned(rest, clean)) as ThreatEvent,
    owner: named.length > 0 ? named.join(' and ') : undefined,
    elsewhere,
    isOwnerHidden: whois !== undefined && (!whois.ownerName || isStandIn(whois.ownerName)),
  }
}

function withoutFreeText(website: Website | undefined): Website | undefined {
  const { pageTitle, pageDescription } = website ?? {}
  return (
    website && {
      ...website,
      ...(pageTitle && { pageTitle: KEPT_BACK }),
      ...(pageDescription && { pageDescription: KEPT_BACK }),
    }
  )
}

function bare<T extends string | undefined>(text: T): T {
  const plain = text?.slice(0, LONGEST).replace(ADDRESS, KEPT_BACK)
  // A text for a text, so the type stays.
  return (plain && SPELT_AT.test(plain) ? plain.replace(SPELT_ADDRESS, KEPT_BACK) : plain) as T
}

/** Removes the record's fields for the owner, and every e-mail address in its other fields. */
async function withoutOwner({ ownerName, ownerEmail, others, ...rest }: Whois): Promise<Whois> {
  return {
    ...rest,
    ...(isStandIn(ownerName) && { ownerName: bare(ownerName) }),
    ownerOrganisation: bare(rest.ownerOrganisation),
    registrarName: bare(rest.registrarName),
    statuses: rest.statuses && (await eachInTurns(rest.statuses, bare)),
    resourceUrl: bare(rest.resourceUrl),
  }
}

async function cleaned(part: unknown, clean: (text: string) => string): Promise<unknown> {
  if (typeof part === 'string') return clean(part)
  if (typeof part !== 'object' || part === null || part instanceof Date) return part
  if (Array.isArray(part)) return eachInTurns(part, (item) => cleaned(item, clean))
  const whole: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(part)) {
    await yieldWhenDue()
    // Their values are paths of the interface, and never the service's own text.
    whole[name] = name === 'unreadable' || name === 'path' ? inner : await cleaned(inner, clean)
  }
  return whole
}

/** The text with `KEPT_BACK` for each place that names the owner; adjoining places become one. */
function without(text: string, find: FindOwner): string {
  const places = find(text).toSorted((one, other) => one.start - other.start)
  if (places.length === 0) return text
  let said = ''
  let at = 0
  for (const { start, end } of places) {
    if (end <= at) continue
    if (start >= at)
      said += text.slice(at, start) + (said.endsWith(KEPT_BACK) && start === at ? '' : KEPT_BACK)
    at = Math.max(at, end)
  }
  return said + text.slice(at)
}
