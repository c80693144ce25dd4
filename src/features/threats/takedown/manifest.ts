import { hash } from 'node:crypto'
import type { Environment } from '../../../domain/environment.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { timeOf } from './letters.ts'
import type { ZipEntry } from './zip.ts'

/** A file of a kit, as the manifest lists it. */
export interface Entry extends ZipEntry {
  what: string
  /** The time to which the content belongs, when that is known. */
  time: string | undefined
}

/** What the kit could contain and does not, and why. */
export interface Missing {
  what: string
  why: string
}

/** The manifest as JSON. It does not say when it was made, so that equal kits are equal files. */
export function manifestOf(
  {
    id,
    environment,
    redactedEvent,
    since,
  }: { id: string; environment: Environment; redactedEvent: ThreatEvent; since: Date },
  entries: readonly Entry[],
  missing: readonly Missing[],
): Buffer {
  const { whois } = redactedEvent.observedData ?? {}
  const manifest = {
    about: `Takedown kit of threat event ${id}`,
    event: id,
    environment,
    marking: 'TLP:AMBER',
    owner:
      'The name and the e-mail address of the domain’s owner are kept back in every text. A picture shows the page as it was.',
    times: {
      reported: timeOf(redactedEvent.date) ?? null,
      domainRegistered: timeOf(whois?.creationDate) ?? null,
      recordUpdated: timeOf(whois?.updatedDate) ?? null,
      recordExpires: timeOf(whois?.expirationDate) ?? null,
      indicatorsSince: since.toISOString(),
    },
    entries: entries.map(({ name, what, body, time }) => ({
      name,
      what,
      bytes: body.length,
      sha256: hash('sha256', body, 'hex'),
      time: time ?? null,
    })),
    missing,
  }
  return Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`)
}
