import { expect, it } from 'vitest'
import { copyWindow } from '../../../src/features/threats/commands/details.ts'
import {
  eventForMembers,
  factsOnly,
  type ShownEvent,
} from '../../../src/features/threats/rules/shown-event.ts'
import { buildThreatCard } from '../../../src/features/threats/views/card.ts'
import { cardsView, cardView } from '../../../src/features/threats/views/card-message.ts'
import { caseCardView, stepsView } from '../../../src/features/threats/views/case.ts'
import { detailsWindow, dnsWindow, whoisWindow } from '../../../src/features/threats/views/windows.ts'
import type { ThreatEvent } from '../../../src/service/threat-event.ts'
import { quickOrLong } from '../../long.ts'
import { createRandom, readSeed } from '../../random.ts'
import { readEvent } from '../../service/reading.ts'
import { createSampleCase } from './cases/sample.ts'
import { createThreatEvent } from './events.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'
const NOW = new Date('2026-11-20T12:00:00Z')
const CONTEXT = {
  id: ID,
  now: NOW,
  readAt: NOW,
  origin: 'https://api.example.com',
  environment: 'production',
} as const
const COLLEAGUE = { userId: 'U1', name: 'Annabel Collins' }

const OWNERS = [
  { name: 'Quilliam Z. Borbeck', email: 'quilliam.borbeck@mail.test', phone: '+49 30 1234567' },
  { name: 'Jörgvin Mülltrax', email: 'j.muelltrax+web@poststelle.test', phone: '0049 (30) 765-4321' },
  { name: 'Борислав Квитко', email: 'kvitko@pochta.test', phone: '030/555 12 34' },
  { name: 'Anne-Lise D’Orazio', email: 'al@dorazio.test', phone: '+33 1 23 45 67 89' },
  { name: 'QUORVATH, Tamas', email: 'Tamas.Quorvath@MAIL.test', phone: '(555) 010-9999' },
] as const
type Owner = (typeof OWNERS)[number]

const EVENTS = quickOrLong('OWNED_EVENTS', { quick: 100, long: 3000 })

/** Spellings of a name that members can still see in texts, as documented. Guests can't see them. */
const NAME_VARIANTS: readonly ((name: string) => string)[] = [
  (name) => name.replaceAll(' ', '_'),
  (name) => name.split(' ').toReversed().join(' '),
  (name) => name.split(' ').at(-1) ?? '',
]

/** Creates an event that names its owner in several texts. Some of its fields may have an unexpected format. */
function createEventNaming({ name, email, phone }: Owner, random: () => number): object {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
  const changeName = pick(NAME_VARIANTS)
  const sampleText = () =>
    pick([
      `By ${name}`,
      `${name.toUpperCase()}: ${email}`,
      `Call ${phone} (${name})`,
      `${changeName(name)} of ${name}`,
    ])
  const event = createThreatEvent('exa.mple')
  const { website, whois } = event.observed_data
  Object.assign(whois, {
    owner_name: name,
    owner_email: email,
    owner_organisation: `${name} Trading`,
    registrar_name: pick(['Example Registrar', `Example Registrar, ${email}`]),
    resource_url: `https://rdap.example/?mail=${encodeURIComponent(email)}`,
  })
  const path = encodeURIComponent(pick([name, changeName(name), email]))
  Object.assign(website, {
    page_title: sampleText(),
    page_description: sampleText(),
    origin_url: `http://exa.mple/${path}`,
    final_url: `https://exa.mple/login?for=${path}#${path}`,
  })
  const unexpectedFields = pick<object>([
    {},
    { registrant: { name, phone } },
    { admin_contact: sampleText(), owner_phone: phone },
  ])
  const hasUnexpectedWhois = random() < 0.2
  return {
    ...event,
    comments: Array.from({ length: 1 + Math.floor(random() * 4) }, () => ({ content: sampleText() })),
    observed_data: {
      ...event.observed_data,
      website,
      whois: hasUnexpectedWhois
        ? pick<unknown>([[name, email], `${name} <${email}>`])
        : { ...whois, ...unexpectedFields },
    },
    ...(random() < 0.3 && { date: sampleText() }),
  }
}

const renderDetails = (shown: ShownEvent) =>
  detailsWindow(shown, { ...CONTEXT, picture: undefined, controls: [[], []] }).blocks

const toWindowInput = (event: ThreatEvent) => ({ ...CONTEXT, event, page: 1 })

/** Renders everything about an event that guests can see or that is posted in a channel. */
async function renderForEveryone(event: ThreatEvent): Promise<string> {
  const facts = factsOnly(event)
  const card = buildThreatCard(facts, { ...CONTEXT })
  const threatCase = await createSampleCase(event, ['take', COLLEAGUE], ['down', COLLEAGUE])
  return JSON.stringify([
    cardView({ card, buttons: [] }, CONTEXT),
    cardsView([card, card], CONTEXT),
    renderDetails(facts),
    dnsWindow(toWindowInput(facts.event)).blocks,
    copyWindow(toWindowInput(facts.event), event, true).blocks,
    caseCardView(threatCase),
    stepsView(threatCase),
  ])
}

/** Whether the text contains the part, even if defanged, encoded, or in another case. */
const containsText = (text: string, part: string): boolean => {
  const normalize = (value: string) => value.replaceAll(/\[([.:@])\]/g, '$1').toLowerCase()
  return [part, encodeURIComponent(part)].some((value) => normalize(text).includes(normalize(value)))
}

it(`shows the owners of ${EVENTS} events only in the WHOIS window, and nothing that names them to guests and channels`, {
  timeout: 60_000,
}, async () => {
  const seed = readSeed()
  const { next: random } = createRandom(seed)
  for (let index = 0; index < EVENTS; index += 1) {
    const owner = OWNERS[index % OWNERS.length] as Owner
    const event = readEvent({ ...createEventNaming(owner, random) })
    const label = `event ${index} of seed ${seed}`
    const publicText = await renderForEveryone(event)
    const nameParts = owner.name.split(/[ ,]+/).filter((part) => part.length > 2)
    for (const part of [...nameParts, owner.email, owner.phone])
      expect(containsText(publicText, part), `${label}: ${part} for everybody`).toBe(false)
    const { observedData, unexpectedValues } = eventForMembers(event).event
    expect(observedData?.whois).not.toMatchObject({ ownerName: expect.anything() })
    expect(observedData?.whois).not.toMatchObject({ ownerEmail: expect.anything() })
    expect(unexpectedValues.filter(({ path }) => path.startsWith('observed_data.whois'))).toEqual([])
    expect(JSON.stringify(whoisWindow(toWindowInput(event)).blocks)).toContain(owner.name)
  }
})
