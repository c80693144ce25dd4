import { expect, it } from 'vitest'
import { copyWindow } from '../../../../src/features/threats/commands/details.ts'
import { eventForMembers, factsOnly } from '../../../../src/features/threats/rules/shown-event.ts'
import { readEvent } from '../../../service/reading.ts'
import { createThreatEvent } from '../events.ts'

const DETAILS_CONTEXT = {
  id: '7e57ed00-0000-4000-8000-00000000000a',
  environment: 'production',
} as const

const show = (changes: object) => eventForMembers(readEvent({ ...createThreatEvent('exa.mple'), ...changes }))

it('the window for copying has no address for whoever sees only facts, because it would be another one', async () => {
  const facts = await factsOnly(show({}).event)
  const { blocks } = await copyWindow({ ...DETAILS_CONTEXT, event: facts.event }, facts)
  const text = JSON.stringify(blocks)
  for (const value of ['exa.mple', '192.0.2.1', 'AS64500', 'AS64501']) expect(text).toContain(value)
  expect(text).not.toMatch(/https?:|URL/)
})

it('the window for copying has the original values', async () => {
  const shown = show({})
  const blocks = (await copyWindow({ ...DETAILS_CONTEXT, event: shown.event }, shown)).blocks.flat()
  const values = blocks
    .flatMap((block) => (block.type === 'rich_text' ? block.elements : []))
    .flatMap((part) => (part.type === 'rich_text_preformatted' ? part.elements : []))
    .map((element) => (element.type === 'text' ? element.text.trim() : element.type))
  expect(values).toEqual([
    ...['exa.mple', 'http://exa.mple/', 'https://exa.mple/login'],
    ...['192.0.2.1', 'AS64500', '2001:db8::1', 'AS64501'],
  ])
})
