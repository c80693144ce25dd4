import { TEXT_LIMITS } from '@signalman/runtime'
import { containsPrivateKey } from '../../src/domain/private-key.ts'
import { parseRecipients } from '../../src/domain/recipients.ts'
import { readCsr } from '../../src/features/cert-orders/rules/csr/csr.ts'
import { parseFile } from '../../src/features/health-checks/files/parse-file.ts'
import { findTextIds } from '../../src/features/threats/event-ids/message-ids.ts'
import { watchTurns } from './event-loop.ts'

interface Parser {
  input: string
  /** The longest text that the app accepts there. */
  maxLength: number
  parse(text: string): unknown
}

const HEADER = 'name,customer_id,protocol,target,port,frequency,alerts\n'

/** What reads longer texts than a typed line, before anything else is known of them. */
export const PARSERS: readonly Parser[] = [
  { input: 'IDs in a message', maxLength: TEXT_LIMITS.message, parse: findTextIds },
  { input: 'recipients', maxLength: 32 * 1024, parse: parseRecipients },
  { input: 'what may be a private key', maxLength: 128_000, parse: containsPrivateKey },
  { input: 'a certificate request', maxLength: 32_000, parse: readCsr },
  {
    input: 'a row of a CSV file',
    maxLength: 256 * 1024 - 1000,
    parse: (text) => parseFile(Buffer.from(`${HEADER}${text}`)),
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
