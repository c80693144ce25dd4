import { expect, it } from 'vitest'
import { redactEvent } from '../../../../src/features/threats/privacy/redact-event.ts'
import { superlinear } from '../../../hostile-texts.ts'
import { seedOf } from '../../../random.ts'
import { threatEventOf } from '../../../service/reading.ts'
import { eventOf } from '../events.ts'

const seed = seedOf()

it.each([
  { where: 'a record that is one text', of: (text: string) => ({ whois: text }) },
  { where: 'a record with lines', of: (text: string) => ({ whois: { raw: `Registrant Name: ${text}` } }) },
  { where: 'the name', of: (text: string) => ({ whois: { owner_name: text } }) },
  { where: 'the address', of: (text: string) => ({ whois: { owner_email: text } }) },
  { where: 'the page', of: (text: string) => ({ website: { title: text, content: text } }) },
])(`the owner is looked for in time that grows with the text alone: $where, seed ${seed}`, async ({ of }) => {
  const read = (text: string) => {
    const event = eventOf('shop.example') as Record<string, unknown>
    const whois = { owner_name: 'Jane Marie Roe', owner_email: 'jane@mail.test' }
    const observed = { ...(event.observed_data as object), whois, ...of(text) }
    return redactEvent(threatEventOf({ ...event, observed_data: observed, comments: [{ content: text }] }))
  }
  expect(await superlinear(2500, seed, read)).toEqual([])
})
