import { expect, it } from 'vitest'
import { TEXT_LIMITS } from '../../packages/runtime/src/text-limits.ts'
import { readTextAroundMention } from '../../packages/slack/src/receive/around-mention.ts'
import { parseArguments, splitWords } from '../../src/bot/typed/command-line.ts'
import { joinWords } from '../../src/domain/quoting.ts'
import { parseRecipients } from '../../src/domain/recipients.ts'
import { parseDays } from '../../src/features/cert-orders/rules/duration.ts'
import { parseDomain } from '../../src/features/cert-orders/rules/host-names.ts'
import { formatSections } from '../../src/features/cert-orders/rules/pages.ts'
import { findTextIds } from '../../src/features/threats/event-ids/message-ids.ts'
import { findSuperlinearTexts } from '../hostile-texts.ts'
import { readSeed } from '../random.ts'

const seed = readSeed()
const FLAGS = { status: 'value', a: { listOf: 'value' } } as const

/** `most` is the maximum that is read. Compares texts of that size with texts of an eighth of it. */
it.each([
  {
    what: 'a typed line',
    most: TEXT_LIMITS.line,
    read: (text: string) => parseArguments(splitWords(text), FLAGS),
  },
  {
    what: 'a rewritten line',
    most: TEXT_LIMITS.line,
    read: (text: string) => joinWords(splitWords(text)),
  },
  {
    what: 'a mention',
    most: TEXT_LIMITS.message,
    read: (text: string) => readTextAroundMention(text, 'U1', true),
  },
  { what: 'IDs in a message', most: TEXT_LIMITS.message, read: findTextIds },
  { what: 'recipients', most: TEXT_LIMITS.fileEntry, read: parseRecipients },
  { what: 'a duration', most: 3000, read: parseDays },
  { what: 'a domain', most: 3000, read: parseDomain },
  {
    what: 'a value to be read in full',
    most: TEXT_LIMITS.csrBytes,
    read: (text: string) => [...formatSections([{ label: 'Value', values: [text] }])],
  },
])(`parses $what in linear time, seed ${seed}`, async ({ most, read }) => {
  expect(await findSuperlinearTexts(most / 8, seed, read)).toEqual([])
})
