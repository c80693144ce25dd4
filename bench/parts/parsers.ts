import { TEXT_LIMITS } from '@signalman/runtime'
import { redactEmailAddresses } from '@signalman/slack'
import { resolveLine } from '../../src/bot/routes/lines.ts'
import { containsPrivateKey } from '../../src/domain/private-key.ts'
import { joinWords, splitWords } from '../../src/domain/quoting.ts'
import { parseRecipients } from '../../src/domain/recipients.ts'
import { readCsr, readCsrFile } from '../../src/features/cert-orders/rules/csr/csr.ts'
import { parseDays } from '../../src/features/cert-orders/rules/durations.ts'
import { formatSections } from '../../src/features/cert-orders/rules/entries.ts'
import { parseDomain } from '../../src/features/cert-orders/rules/host-names.ts'
import { readFile } from '../../src/features/health-checks/files/read-file.ts'
import { findTextIds } from '../../src/features/threats/event-ids/message-ids.ts'
import { loadVerbs } from '../../test/bot/grammar/real-verbs.ts'
import { watchTurns } from './event-loop.ts'

interface Parser {
  input: string
  /** The longest text that the app accepts there. */
  maxLength: number
  parse(text: string): unknown
}

const verbs = await loadVerbs()
const HEADER = 'name,customer_id,protocol,target,port,frequency,alerts\n'

/** What people's texts go through before anything else is known of them. */
export const PARSERS: readonly Parser[] = [
  {
    input: 'a typed line',
    maxLength: TEXT_LIMITS.line,
    parse: (text) => ['hc', 'threat', 'cert-order'].map((command) => resolveLine(verbs, { command, text })),
  },
  {
    input: 'a rewritten line',
    maxLength: TEXT_LIMITS.line,
    parse: (text) => joinWords(splitWords(text)),
  },
  { input: 'IDs in a message', maxLength: TEXT_LIMITS.message, parse: findTextIds },
  { input: 'recipients', maxLength: 32 * 1024, parse: parseRecipients },
  { input: 'a duration', maxLength: 3000, parse: parseDays },
  { input: 'a domain', maxLength: 3000, parse: parseDomain },
  { input: 'what may be a private key', maxLength: 128_000, parse: containsPrivateKey },
  {
    input: 'a message with addresses to hide',
    maxLength: 16_000,
    parse: (text) => redactEmailAddresses({ text, blocks: [] }),
  },
  {
    input: 'a value to be read in full',
    maxLength: TEXT_LIMITS.csrBytes,
    parse: (text) => [...formatSections([{ label: 'Value', values: [text] }])],
  },
  { input: 'a certificate request', maxLength: 32_000, parse: readCsr },
  { input: 'the file of one', maxLength: 32_000, parse: (text) => readCsrFile(Buffer.from(text)) },
  {
    input: 'a row of a CSV file',
    maxLength: 256 * 1024 - 1000,
    parse: (text) => readFile(Buffer.from(`${HEADER}${text}`)),
  },
]

/** The longest turn of the event loop, in ms of CPU time, while this text is parsed. Compiled code and collections count once at most. */
export async function measureParse({ parse }: Parser, text: string): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY
  for (let run = 0; run < 3; run += 1) {
    const turns = watchTurns()
    try {
      await parse(text)
    } catch {
      // The time until a text is refused counts, too.
    }
    await new Promise((resolve) => setImmediate(resolve))
    shortest = Math.min(shortest, turns.stop())
  }
  return shortest
}
