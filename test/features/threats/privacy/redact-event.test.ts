import { hash } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { describe, expect, it } from 'vitest'
import { KEPT_BACK, redactEvent } from '../../../../src/features/threats/privacy/redact-event.ts'
import { seeded, seedOf } from '../../../random.ts'
import { threatEventOf } from '../../../service/reading.ts'
import { eventOf } from '../events.ts'

const OWNERS = [
  { name: 'Quilliam Z. Borbeck', email: 'quilliam.borbeck@mail.test' },
  { name: 'Jörgvin Mülltrax', email: 'j.muelltrax+web@poststelle.test' },
  { name: 'Борислав Квитко', email: 'kvitko@pochta.test' },
  { name: '欧阳锋', email: 'ouyangfeng88@mail.test' },
  { name: "Siobhán O'Zarrelly", email: "siobhan.o'zarrelly@mail.test" },
  { name: 'Zed Qux', email: 'zq@q-mail.test' },
  { name: 'QUORVATH, Tamas', email: 'Tamas.Quorvath@MAIL.test' },
] as const

type Form = (plain: string) => string
const encoded: Form = (plain) =>
  [...Buffer.from(plain)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

const EITHER: Readonly<Record<string, Form>> = {
  'as it is': (plain) => plain,
  'upper case': (plain) => plain.toUpperCase(),
  'lower case': (plain) => plain.toLowerCase(),
  percent: encodeURIComponent,
  'percent throughout': encoded,
  'percent twice': (plain) => encodeURIComponent(encodeURIComponent(plain)),
  'in an address': (plain) => `https://rdap.test/?q=${new URLSearchParams({ q: plain })}&page=2#top`,
  entities: (plain) => [...plain].map((sign) => `&#${sign.codePointAt(0)};`).join(''),
  'hexadecimal entities': (plain) =>
    [...plain].map((sign) => `&#x${sign.codePointAt(0)?.toString(16)};`).join(''),
  escapes: (plain) => [...plain].map((sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`).join(''),
  'zero-width signs': (plain) => [...plain].join('\u200b'),
  'full width': (plain) =>
    plain.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)),
  decomposed: (plain) => plain.normalize('NFD'),
  'spread out': (plain) => [...plain].join(' '),
  base64: (plain) => Buffer.from(plain).toString('base64'),
  'base64 within': (plain) => Buffer.from(`id=${plain}&x=1`).toString('base64url'),
  hexadecimal: (plain) => Buffer.from(plain).toString('hex'),
  'between words': (plain) => `held for ${plain}, see ticket 7`,
}
const OF_NAMES: Readonly<Record<string, Form>> = {
  underscores: (name) => name.replaceAll(' ', '_'),
  'dots and a number': (name) => `${name.replaceAll(' ', '.')}1985`,
  'last name first': (name) => [name.split(' ').at(-1), name.split(' ').slice(0, -1).join(' ')].join(', '),
  'without accents': (name) => name.normalize('NFD').replace(/\p{M}/gu, ''),
}
const OF_ADDRESSES: Readonly<Record<string, Form>> = {
  'spelt out': (email) => email.replace('@', ' [at] ').replaceAll('.', ' [dot] '),
  'in round brackets': (email) => email.replace('@', '(at)').replaceAll('.', '(dot)'),
  'as words': (email) => email.replace('@', ' at ').replaceAll('.', ' dot '),
  'full-width sign': (email) => email.replace('@', '\uff20'),
  mailto: (email) => `mailto:${email}?subject=abuse`,
  'a digest': (email) => hash('md5', email.toLowerCase(), 'hex'),
  'a long digest': (email) => `https://t.test/o/${hash('sha256', email.toLowerCase(), 'hex')}.gif`,
}

/** Every place of an event that holds text, as a path. */
function placesOf(part: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof part === 'string') return [path]
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([key, inner]) =>
    placesOf(inner, [...path, Array.isArray(part) ? Number(key) : key]),
  )
}

function plant(event: unknown, path: readonly (string | number)[], text: string): void {
  const holder = path
    .slice(0, -1)
    .reduce((part, key) => (part as Record<string | number, unknown>)[key], event)
  ;(holder as Record<string | number, unknown>)[path.at(-1) ?? ''] = text
}

const isOfOwner = (path: readonly (string | number)[]): boolean =>
  /owner_(?:name|email)$/.test(String(path.at(-1))) || /date|since/.test(String(path.at(-1)))

async function shared(
  owner: { name: string; email: string },
  path: readonly (string | number)[],
  text: string,
) {
  const event = eventOf('exa.mple')
  event.observed_data.whois.owner_name = owner.name
  event.observed_data.whois.owner_email = owner.email
  plant(event, path, text)
  return redactEvent(threatEventOf(event))
}

describe('the owner of a domain', () => {
  const places = placesOf(eventOf('exa.mple')).filter((path) => !isOfOwner(path))
  const names = { ...EITHER, ...OF_NAMES }
  const addresses = { ...EITHER, ...OF_ADDRESSES }

  it.each(OWNERS)('$name is in no form in anything that is shared unasked', async (owner) => {
    const planted = [
      ...Object.entries(names).map(([form, make]) => ({ form, text: make(owner.name) })),
      ...Object.entries(addresses).map(([form, make]) => ({ form, text: make(owner.email) })),
    ]
    for (const { form, text } of planted) {
      const place = places[form.length % places.length] ?? []
      const { event, elsewhere } = await shared(owner, place, text)
      const left = JSON.stringify(event)
      expect({ form, left }).not.toEqual({
        form,
        left: expect.stringContaining(JSON.stringify(text).slice(1, -1)),
      })
      expect({ form, elsewhere: elsewhere > 0 || left.includes(KEPT_BACK) }).toEqual({
        form,
        elsewhere: true,
      })
    }
  })

  it('is in no field of it, wherever it was planted', async () => {
    const seed = seedOf()
    const random = seeded(seed)
    for (const place of places)
      for (let round = 0; round < 6; round += 1) {
        const owner = random.oneOf(OWNERS)
        const [forms, plain] = random.below(2) === 0 ? [names, owner.name] : [addresses, owner.email]
        const [form, make] = random.oneOf(Object.entries(forms))
        // Space at its ends, and more of it, changes nothing.
        const text = `${'x '.repeat(random.below(3))}${make(plain)}${' y'.repeat(random.below(3))}`
        const { event } = await shared(owner, place, text)
        const about = { seed, place: place.join('.'), form, owner: owner.name }
        expect({
          ...about,
          left: JSON.stringify(event).includes(JSON.stringify(make(plain)).slice(1, -1)),
        }).toEqual({
          ...about,
          left: false,
        })
      }
  })

  it('is found in a domain of their own, in punycode too', async () => {
    const owner = { name: 'Jörgvin Mülltrax', email: 'a.b@mail.test' }
    for (const text of [
      'joergvin-muelltrax.test',
      domainToASCII('jörgvin-mülltrax.test'),
      'www.jörgvinmülltrax.de',
    ]) {
      const { event } = await shared(owner, ['domain'], text)
      expect(event.domain).toContain(KEPT_BACK)
    }
  })
})

describe('the owner in a record of an odd form', () => {
  const name = 'Quilliam Z. Borbeck'
  const email = 'quilliam.borbeck@mail.test'
  it.each([
    {
      form: 'a name in parts',
      whois: { owner_name: { first: 'Quilliam', last: 'Borbeck' }, owner_email: email },
    },
    {
      form: 'several names',
      whois: { owner_name: ['Somebody Else', name], owner_email: [email, 'x@y.test'] },
    },
    { form: 'an address with its name', whois: { owner_email: `${name} <${email}>` } },
    { form: 'a text', whois: `Domain: exa.mple\nRegistrant Name: ${name}\nRegistrant Email: ${email}\n` },
    { form: 'a list', whois: [{ registrant_name: name, mail: email }] },
    {
      form: 'in another field',
      whois: { owner_name: name, owner_email: email, creation_date: `by ${email}` },
    },
  ])('is kept back: $form', async ({ whois }) => {
    const body = {
      ...eventOf('exa.mple'),
      type: `held for ${name}`,
      comments: [`ask ${email}`, { date: email }],
    }
    Object.assign(body.observed_data, { whois })
    const { event, owner } = await redactEvent(threatEventOf(body))
    expect(JSON.stringify(event)).not.toMatch(/borbeck/i)
    expect(event.domain).toBe('exa.mple')
    expect(owner).toBeDefined()
  })

  it('is kept back where more is odd than is kept as it came', async () => {
    const body = {
      comments: Array(500).fill([name]),
      observed_data: { whois: `Owner: ${name}`, dns_records: Array(500).fill(1) },
    }
    const { event } = await redactEvent(threatEventOf(body))
    expect(event.unreadable.count).toBe(1001)
    expect(JSON.stringify(event)).not.toMatch(/borbeck/i)
  })

  it('is kept back where everything that was seen is one text', async () => {
    const body = {
      type: `held for ${name}`,
      domain: 'exa.mple',
      observed_data: `{"owner":"${name}"} ${email}`,
    }
    const { event, owner } = await redactEvent(threatEventOf(body))
    expect(JSON.stringify(event)).not.toMatch(/borbeck/i)
    expect(owner).toBe('WHOIS record in an odd form')
  })
})

describe('what is nobody’s', () => {
  it('stays, and the rest of the text with it', async () => {
    const owner = { name: 'Jane Q. Roe', email: 'jane.roe@mail.test' }
    const { event } = await shared(
      owner,
      ['comments', 0, 'content'],
      'Jane likes roes; mail to Jane+Q.+Roe at 7.',
    )
    expect(event.comments?.[0]?.content).toBe(`Jane likes roes; mail to ${KEPT_BACK} at 7.`)
    expect(event.domain).toBe('exa.mple')
    expect(event.brand?.name).toBe('Example Shops')
  })

  it.each(['REDACTED FOR PRIVACY', 'Domains By Proxy, LLC', 'Withheld for Privacy ehf', 'Not disclosed'])(
    'as %s, is shown and counts as a hidden owner',
    async (name) => {
      const { event, owner, isOwnerHidden } = await shared({ name, email: '' }, ['type'], name)
      expect(event.observedData?.whois?.ownerName).toBe(name)
      expect({ owner, isOwnerHidden }).toEqual({ owner: undefined, isOwnerHidden: true })
    },
  )

  it('is told from somebody who calls themselves private', async () => {
    const { event } = await shared(
      { name: 'Jane Roe (private person)', email: '' },
      ['type'],
      'of Jane Roe, private',
    )
    expect(JSON.stringify(event)).not.toContain('Roe')
  })
})

it('looks through an event of 100,000 texts while others go on', async () => {
  const record = {
    type: 'A',
    name: 'jane-roe.exa.mple',
    ip: '192.0.2.1',
    country_code: 'NL',
    autonomous_system_info: { as_number: '1' },
  }
  const event = threatEventOf({
    observed_data: {
      dns_records: Array.from({ length: 20_000 }, () => record),
      whois: { owner_name: 'Jane Roe', registrar_name: 'x'.repeat(2_000_000) },
    },
  })
  let turns = 0
  const timer = setInterval(() => {
    turns += 1
  }, 1)
  const { event: clean, elsewhere } = await redactEvent(event)
  clearInterval(timer)
  expect(elsewhere).toBe(20_000)
  expect(clean.observedData?.dnsRecords?.at(-1)?.name).toBe(`${KEPT_BACK}.exa.mple`)
  expect(turns).toBeGreaterThan(5)
})

describe('texts that the reported site has written to be slow', () => {
  const owner = { name: 'Quilliam Z. Borbeck', email: 'quilliam.borbeck@mail.test' }
  const inBase64 = Buffer.from(`id=${owner.email}&x=1`).toString('base64url')

  it('are kept back in every run of base64, however many there are in one text', async () => {
    const text = `${`${inBase64}.`.repeat(20)}${inBase64.repeat(20)} and then words`
    const { event } = await shared(owner, ['observed_data', 'website', 'page_title'], text)
    const dots = Array.from({ length: 20 }, () => `${KEPT_BACK}.`).join('')
    expect(event.observedData?.website?.pageTitle).toBe(`${dots}${KEPT_BACK} and then words`)
  })

  it.each(['owner_email', 'owner_name'])(
    'are read at once as the %s, and as the whole record',
    async (field) => {
      const text = `${'owner'.repeat(50_000)}${' '.repeat(50_000)}`
      for (const whois of [{ [field]: text }, `Owner: ${owner.name}\n${text}`]) {
        const body = { ...eventOf('exa.mple'), type: `held for ${owner.name}` }
        Object.assign(body.observed_data, { whois })
        const { event } = await redactEvent(threatEventOf(body))
        if (typeof whois === 'string') expect(event.type).toBe(`held for ${KEPT_BACK}`)
      }
    },
  )

  it.each([
    { what: 'one sign', text: 'a'.repeat(6000) },
    { what: 'base64', text: inBase64.repeat(100) },
    { what: 'halves of addresses', text: 'a+'.repeat(3000) },
    { what: 'punycode', text: 'xn--80ak6aa92e.'.repeat(400) },
  ])('let others go on between them: $what', async ({ text }) => {
    const body = eventOf('exa.mple')
    Object.assign(body.observed_data.whois, { owner_name: owner.name, owner_email: owner.email })
    Object.assign(body.observed_data.whois, { statuses: Array(150).fill(text) })
    Object.assign(body.observed_data.website, { redirection_types: Array(150).fill(text) })
    const event = threatEventOf(body)
    let [turns, isOver] = [0, false]
    const count = (): void => {
      turns += 1
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    await redactEvent(event)
    isOver = true
    // Three hundred texts do not fit into one turn of the event loop.
    expect(turns).toBeGreaterThan(1)
  })
})
