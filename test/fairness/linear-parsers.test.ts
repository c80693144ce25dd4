import { redactEmailAddresses } from '@signalman/slack'
import { expect, it } from 'vitest'
import { TEXT_LIMITS } from '../../packages/runtime/src/text-limits.ts'
import { readTextAroundMention } from '../../packages/slack/src/receive/around-mention.ts'
import { LISTED_CHECKS, SOME_CHECKS } from '../../src/bot/grammar/vocabulary.ts'
import { findDraft, skipPolite } from '../../src/bot/routes/draft.ts'
import { resolveLine } from '../../src/bot/routes/lines.ts'
import { containsPrivateKey } from '../../src/domain/private-key.ts'
import { joinWords, splitWords } from '../../src/domain/quoting.ts'
import { parseRecipients } from '../../src/domain/recipients.ts'
import { parseDays } from '../../src/features/cert-orders/rules/durations.ts'
import { formatSections } from '../../src/features/cert-orders/rules/entries.ts'
import { parseDomain } from '../../src/features/cert-orders/rules/host-names.ts'
import { findTextIds } from '../../src/features/threats/event-ids/message-ids.ts'
import { loadVerbs } from '../bot/grammar/real-verbs.ts'
import { findSuperlinearTexts } from '../hostile-texts.ts'
import { readSeed } from '../random.ts'
import { readTyped } from '../read-typed.ts'

const seed = readSeed()
const verbs = await loadVerbs()

function resolveOrRefuse(command: string, text: string): unknown {
  try {
    return resolveLine(verbs, { command, text })
  } catch (error) {
    return error
  }
}

const FLAGS = { status: 'value', a: { listOf: 'value' } } as const

/** Compares texts of the maximum length that the app accepts with texts an eighth as long. */
it.each([
  {
    input: 'a typed line',
    maxLength: TEXT_LIMITS.line,
    parse: (text: string) =>
      readTyped(text, { parameters: [...SOME_CHECKS, ...LISTED_CHECKS], flags: FLAGS }),
  },
  {
    input: 'a line, and what is understood of one that isn’t read',
    maxLength: TEXT_LIMITS.line,
    parse: (text: string) =>
      ['hc', 'threat', 'cert-order'].map((command) => [
        resolveOrRefuse(command, text),
        findDraft(verbs.findVerbs(command) ?? new Map(), skipPolite(splitWords(text)), () => undefined),
      ]),
  },
  {
    input: 'a rewritten line',
    maxLength: TEXT_LIMITS.line,
    parse: (text: string) => joinWords(splitWords(text)),
  },
  {
    input: 'a mention',
    maxLength: TEXT_LIMITS.message,
    parse: (text: string) => readTextAroundMention(text, 'U1', true),
  },
  { input: 'IDs in a message', maxLength: TEXT_LIMITS.message, parse: findTextIds },
  { input: 'recipients', maxLength: 32 * 1024, parse: parseRecipients },
  { input: 'a duration', maxLength: 3000, parse: parseDays },
  { input: 'a domain', maxLength: 3000, parse: parseDomain },
  { input: 'what may be a private key', maxLength: 128_000, parse: containsPrivateKey },
  {
    input: 'a message with addresses to hide',
    maxLength: 16_000,
    parse: (text: string) => redactEmailAddresses({ text, blocks: [] }),
  },
  {
    input: 'a value to be read in full',
    maxLength: TEXT_LIMITS.csrBytes,
    parse: (text: string) => [...formatSections([{ label: 'Value', values: [text] }])],
  },
])(`parses $input in linear time, seed ${seed}`, async ({ maxLength, parse }) => {
  expect(await findSuperlinearTexts(maxLength / 8, seed, parse)).toEqual([])
})
